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
} from './samples.js';
import { until } from '../support/until.js';

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
      expect(await store.putWorkflow(one, true)).toBe('stored');
      expect(await store.putWorkflow(one, true)).toBe('exists');
      expect(await store.putWorkflow(one, false)).toBe('stored');
      await store.putWorkflows([{ def: one }, { def: two }]);
      await store.putTasks([sampleTaskDef('t 1'), sampleTaskDef('t 2')]);
      const all = await store.loadAll();
      expect(all.workflows).toEqual(expect.arrayContaining([one, two]));
      expect(all.tasks.length).toBe(2);
      expect(all.revision).toBe(before + 4);
      expect(await store.deleteWorkflow(one.name, 1)).toBe(true);
      expect(await store.deleteWorkflow(one.name, 1)).toBe(false);
      expect(await store.replaceTask({ ...sampleTaskDef('t 1'), retryCount: 7 })).toBe(true);
      expect(await store.replaceTask(sampleTaskDef('t 9'))).toBe(false);
      expect(await store.deleteTask('t 2')).toBe(true);
      const rest = await store.loadAll();
      expect(rest.workflows).toEqual([two]);
      expect(rest.tasks).toEqual([{ ...sampleTaskDef('t 1'), retryCount: 7 }]);
      expect(rest.revision).toBe(before + 7);
    });

    it('carry the registration of their name, which ends with the last version', async () => {
      const store = new RedisDefinitionStore(test.redis);
      const one = sampleSnapshot('registered', ['a']).def;
      const two = { ...one, version: 2 };
      const registration = { id: 'r"1', at: 5, by: 'a@x.org', isFirst: true } as const;
      await store.putWorkflow(one, true, { registration });
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
      await store.putWorkflow(one, true);
      expect((await store.loadAll()).registrations.has(one.name)).toBe(false);
    });

    it('are stored at one revision only, where that is asked for', async () => {
      const store = new RedisDefinitionStore(test.redis);
      const tasks = ['at revision 1', 'at revision 2'].map((name) => sampleTaskDef(name));
      const { def } = sampleSnapshot('at revision', ['a']);
      const now = await store.revision();
      expect(await store.putTasks(tasks, now + 1)).toBe(0);
      expect(await store.putWorkflows([{ def }], now - 1)).toBe(0);
      expect(await store.revision()).toBe(now);
      expect(await store.putTasks(tasks, now)).toBe(2);
      expect(await store.putTasks(tasks, now)).toBe(0);
      expect(await store.putWorkflows([{ def }], now + 1)).toBe(1);
      const many = Array.from({ length: 205 }, (_, n) => sampleTaskDef(`of many ${n}`));
      expect(await store.putTasks(many, now + 2)).toBe(205);
      const names = (await store.loadAll()).tasks.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining([...tasks, ...many].map(({ name }) => name)));
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
