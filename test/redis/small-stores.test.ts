import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taskIdOf } from '../../src/std/ids.js';
import { RedisDefinitionStore } from '../../src/redis/definition-store.js';
import { RedisPollDataStore } from '../../src/redis/poll-data-store.js';
import { RedisTaskLogStore } from '../../src/redis/task-log-store.js';
import {
  sampleId,
  sampleSnapshot,
  sampleTaskDef,
  startStore,
  storeKinds,
  type TestStore,
} from '../../testkit/samples.js';
import { until } from '../../testkit/until.js';

describe.each(storeKinds)('on %s', (kind) => {
  let test: TestStore;
  beforeAll(async () => void (test = await startStore(kind)));
  afterAll(async () => test.stop());

  describe('definitions', () => {
    it('come back as they were stored, with every version, until they are deleted', async () => {
      const store = new RedisDefinitionStore(test.redis);
      const one = sampleSnapshot('flow:{x} 1', ['a']).def;
      one.tasks[0] = { ...one.tasks[0], inputParameters: { n: 12345678901234567890n } } as never;
      const two = { ...one, version: 2 };
      const before = await store.revision();
      expect(await store.putWorkflows([{ def: one }])).toBe(1);
      await store.putWorkflows([{ def: one }, { def: two }]);
      await store.putTasks([sampleTaskDef('t 1'), sampleTaskDef('t 2')]);
      const all = await store.loadAll();
      expect(all.workflows).toEqual(expect.arrayContaining([one, two]));
      expect(all.tasks.length).toBe(2);
      expect(all.revision).toBe(before + 3);
      expect(await store.deleteWorkflow(one.name, 1)).toBe(true);
      expect(await store.deleteWorkflow(one.name, 1)).toBe(false);
      expect(await store.putTasks([{ ...sampleTaskDef('t 1'), retryCount: 7 }])).toBe(1);
      expect(await store.deleteTask('t 2')).toBe(true);
      const rest = await store.loadAll();
      expect(rest.workflows).toEqual([two]);
      expect(rest.tasks).toEqual([{ ...sampleTaskDef('t 1'), retryCount: 7 }]);
      expect(rest.revision).toBe(before + 6);
    });

    it('carry the registration of their name, which ends with the last version', async () => {
      const store = new RedisDefinitionStore(test.redis);
      const one = sampleSnapshot('registered', ['a']).def;
      const two = { ...one, version: 2 };
      const registration = { id: 'r"1', at: 5, by: 'a@x.org', isFirst: true } as const;
      await store.putWorkflows([{ def: one, registration }]);
      const named = new Map([['a', 3]]);
      await store.putWorkflows([{ def: two, registration, named }]);
      const all = await store.loadAll();
      expect(all.registrations.get(one.name)).toEqual(registration);
      expect(all.workflows).toEqual(expect.arrayContaining([one, two]));
      const since = [...all.named].map(([{ name, version }, at]) => [name, version, at]);
      expect(since).toEqual([[two.name, 2, named]]);
      await store.deleteWorkflow(one.name, 1);
      expect((await store.loadAll()).registrations.get(one.name)).toEqual(registration);
      await store.deleteWorkflow(one.name, 2);
      await store.putWorkflows([{ def: one }]);
      expect((await store.loadAll()).registrations.has(one.name)).toBe(false);
    });

    it('are stored unless one of the names has changed, where that is asked for', async () => {
      const store = new RedisDefinitionStore(test.redis);
      const tasks = ['at revision 1', 'at revision 2'].map((name) => sampleTaskDef(name));
      const { def } = sampleSnapshot('at revision', ['a']);
      const since = await store.revision();
      const names = tasks.map(({ name }) => name);
      expect(await store.putTasks(tasks, { since: since + 1, names })).toBe(0);
      expect(await store.revision()).toBe(since);
      expect(await store.putTasks(tasks, { since, names })).toBe(2);
      expect(await store.putTasks(tasks, { since, names })).toBe(0);
      expect(await store.putTasks(tasks.slice(1), { since, names: [names[1] ?? ''] })).toBe(0);
      // Others' names are no obstacle, nor is a workflow of the same name.
      const [, task] = tasks;
      const other = { ...sampleTaskDef(def.name) };
      expect(await store.putTasks([other], { since, names: [other.name] })).toBe(1);
      const ofDef = { since, names: [def.name] };
      expect(await store.putWorkflows([{ def }], ofDef)).toBe(1);
      expect(await store.putWorkflows([{ def: { ...def, version: 2 } }], ofDef)).toBe(0);
      // A removal is a change.
      const later = await store.revision();
      await store.deleteTask(task?.name ?? '');
      expect(await store.putTasks(tasks, { since: later, names })).toBe(0);
    });

    it('in many parts are stored at one look, the first ones until a name changes', async () => {
      const store = new RedisDefinitionStore(test.redis);
      const many = Array.from({ length: 205 }, (_, n) => sampleTaskDef(`of many ${n}`));
      const names = many.map(({ name }) => name);
      const since = await store.revision();
      expect(await store.putTasks(many, { since, names })).toBe(205);
      expect(await store.revision()).toBe(since + 3);
      const stored = (await store.loadAll()).tasks.map(({ name }) => name);
      expect(stored).toEqual(expect.arrayContaining(names));
      expect(await store.putTasks(many, { since: since + 2, names })).toBe(0);
      expect(await store.putTasks(many, { since: since + 3, names })).toBe(205);
    });

    it('are not stored where a node of an earlier version has written meanwhile', async () => {
      const store = new RedisDefinitionStore(test.redis);
      const since = await store.revision();
      const put = (name: string, from: number): Promise<number> =>
        store.putTasks([sampleTaskDef(name)], { since: from, names: [name] });
      // It raises the revision, and does not tell which names it has changed.
      await test.redis.commits.call('INCR', test.redis.keys.definitionRevision());
      expect(await put('beside an older node', since)).toBe(0);
      expect(await put('beside an older node', since + 1)).toBe(1);
      for (let n = 0; n < 501; n++) await store.putTasks([sampleTaskDef('often')]);
      // More changes than are kept.
      expect(await put('behind many changes', since + 2)).toBe(0);
      const changes = test.redis.keys.definitionChanges();
      expect(await test.redis.reads.call('ZCARD', changes)).toBe(500);
    });

    it('tell of changes', async () => {
      const store = new RedisDefinitionStore(test.redis);
      let told = 0;
      await store.onChange(() => (told += 1));
      await store.putTasks([sampleTaskDef('told')]);
      await until('the notice', () => told === 1);
    });
  });

  describe('task logs', () => {
    it('keep the newest lines in order and expire', async () => {
      const limits = { linesMax: 3, lifeMs: 60_000 };
      const store = new RedisTaskLogStore(test.redis, 8, limits);
      const executionId = sampleId(5);
      const taskId = taskIdOf(executionId, 3);
      const lineOf = (log: string, createdTime: number) => ({ log, taskId, createdTime });
      await store.append(taskId, [lineOf('a', 1), lineOf('b', 2)]);
      await store.append(taskId, [lineOf('c ü', 3), lineOf('d', 4)]);
      expect((await store.list(taskId)).map(({ log }) => log)).toEqual(['b', 'c ü', 'd']);
      expect((await store.list(taskId))[2]).toEqual(lineOf('d', 4));
      const ttl = await test.redis.reads.call('PTTL', test.redis.keys.taskLog(5, executionId, 3));
      expect(ttl).toBeGreaterThan(50_000);
      expect(await store.list(taskIdOf(sampleId(5), 1))).toEqual([]);
      expect(await store.list('no id of ours' as never)).toEqual([]);
    });
  });

  describe('poll data', () => {
    it('forgets queues', async () => {
      const store = new RedisPollDataStore(test.redis);
      const queues = [{ taskType: 'gone' }, { taskType: 'gone', domain: 'd' }];
      await store.save(
        queues.map(({ taskType: queueName, domain }) => ({
          queueName,
          ...(domain === undefined ? {} : { domain }),
          lastPollTime: 1,
        })),
      );
      expect(await store.list('gone')).toHaveLength(2);
      await store.remove(queues);
      expect(await store.list('gone')).toEqual([]);
    });

    it('keeps the newest poll per type and domain', async () => {
      const store = new RedisPollDataStore(test.redis);
      const plain = { queueName: 't:1', workerId: 'w', lastPollTime: 5 };
      const inDomain = { queueName: 't:1', domain: 'd', lastPollTime: 6 };
      await store.save([plain, inDomain, { queueName: 'u', lastPollTime: 1 }]);
      await store.save([{ ...plain, lastPollTime: 9 }]);
      const found = await store.list('t:1');
      expect(found.length).toBe(2);
      expect(found).toEqual(expect.arrayContaining([{ ...plain, lastPollTime: 9 }, inDomain]));
      expect((await store.list(undefined)).length).toBe(3);
    });
  });
});
