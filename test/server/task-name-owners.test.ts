// The name of a task that nobody has defined belongs to the workflow that named it first
// (docs/access.md, "Whose executions"): who defines it polls every task of it that is ever
// scheduled.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecuredServer, type Session } from '../support/secured-server.js';

let server: SecuredServer;
/** Saves the definition that names the task first. */
let first: Session;
let second: Session;

beforeAll(async () => {
  server = await SecuredServer.start();
  first = await server.user('first@x.org', ['USER']);
  second = await server.user('second@x.org', ['USER']);
});
afterAll(() => server.stop());

const task = (name: string, type = 'SIMPLE'): object => ({ name, taskReferenceName: 'a', type });

async function save(who: Session, name: string, tasks: object[], version = 1): Promise<void> {
  const route = '/api/metadata/workflow?overwrite=true';
  expect(await who.status('POST', route, { name, version, tasks })).toBe(200);
}

async function define(who: Session, ...names: string[]): Promise<[number, string]> {
  const defs = names.map((name) => ({ name }));
  const { status, text } = await who.post('/api/metadata/taskdefs', defs);
  return [status, text];
}

const poll = (name: string): string => `/api/tasks/poll/batch/${name}?count=1&timeout=0`;

describe('a task name that a registered definition of somebody else holds', () => {
  it.each(['SIMPLE', 'HUMAN'])('is not taken while nothing of it runs: %s', async (type) => {
    const name = `idle_${type}`;
    await save(first, `names_${name}`, [task(name, type)]);
    expect(await define(second, name)).toEqual([403, expect.stringContaining(name)]);
    expect((await define(second, name))[1]).not.toContain(`names_${name}`);
    expect(await define(second, `other_${name}`, name)).toEqual([403, expect.anything()]);
    expect(await server.admin.status('GET', `/api/metadata/taskdefs/other_${name}`)).toBe(404);
    expect(await second.status('GET', poll(name))).toBe(403);
    expect(await define(first, name)).toEqual([200, '']);
    expect([200, 204]).toContain(await first.status('GET', poll(name)));
    expect(await second.status('GET', poll(name))).toBe(403);
  });

  it('is not taken where the type is the name', async () => {
    await save(first, 'names_own_type', [task('a task', 'OWN_TYPE')]);
    expect(await define(second, 'OWN_TYPE')).toEqual([403, expect.stringContaining('OWN_TYPE')]);
  });

  it('is not taken by naming it too, after that or in an older workflow', async () => {
    await save(second, 'older', [task('of_second')]);
    await save(first, 'names_shared', [task('shared')]);
    await save(second, 'older', [task('shared')]);
    await save(second, 'later', [task('shared')]);
    expect(await define(second, 'shared')).toEqual([403, expect.stringContaining('shared')]);
    // Both run, each under the own definition.
    for (const [who, name] of [
      [first, 'names_shared'],
      [second, 'later'],
    ] as const) {
      const { status, text } = await who.post('/api/workflow', { name });
      expect(status).toBe(200);
      expect(await who.status('DELETE', `/api/workflow/${text}`)).toBe(200);
    }
    // Saving the definition again loses nothing, a new version neither.
    await save(first, 'names_shared', [task('shared'), task('more')].slice(0, 1));
    await save(first, 'names_shared', [task('shared')], 2);
    expect(await first.status('DELETE', '/api/metadata/workflow/names_shared/1')).toBe(200);
    expect(await define(second, 'shared')).toEqual([403, expect.stringContaining('shared')]);
    expect(await define(first, 'shared')).toEqual([200, '']);
  });

  it('is free when the definition names it no more', async () => {
    await save(first, 'drops', [task('dropped')]);
    await save(second, 'takes', [task('dropped')]);
    expect((await define(second, 'dropped'))[0]).toBe(403);
    await save(first, 'drops', [task('other')]);
    expect(await define(second, 'dropped')).toEqual([200, '']);
  });

  it('is registered with UPDATE on the definition or on the task, and not with less', async () => {
    await save(first, 'granted', [task('granted_one')]);
    await save(first, 'granted_too', [task('granted_two')]);
    const worker = await server.application('worker', ['METADATA_API', 'WORKER']);
    await server.grant(worker, 'WORKFLOW_DEF', 'granted', ['READ', 'EXECUTE']);
    await server.grant(worker, 'TASK_DEF', 'granted_two', ['EXECUTE']);
    expect((await define(worker, 'granted_one'))[0]).toBe(403);
    expect((await define(worker, 'granted_two'))[0]).toBe(403);
    await server.grant(worker, 'WORKFLOW_DEF', 'granted', ['READ', 'EXECUTE', 'UPDATE']);
    await server.grant(worker, 'TASK_DEF', 'granted_two', ['EXECUTE', 'UPDATE']);
    expect(await define(worker, 'granted_one', 'granted_two')).toEqual([200, '']);
    expect([200, 204]).toContain(await worker.status('GET', poll('granted_one')));
  });

  it('is registered by administrators', async () => {
    await save(first, 'left', [task('left_alone')]);
    expect(await define(server.admin, 'left_alone')).toEqual([200, '']);
  });
});
