import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Changes, taskPart } from '../../src/engine/decision.js';
import { Payload } from '../../src/model/payload.js';
import type { Execution } from '../../src/model/execution.js';
import { commitLimits } from '../../src/redis/commit-encoder.js';
import { momentOf, readDue } from '../../src/redis/codec/scores.js';
import { shortIdOf } from '../../src/redis/codec/short-id.js';
import { RedisExecutionStore } from '../../src/redis/execution-store.js';
import { RedisShardStore } from '../../src/redis/shard-store.js';
import type { Fence } from '../../src/store/execution-store.js';
import {
  createdChanges,
  plain,
  sampleCommit,
  sampleConfig,
  sampleExecution,
  sampleSnapshot,
  sampleTask,
  startStore,
  storeKinds,
  type TestStore,
} from '../../testkit/samples.js';

const shards = 4;
/** Fewer than shards, so that two share one. */
const partitions = 2;
const node = { nodeId: 'n1', bootId: 'b1', address: '127.0.0.1:1', peerAddress: '' };

let test: TestStore;
let store: RedisExecutionStore;
let fence: Fence;

describe.each(storeKinds)('on %s', (kind) => {
  beforeAll(async () => {
    test = await startStore(kind, { partitions });
    store = new RedisExecutionStore(test.redis, shards);
    [fence] = (await new RedisShardStore(test.redis).acquire(node, [1])).fences as [Fence];
  });
  afterAll(async () => test.stop());

  /** A store without memory of what this process has written, as after a restart. */
  function freshStore(): RedisExecutionStore {
    return new RedisExecutionStore(test.redis, shards);
  }

  async function start(name: string, refs: string[] = ['a', 'b']): Promise<Execution> {
    const execution = sampleExecution(1, sampleSnapshot(name, refs));
    execution.tasks.push(sampleTask(1, execution.snapshot.def.tasks[0] as never));
    const changes = createdChanges(execution);
    const commit = sampleCommit(fence, execution, { changes, head: '', nextHead: 'h1' });
    expect(await store.commit([commit])).toMatchObject({ commits: ['committed'] });
    return execution;
  }

  async function memoryOf(pattern: string): Promise<string[]> {
    return ((await test.redis.reads.call('KEYS', pattern)) as string[]).sort();
  }

  describe('a commit', () => {
    it('gives back on load what was stored, digits of long integers included', async () => {
      const execution = await start('roundtrip');
      const loaded = await freshStore().load(1, execution.id);
      expect(loaded?.head).toBe('h1');
      expect(plain(loaded?.execution)).toEqual(plain(execution));
      expect(loaded?.execution.input.value['digits']).toBe(12345678901234567890n);
      expect(loaded?.execution.tasks[0]?.config).toBe(loaded?.execution.snapshot.def.tasks[0]);
    });

    it('keeps every field of tasks, attributes, state, outbox and messages', async () => {
      const execution = await start('everything');
      const task = execution.tasks[0] as Execution['tasks'][0];
      Object.assign(task, {
        status: 'COMPLETED',
        retried: true,
        executed: true,
        subworkflowChanged: true,
        domain: 'd',
        reason: 'because',
        retriedTaskNumber: 7,
        subWorkflowId: execution.id,
        waitUntilAt: 12,
        lease: { number: 3, endAt: 0 },
        notes: { waiting: [1, 2], big: 12345678901234567890n },
        executionMetadata: { a: [] },
        externalOutputPayloadStoragePath: '/x',
        workerId: 'w',
        callbackAfterMs: 17,
        pollCount: 2,
        output: Payload.of({ done: true, empty: [] }),
      });
      const foreign = sampleTask(2, { ...sampleConfig('elsewhere'), optional: true });
      foreign.ref = 'elsewhere__2';
      execution.tasks.push(foreign);
      Object.assign(execution.attributes, {
        correlationId: 'c:{s1}',
        parentWorkflowId: execution.id,
        parentTaskNumber: 4,
        event: 'e',
        createdBy: 'me',
        idempotencyKey: 'k',
        externalInputPayloadStoragePath: '/p',
        triggeredBy: execution.id,
        depth: 3,
        definitionVariables: Payload.of({ v: 1 }),
        taskToDomain: { '*': 'd' },
        trace: {
          traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
          tracestate: 'vendor=a1',
          parentSpanId: '',
        },
      });
      Object.assign(execution.state, {
        previousStatus: 'PAUSED',
        reasonForIncompletion: 'r',
        failedTaskNumber: 1,
        failedReferenceTaskNames: ['a'],
        failedTaskNames: ['task_a'],
        reRunFromWorkflowId: execution.id,
        unsettled: true,
        generation: 2,
      });
      execution.messages = [{ id: 'm', payload: { x: 1 }, receivedAt: 5 }];
      execution.variables = Payload.of({ v: 'ü' });
      execution.outbox.set(1, {
        id: 1,
        kind: 'start-child',
        childId: execution.id,
        taskNumber: 1,
        reopenCount: 0,
        request: {
          name: 'child',
          input: Payload.of({ n: 12345678901234567890n }),
          priority: 0,
          taskToDomain: {},
        },
      });
      execution.outbox.set(2, {
        id: 2,
        kind: 'terminate-child',
        childId: execution.id,
        reason: 'over',
      });
      const changes = new Changes();
      execution.history = [
        { revision: 3, time: 7, actor: 'a', actorKind: 'user', action: 'pause', reason: 'r' },
      ];
      changes.attributes = changes.state = changes.messages = changes.variables = true;
      changes.history = true;
      changes.touch(task, taskPart.record | taskPart.output);
      changes.touch(foreign, taskPart.record | taskPart.input);
      changes.outboxAdded.add(1).add(2);
      const commit = sampleCommit(fence, execution, { changes, head: 'h1', nextHead: 'h2' });
      expect(await store.commit([commit])).toMatchObject({ commits: ['committed'] });
      const loaded = await freshStore().load(1, execution.id);
      expect(plain(loaded?.execution)).toEqual(plain(execution));
    });

    it('is refused when the head is another one, and says when it was applied before', async () => {
      const execution = await start('chain');
      const changes = new Changes();
      changes.state = true;
      const commit = sampleCommit(fence, execution, { changes, head: 'h1', nextHead: 'h2' });
      expect(await store.commit([commit])).toMatchObject({ commits: ['committed'] });
      expect(await store.commit([commit])).toMatchObject({ commits: ['already-applied'] });
      const late = sampleCommit(fence, execution, { changes, head: 'h0', nextHead: 'h9' });
      expect(await store.commit([late])).toMatchObject({ commits: ['wrong-head'] });
    });

    it('is refused under another token or another epoch, and only in that shard', async () => {
      const [other] = (await new RedisShardStore(test.redis).acquire(node, [2])).fences as [Fence];
      const mine = await start('fence');
      const theirs = sampleExecution(2, mine.snapshot);
      const changes = new Changes();
      changes.state = true;
      const rest = { changes: createdChanges(theirs), head: '', nextHead: 't1' };
      const { commits: results } = await store.commit([
        sampleCommit({ ...fence, token: 'x' }, mine, { changes, head: 'h1', nextHead: 'h2' }),
        sampleCommit(other, theirs, rest),
      ]);
      expect(results).toEqual(['stale-owner', 'committed']);
      const newer = sampleCommit({ ...fence, epoch: fence.epoch + 1 }, mine, {
        changes,
        head: 'h1',
        nextHead: 'h2',
      });
      expect(await store.commit([newer])).toMatchObject({ commits: ['stale-owner'] });
    });

    it('removes tasks and outbox', async () => {
      const execution = await start('removal');
      execution.tasks = [];
      const changes = new Changes();
      changes.removedTasks.add(1);
      const commit = sampleCommit(fence, execution, { changes, head: 'h1', nextHead: 'h2' });
      await store.commit([commit]);
      expect((await freshStore().load(1, execution.id))?.execution.tasks).toEqual([]);
    });

    it('forgets a payload that became empty', async () => {
      const execution = await start('emptied');
      const task = execution.tasks[0] as Execution['tasks'][0];
      task.input = Payload.empty;
      const changes = new Changes();
      changes.touch(task, taskPart.record | taskPart.input);
      await store.commit([sampleCommit(fence, execution, { changes, head: 'h1', nextHead: 'h2' })]);
      const loaded = await freshStore().load(1, execution.id);
      expect(loaded?.execution.tasks[0]?.input.text).toBe('{}');
    });
  });

  describe('a batch', () => {
    it('of many large commits is applied whole, with one answer each in order', async () => {
      const payload = Payload.of({ text: 'x'.repeat(60_000) });
      const executions = Array.from({ length: 20 }, (_, i) => {
        const execution = sampleExecution(1, sampleSnapshot(`batch${i % 2}`, ['a']));
        execution.input = payload;
        return execution;
      });
      const batch = executions.map((execution, i) =>
        sampleCommit(i === 7 ? { ...fence, token: 'stale' } : fence, execution, {
          changes: createdChanges(execution),
          head: i === 3 ? 'wrong' : '',
          nextHead: 'h1',
        }),
      );
      const { commits: results } = await store.commit(batch);
      const expected = batch.map(() => 'committed');
      expected[3] = 'wrong-head';
      expected[7] = 'stale-owner';
      expect(results).toEqual(expected);
      const last = executions.at(-1) as Execution;
      expect((await freshStore().load(1, last.id))?.execution.input.text).toBe(payload.text);
    });
  });

  describe('wake-ups and outbox', () => {
    it('stand in the shard from their commit on until a commit takes them back', async () => {
      const execution = await start('wake');
      const changes = new Changes();
      changes.state = true;
      const at = 1_700_000_000_000;
      const set = { changes, head: 'h1', nextHead: 'h2', wakeAt: at, dirty: true };
      await store.commit([sampleCommit(fence, execution, set)]);
      expect(await store.firstOpenAt(1)).toBe(at);
      expect(await store.dueWakeUps(1, at - 1, 10)).toEqual([]);
      expect(await store.dueWakeUps(1, at, 10)).toEqual([{ id: execution.id, at }]);
      expect(await store.dueWakeUps(1 + partitions, at, 10)).toEqual([]);
      expect(await store.dirty(1)).toEqual([execution.id]);
      expect(await store.dirty(1 + partitions)).toEqual([]);
      const loaded = await store.load(1, execution.id);
      expect(loaded).toMatchObject({ wakeAt: at, dirty: true, compact: false });
      const cleared = { changes, head: 'h2', nextHead: 'h3', wakeAt: 0 };
      await store.commit([sampleCommit(fence, execution, cleared)]);
      expect(await store.firstOpenAt(1)).toBe(Infinity);
      expect(await store.dueWakeUps(1, at, 10)).toEqual([]);
      expect(await store.firstOpenAt(1 + partitions)).toBeUndefined();
      await store.clearDirty({ ...fence, token: 'stale' }, [execution.id]);
      expect(await store.dirty(1)).toEqual([execution.id]);
      await store.clearDirty(fence, [execution.id]);
      expect(await store.dirty(1)).toEqual([]);
    });

    it('keep a mark that is set while an earlier one is being cleared, in a restarted store too', async () => {
      const execution = sampleExecution(1, sampleSnapshot('marked', ['a']));
      const first = { changes: createdChanges(execution), head: '', nextHead: 'h1', dirty: true };
      // What a restart leaves behind, but for the one script that is used at once.
      await test.redis.commits.call('SCRIPT', 'FLUSH');
      await store.commit([sampleCommit(fence, execution, first)]);
      const clearing = store.clearDirty(fence, [execution.id]);
      const changes = new Changes();
      changes.state = true;
      const second = { changes, head: 'h1', nextHead: 'h2', dirty: true };
      await Promise.all([clearing, store.commit([sampleCommit(fence, execution, second)])]);
      expect(await store.dirty(1)).toEqual([execution.id]);
    });
  });

  describe('the indexes', () => {
    it('follow start, end and correlation', async () => {
      const execution = sampleExecution(1, sampleSnapshot('indexed', ['a']));
      execution.attributes.correlationId = 'order 1';
      const changes = createdChanges(execution);
      await store.commit([sampleCommit(fence, execution, { changes, head: '', nextHead: 'h1' })]);
      const at = execution.state.createTime;
      expect(await store.running('indexed')).toEqual([execution.id]);
      expect(await store.correlated('indexed', 'order 1')).toEqual([execution.id]);
      expect(await store.startedBetween('indexed', at, at)).toEqual([execution.id]);
      expect(await store.startedBetween('indexed', at + 1, at + 9)).toEqual([]);
      execution.state.status = 'COMPLETED';
      const ended = new Changes();
      ended.state = true;
      await store.commit([
        sampleCommit(fence, execution, { changes: ended, head: 'h1', nextHead: 'h2' }),
      ]);
      expect(await store.running('indexed')).toEqual([]);
      expect(await store.correlated('indexed', 'order 1')).toEqual([execution.id]);
    });
  });

  describe('a finished execution', () => {
    const compactUntilAt = Date.now() + 60_000;

    /** When the store says that it goes, epoch ms. */
    async function expiresAt({ id }: Execution): Promise<number | undefined> {
      const key = test.redis.keys.due(1 % partitions);
      const score = (await test.redis.reads.call('ZSCORE', key, shortIdOf(id))) as string;
      return readDue(Number(score)).state === 'finished' ? momentOf(Number(score)) : undefined;
    }

    async function finish(name: string): Promise<Execution> {
      const execution = await start(name);
      execution.state.status = 'COMPLETED';
      execution.state.endTime = 5;
      const task = execution.tasks[0] as Execution['tasks'][0];
      task.status = 'COMPLETED';
      task.output = Payload.of({ result: 'x' });
      const changes = new Changes();
      changes.state = true;
      changes.touch(task, taskPart.record | taskPart.output);
      const rest = { changes, head: 'h1', nextHead: 'h2', wakeAt: 0, compactUntilAt };
      expect(await store.commit([sampleCommit(fence, execution, rest)])).toMatchObject({
        commits: ['committed'],
      });
      return execution;
    }

    it('is one compact record that expires and reads the same', async () => {
      const execution = await finish('compact');
      const key = test.redis.keys.execution(1, execution.id);
      expect(await test.redis.reads.call('TYPE', key)).toBe('string');
      expect(await expiresAt(execution)).toBe(compactUntilAt);
      const loaded = await freshStore().load(1, execution.id);
      expect(loaded?.compact).toBe(true);
      expect(plain(loaded?.execution)).toEqual(plain(execution));
    });

    it.each(['in memory', 'after a load'])('moves again as a whole %s', async (where) => {
      let execution = await finish('reopened');
      if (where === 'after a load') {
        execution = (await store.load(1, execution.id))?.execution as Execution;
      }
      execution.state.status = 'RUNNING';
      const changes = new Changes();
      changes.state = true;
      const rest = { changes, head: 'h2', nextHead: 'h3' };
      expect(await store.commit([sampleCommit(fence, execution, rest)])).toMatchObject({
        commits: ['committed'],
      });
      const loaded = await freshStore().load(1, execution.id);
      expect(loaded?.compact).toBe(false);
      expect(plain(loaded?.execution)).toEqual(plain(execution));
      expect(await store.running('reopened')).toContain(execution.id);
      expect(await expiresAt(execution)).toBeUndefined();
      expect(
        (await store.sweepExpired(fence, Date.now() + 120_000)).removed,
      ).toBeGreaterThanOrEqual(0);
      expect(await store.load(1, execution.id)).toBeDefined();
    });

    it('leaves nothing behind when it expires', async () => {
      const execution = await finish('expiring');
      while ((await store.sweepExpired(fence, Date.now() + 120_000)).removed > 0);
      expect(await store.load(1, execution.id)).toBeUndefined();
      expect(await store.startedBetween('expiring', 0, Number.MAX_SAFE_INTEGER)).toEqual([]);
      expect(await memoryOf(`*${execution.snapshot.hash}*`)).toEqual([]);
    });

    it('is chained like any other', async () => {
      const execution = await finish('chained');
      const changes = new Changes();
      changes.state = true;
      const late = { changes, head: 'h1', nextHead: 'h2', wakeAt: 0, compactUntilAt };
      expect(await store.commit([sampleCommit(fence, execution, late)])).toMatchObject({
        commits: ['already-applied'],
      });
      const other = { changes, head: 'h0', nextHead: 'h9' };
      const loaded = (await freshStore().load(1, execution.id))?.execution as Execution;
      expect(await store.commit([sampleCommit(fence, loaded, other)])).toMatchObject({
        commits: ['wrong-head'],
      });
    });

    it('stores equal payloads once, and gives all of them back', async () => {
      const text = 'y'.repeat(5000);
      const execution = await start('equal');
      execution.input = Payload.of({ text });
      execution.state.status = 'COMPLETED';
      for (const task of execution.tasks) {
        task.input = task.output = Payload.ofText(JSON.stringify({ text }));
      }
      const changes = new Changes();
      changes.state = changes.input = true;
      const rest = { changes, head: 'h1', nextHead: 'h2', compactUntilAt };
      await store.commit([sampleCommit(fence, execution, rest)]);
      const key = test.redis.keys.execution(1, execution.id);
      expect(await test.redis.reads.call('STRLEN', key)).toBeLessThan(6000);
      const loaded = await freshStore().load(1, execution.id);
      expect(plain(loaded?.execution)).toEqual(plain(execution));
    });

    it('stays until its moment', async () => {
      const execution = await finish('early');
      const early = await store.sweepExpired(fence, compactUntilAt - 1);
      expect(early).toEqual({ removed: 0, nextAt: compactUntilAt });
      expect((await store.load(1, execution.id))?.execution.state.status).toBe('COMPLETED');
    });

    it('of which only the entry is left goes as well', async () => {
      const execution = await finish('lost');
      await test.redis.reads.call('UNLINK', test.redis.keys.execution(1, execution.id));
      while ((await store.sweepExpired(fence, compactUntilAt)).removed > 0);
      expect((await store.sweepExpired(fence, compactUntilAt)).nextAt).toBe(Infinity);
      const key = test.redis.keys.due(1 % partitions);
      expect(await test.redis.reads.call('ZSCORE', key, shortIdOf(execution.id))).toBeNull();
    });

    it('of another shard of its partition stays', async () => {
      const execution = await finish('elsewhere');
      const neighbour = 1 + partitions;
      const [other] = (await new RedisShardStore(test.redis).acquire(node, [neighbour])).fences as [
        Fence,
      ];
      expect((await store.sweepExpired(other, Date.now() + 120_000)).removed).toBe(0);
      expect(await store.load(1, execution.id)).toBeDefined();
    });

    it('keeps its hash when one record would be too large', async () => {
      const small = new RedisExecutionStore(test.redis, shards, {
        ...commitLimits,
        compactBytesMax: 100,
      });
      const execution = await start('large');
      execution.state.status = 'COMPLETED';
      const changes = new Changes();
      changes.state = true;
      const rest = { changes, head: 'h1', nextHead: 'h2', compactUntilAt };
      await small.commit([sampleCommit(fence, execution, rest)]);
      expect(await expiresAt(execution)).toBe(compactUntilAt);
      const loaded = await freshStore().load(1, execution.id);
      expect(loaded?.compact).toBe(false);
      expect(plain(loaded?.execution)).toEqual(plain(execution));
    });
  });

  describe('removal', () => {
    it('takes back the record, its entries and its snapshot, and may be repeated', async () => {
      const execution = await start('removed');
      const rest = { changes: new Changes(), head: 'h1', nextHead: 'h2', remove: true };
      const commit = sampleCommit(fence, execution, rest);
      expect(await store.commit([commit])).toMatchObject({ commits: ['committed'] });
      expect(await store.commit([commit])).toMatchObject({ commits: ['already-applied'] });
      expect(await store.load(1, execution.id)).toBeUndefined();
      expect(await store.running('removed')).toEqual([]);
      expect(await memoryOf(`*${execution.snapshot.hash}*`)).toEqual([]);
    });
  });

  describe('a definition snapshot', () => {
    it('is written again when its last execution went and another one names it', async () => {
      const first = await start('snapshots');
      const rest = { changes: new Changes(), head: 'h1', nextHead: 'h2', remove: true };
      await store.commit([sampleCommit(fence, first, rest)]);
      const second = await start('snapshots');
      const loaded = await freshStore().load(1, second.id);
      expect(loaded?.execution.snapshot.def).toEqual(second.snapshot.def);
    });

    it('is written again beside one that the partition gets for the first time', async () => {
      const first = await start('forgotten');
      const rest = { changes: new Changes(), head: 'h1', nextHead: 'h2', remove: true };
      await store.commit([sampleCommit(fence, first, rest)]);
      const batch = ['forgotten', 'new'].map((name) => {
        const execution = sampleExecution(1, sampleSnapshot(name, ['a', 'b']));
        const changes = createdChanges(execution);
        return sampleCommit(fence, execution, { changes, head: '', nextHead: 'h1' });
      });
      expect(await store.commit(batch)).toMatchObject({ commits: ['committed', 'committed'] });
      for (const { execution } of batch) {
        const loaded = await freshStore().load(1, execution.id);
        expect(loaded?.execution.snapshot.def).toEqual(execution.snapshot.def);
      }
    });

    it('stays while one of two executions names it', async () => {
      const first = await start('shared');
      const second = await start('shared');
      const rest = { changes: new Changes(), head: 'h1', nextHead: 'h2', remove: true };
      await store.commit([sampleCommit(fence, first, rest)]);
      expect(await freshStore().load(1, second.id)).toBeDefined();
    });

    it('may be replaced: all task records follow the new one', async () => {
      const execution = await start('replaced', ['a', 'b']);
      const task = sampleTask(2, execution.snapshot.def.tasks[1] as never);
      execution.tasks.push(task);
      const added = new Changes();
      added.touch(task, taskPart.record | taskPart.input);
      await store.commit([
        sampleCommit(fence, execution, { changes: added, head: 'h1', nextHead: 'h2' }),
      ]);
      const old = execution.snapshot;
      execution.snapshot = sampleSnapshot('replaced', ['z']);
      const changes = new Changes();
      changes.snapshot = true;
      await store.commit([sampleCommit(fence, execution, { changes, head: 'h2', nextHead: 'h3' })]);
      const loaded = await freshStore().load(1, execution.id);
      expect(plain(loaded?.execution)).toEqual(plain(execution));
      expect(await memoryOf(`*snap:${old.hash}`)).toEqual([]);
    });
  });

  describe('an idempotency record', () => {
    it('is written with the first commit and names execution and counter', async () => {
      const execution = sampleExecution(1, sampleSnapshot('idem', ['a']));
      execution.attributes.idempotencyKey = 'k/1';
      const idempotency = { name: 'idem', key: 'k/1', counter: 2 };
      const changes = createdChanges(execution);
      const rest = { changes, head: '', nextHead: 'h1', idempotency };
      await store.commit([sampleCommit(fence, execution, rest)]);
      expect(await store.idempotency(1, 'idem', 'k/1')).toEqual({
        executionId: execution.id,
        counter: 2,
      });
      expect(await store.idempotency(1, 'idem', 'k')).toBeUndefined();
    });
  });
});
