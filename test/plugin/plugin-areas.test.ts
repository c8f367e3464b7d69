// Areas of plug-ins: which are refused, who may use their routes, and who may change their records.
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/api/endpoint.js';
import { RecordTable } from '../../src/operation/records/record-table.js';
import { LoadedPlugins } from '../../src/plugin/loaded-plugins.js';
import type { PluginEndpoint, PluginRecords } from '../../src/plugin/plugin-area.js';
import type { Plugin } from '../../src/plugin/plugin.js';
import { pluginRecordCodec, recordsOfPlugin } from '../../src/plugin/plugin-records.js';
import { readPlugin } from '../../src/plugin/read-plugin.js';
import { buildPluginAreas, refuseCollisions } from '../../src/server/build-plugin-areas.js';
import { MemoryRecordStore } from '../operation/records/memory-record-store.js';
import { serverTaskTypes } from '../../src/server/task-types.js';

const route = (declared: Partial<PluginEndpoint>): PluginEndpoint => ({
  ...{ method: 'GET', path: '', name: 'getAll', summary: 'Shows all.', handle: () => null },
  ...declared,
});
const pluginWith = (...endpoints: unknown[]): { plugin: unknown } => ({
  plugin: { contract: 1, name: 'mine', areas: [{ about: 'Mine.', endpoints }] },
});

function builtEndpoints(...endpoints: PluginEndpoint[]): readonly Endpoint[] {
  const plugin = readPlugin(pluginWith(...endpoints));
  const unused = {} as never;
  return buildPluginAreas({
    ...{ clock: unused, client: unused, leadership: unused, log: unused, settings: unused },
    plugins: [{ plugin, version: '1', settings: {} }],
    tables: { open: () => unused } as never,
  }).endpoints;
}

describe('an area of a plug-in is refused', () => {
  it.each([
    [
      'a path above its prefix',
      route({ path: '/../workflow' }),
      /path of the endpoint getAll must/,
    ],
    ['a path without a slash', route({ path: 'x' }), /must be empty or such as \/cities\/:city/],
    ['a method that there is not', { ...route({}), method: 'HEAD' }, /must be one of GET, POST/],
    ['users that there are not', { ...route({}), users: 'all' }, /users of the endpoint getAll/],
    ['no handler', { ...route({}), handle: 1 }, /the endpoint getAll has no function handle/],
  ])('with %s', (_what, endpoint, sentence) => {
    expect(() => readPlugin(pluginWith(endpoint))).toThrow(sentence);
  });

  it('with two routes that match the same requests', () => {
    const one = route({ path: '/:a/x', name: 'one' });
    const other = route({ path: '/:b/x', name: 'other' });
    expect(() => readPlugin(pluginWith(one, other))).toThrow('two endpoints serve GET /:/x');
  });

  it('with a route of the server', () => {
    const added = builtEndpoints(route({ path: '/:id' }));
    const [served] = builtEndpoints(route({ path: '/:name' }));
    expect(() => refuseCollisions([], added)).not.toThrow();
    expect(() => refuseCollisions(served === undefined ? [] : [served], added)).toThrow(
      'The plug-in mine declares GET /api/plugins/mine/:id, which the server serves itself.',
    );
  });

  it('of a second plug-in of the same name', () => {
    const plugin: Plugin = { contract: 1, name: 'mine' };
    const loaded = [plugin, { ...plugin }].map((each) => ({
      ...{ plugin: each, version: '1', settings: {} },
    }));
    const { failed, names } = new LoadedPlugins({
      ...{ loaded, failed: [], isClone: true, ownTaskTypes: serverTaskTypes },
    });
    expect(names).toEqual(['mine 1']);
    expect(failed).toEqual([
      { name: 'mine', reason: 'something else serves the routes and settings of mine already' },
    ]);
  });
});

it('its routes need a signed-in caller, and those that change something more', () => {
  const found = builtEndpoints(
    route({}),
    route({ method: 'POST', name: 'add' }),
    route({ method: 'DELETE', name: 'removeAll', users: 'administrators' }),
  ).map(({ method, pattern, name, access }) => [method, pattern, name, access.rule]);
  expect(found).toEqual([
    ['GET', '/api/plugins/mine', 'mine_getAll', 'caller'],
    ['POST', '/api/plugins/mine', 'mine_add', 'permission'],
    ['DELETE', '/api/plugins/mine', 'mine_removeAll', 'administrator'],
  ]);
});

describe('the records of a plug-in', () => {
  const ada = { id: 'ada', isAdministrator: false };
  const bob = { id: 'bob', isAdministrator: false };
  const root = { id: 'root', isAdministrator: true };
  const store = new MemoryRecordStore();
  const table = new RecordTable(store, pluginRecordCodec);
  const of = (name: string, node = table): PluginRecords =>
    recordsOfPlugin(name, node, {
      clock: { now: () => 5 },
      limits: { pluginRecordsMax: 3, pluginRecordBytesMax: 65_536 },
    });

  it('are changed by their owner, by administrators and by the plug-in itself', async () => {
    const records = of('mine');
    const made = await records.save('a', { x: 1 }, ada);
    expect(made).toEqual({
      ...{ id: 'a', value: { x: 1 }, createdBy: 'ada', createTime: 5 },
      ...{ updatedBy: 'ada', updateTime: 5 },
    });
    await expect(records.save('a', 2, bob)).rejects.toThrow('bob does not own a');
    await expect(records.remove('a', bob)).rejects.toThrow('bob does not own a');
    expect((await records.save('a', 3, root)).createdBy).toBe('ada');
    expect((await records.save('b', 4)).createdBy).toBe('plugin:mine');
    expect(records.list().map(({ id }) => id)).toEqual(['a', 'b']);
    expect(await records.remove('a', ada)).toBe(true);
    expect(await records.remove('a', ada)).toBe(false);
  });

  it('are its own, and bounded', async () => {
    await of('mine').save('shared', 1, ada);
    expect(of('other').get('shared')).toBeUndefined();
    await expect(of('mine').save('', 1)).rejects.toThrow('id must have 1 to 200 characters');
    const long = 'x'.repeat(65_536);
    await expect(of('mine').save('c', long)).rejects.toThrow('c may have 65536 bytes of JSON');
    for (const id of ['x', 'y', 'z']) await of('full').save(id, 1);
    await of('full').save('x', 2);
    await expect(of('full').save('w', 1)).rejects.toThrow('A plug-in keeps 3 records at most');
  });

  it('are not removed by a former owner', async () => {
    const elsewhere = new RecordTable(store, pluginRecordCodec);
    await of('mine').save('sold', 1, ada);
    await elsewhere.load();
    await of('mine', elsewhere).remove('sold', ada);
    await of('mine', elsewhere).save('sold', 2, bob);
    // This node has not followed yet, and takes it for the record of before.
    await expect(of('mine').remove('sold', ada)).rejects.toThrow('ada does not own sold');
    expect(of('mine').get('sold')?.value).toBe(2);
  });
});
