import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonCodec, RecordTable } from '../../src/operation/records/record-table.js';
import { RecordTables } from '../../src/operation/records/record-tables.js';
import { RedisRecordStore } from '../../src/redis/record-store.js';
import { systemClock } from '../../src/std/clock.js';
import { startStore, storeKinds, type TestStore } from '../../testkit/samples.js';
import { until } from '../../testkit/until.js';

interface Sample {
  readonly name: string;
  readonly value: number;
}

const form = jsonCodec<Sample>('schedule', ({ name }) => name);

describe.each(storeKinds)('administrative records on %s', (kind) => {
  let test: TestStore;
  beforeAll(async () => void (test = await startStore(kind)));
  afterAll(async () => test.stop());

  it('come back as they were stored, with the changes since a revision', async () => {
    const store = new RedisRecordStore(test.redis);
    const write = (id: string, text: string | undefined): Promise<unknown> =>
      store.write([{ kind: 'schedule', id, text }]);
    await write('a', '{"n":1}');
    const { records, revision } = await store.load('schedule');
    expect(records.map(({ id, text }) => [id, text])).toEqual([['a', '{"n":1}']]);
    await write('b:{x} ü', '{"n":2}');
    await write('a', undefined);
    const changed = await store.changes('schedule', revision);
    expect(changed.records.map(({ id, text }) => [id, text])).toEqual([
      ['b:{x} ü', '{"n":2}'],
      ['a', undefined],
    ]);
    expect((await store.revisions()).get('schedule')).toBe(changed.revision);
  });

  it('are written unless a version of their name has changed, where that is asked for', async () => {
    const store = new RedisRecordStore(test.redis);
    const write = (id: string, unchanged?: { since: number; idEnd: string }) =>
      store.write([{ kind: 'schema', id, text: '{}', condition: 'absent' }], unchanged);
    expect(await write('1:a', { since: 0, idEnd: ':a' })).toMatchObject({ outcome: 'stored' });
    expect(await write('2:a', { since: 0, idEnd: ':a' })).toEqual({
      outcome: 'refused',
      index: -1,
    });
    // What has another name is no obstacle.
    expect(await write('1:b', { since: 0, idEnd: ':b' })).toMatchObject({ outcome: 'stored' });
    expect(await write('1:xa', { since: 0, idEnd: ':xa' })).toMatchObject({ outcome: 'stored' });
    const now = (await store.revisions()).get('schema') ?? 0;
    expect(await write('1:a', { since: now, idEnd: ':a' })).toEqual({
      outcome: 'refused',
      index: 0,
    });
    expect(await write('2:a', { since: now, idEnd: ':a' })).toMatchObject({ outcome: 'stored' });
    // A removal is a change.
    await store.write([{ kind: 'schema', id: '2:a', text: undefined }]);
    expect(await write('2:a', { since: now + 1, idEnd: ':a' })).toMatchObject({ index: -1 });
    const many = Array.from({ length: 1000 }, (_, n) => ({ id: `${n}:many`, text: '1' }));
    await store.write(many.map((each) => ({ kind: 'schema', ...each })));
    await write('1:more');
    expect(await write('1:c', { since: now + 2, idEnd: ':c' })).toMatchObject({ index: -1 });
  });

  it('are written all or not at all', async () => {
    const store = new RedisRecordStore(test.redis);
    await store.write([{ kind: 'schedule', id: 'here', text: '1' }]);
    const before = (await store.revisions()).get('schedule');
    expect(
      await store.write([
        { kind: 'schedule', id: 'one', text: '1', condition: 'absent' },
        { kind: 'schedule', id: 'here', text: '2', condition: 'absent' },
      ]),
    ).toEqual({ outcome: 'refused', index: 1 });
    expect((await store.revisions()).get('schedule')).toBe(before);
  });

  it('are compared with the revision that the writer has seen', async () => {
    const table = new RecordTable(new RedisRecordStore(test.redis), form);
    expect(await table.put({ name: 'seen', value: 1 }, 'absent')).toBe(true);
    const revision = table.revisionOf('seen');
    expect(await table.put({ name: 'seen', value: 2 }, revision)).toBe(true);
    expect(await table.put({ name: 'seen', value: 3 }, revision)).toBe(false);
    expect(table.get('seen')).toEqual({ name: 'seen', value: 2 });
    expect(await table.remove('seen')).toBe(true);
    expect(await table.remove('seen')).toBe(false);
  });

  it('reach the tables of other nodes, without a notice too', async () => {
    const failed = (error: unknown): never => {
      throw error;
    };
    const one = new RecordTables(new RedisRecordStore(test.redis), systemClock, failed);
    const deaf = new RedisRecordStore(test.redis);
    deaf.onChange = () => Promise.resolve();
    const two = new RecordTables(deaf, systemClock, failed);
    const [here, there] = [one.open(form), two.open(form)];
    await Promise.all([one.start(), two.start()]);
    await here.put({ name: 'news', value: 1 });
    await until('the record at the other node', () => there.get('news')?.value === 1);
    await there.remove('news');
    await until('the removal at the first node', () => here.get('news') === undefined);
    await Promise.all([one.stop(), two.stop()]);
  });
});
