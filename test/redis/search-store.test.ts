import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Changes } from '../../src/engine/decision.js';
import { Payload } from '../../src/model/payload.js';
import type { Execution } from '../../src/model/execution.js';
import type { WorkflowStatus } from '../../src/model/status.js';
import { commitLimits } from '../../src/redis/commit-encoder.js';
import { RedisExecutionStore } from '../../src/redis/execution-store.js';
import { RedisShardStore } from '../../src/redis/shard-store.js';
import type { Fence } from '../../src/store/execution-store.js';
import type { IndexRange, PageAsked } from '../../src/store/search-store.js';
import { RedisSearchStore } from '../../src/redis/search-store.js';
import {
  createdChanges,
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
/** Pages read no execution. */
const unused = { findSnapshot: neverAsked, load: neverAsked };
const node = { nodeId: 'n1', bootId: 'b1', address: '127.0.0.1:1', peerAddress: '' };
const startedAt = 1_700_000_000_000;
const everything: IndexRange = {
  names: undefined,
  statuses: undefined,
  fromAt: undefined,
  untilAt: undefined,
};

function neverAsked(): never {
  throw new Error('not to be read');
}

describe.each(storeKinds)('on %s', (kind) => {
  let test: TestStore;
  let store: RedisExecutionStore;
  let fences: Fence[];
  /**
   * 40 executions over all shards, one per millisecond: names `even` and `odd`, every fourth has
   * ended.
   */
  const executions: Execution[] = [];
  const heads = new Map<Execution, number>();

  beforeAll(async () => {
    test = await startStore(kind, { partitions: 2 });
    store = new RedisExecutionStore(test.redis, shards, { ...commitLimits, compactBytesMax: 4000 });
    ({ fences } = await new RedisShardStore(test.redis).acquire(node, [0, 1, 2, 3]));
    const snapshots = [sampleSnapshot('even', ['a']), sampleSnapshot('odd', ['a'])];
    for (let n = 0; n < 40; n++) {
      // Most of them in one shard, so that an even share is not enough for a page.
      const execution = sampleExecution(n < 30 ? 1 : n % 4, snapshots[n % 2] as never);
      execution.state.createTime = startedAt + n;
      execution.input = Payload.of({ n });
      if (n % 10 === 0) execution.attributes.correlationId = 'tens';
      executions.push(execution);
      await commit(execution, createdChanges(execution));
      if (n % 4 === 0) await end(execution, 'COMPLETED');
    }
  });
  afterAll(async () => test.stop());

  async function commit(execution: Execution, changes: Changes, rest: object = {}): Promise<void> {
    const before = heads.get(execution) ?? 0;
    heads.set(execution, before + 1);
    const shard = Number.parseInt(execution.id.slice(0, 4), 16);
    const fence = fences.find((each) => each.shard === shard) as Fence;
    const head = before === 0 ? '' : `h${before}`;
    const nextHead = `h${before + 1}`;
    const { commits } = await store.commit([
      sampleCommit(fence, execution, { changes, head, nextHead, ...rest }),
    ]);
    expect(commits).toEqual(['committed']);
  }

  async function end(execution: Execution, status: WorkflowStatus): Promise<void> {
    execution.state.status = status;
    execution.output = Payload.of({ done: execution.input.value['n'] as number });
    const changes = new Changes();
    changes.state = changes.output = true;
    await commit(execution, changes, { compactUntilAt: Date.now() + 60_000 });
  }

  const idOf = (n: number): unknown => executions[n]?.id;
  const numbers = (entries: { startedAt: number }[]): number[] =>
    entries.map((entry) => entry.startedAt - startedAt);

  const first = (size: number): PageAsked => ({ newestFirst: true, start: 0, size });

  describe('the search indexes', () => {
    it('list by name, status and start time, oldest first', async () => {
      expect(await store.search.list(everything)).toHaveLength(40);
      const ended = await store.search.list({ ...everything, statuses: ['COMPLETED'] });
      expect(numbers(ended)).toEqual([0, 4, 8, 12, 16, 20, 24, 28, 32, 36]);
      expect(ended[1]?.id).toBe(idOf(4));
      const window = {
        names: ['odd', 'elsewhere'],
        statuses: undefined,
        fromAt: startedAt + 3,
        untilAt: startedAt + 7,
      };
      expect(numbers(await store.search.list(window))).toEqual([3, 5, 7]);
      expect(await store.search.count(window)).toBe(3);
      expect(await store.search.count({ ...everything, names: [] })).toBe(0);
      expect(await store.search.count({ ...everything, statuses: [] })).toBe(0);
    });

    it.each([1, 2, 7, 20, 40, 100, Number.MAX_SAFE_INTEGER])(
      'give the first %i of either order',
      async (limit) => {
        const all = Array.from({ length: 40 }, (_, n) => n);
        const newest = await store.search.page(everything, first(limit));
        expect(newest.total).toBe(40);
        expect(numbers(newest.entries)).toEqual([...all].reverse().slice(0, limit));
        const oldest = await store.search.page(everything, {
          ...first(limit),
          newestFirst: false,
        });
        expect(numbers(oldest.entries)).toEqual(all.slice(0, limit));
      },
    );

    it.each([0, 1, 7, 20, 38, 39, 40, 100])('give a page behind %i entries', async (start) => {
      const search = new RedisSearchStore(test.redis, shards, unused, 3);
      const all = Array.from({ length: 40 }, (_, n) => n);
      for (const range of [everything, { ...everything, fromAt: startedAt, statuses: undefined }]) {
        const newest = await search.page(range, { newestFirst: true, start, size: 4 });
        expect(numbers(newest.entries)).toEqual([...all].reverse().slice(start, start + 4));
        const oldest = await search.page(range, { newestFirst: false, start, size: 4 });
        expect(numbers(oldest.entries)).toEqual(all.slice(start, start + 4));
        expect([newest.total, oldest.total]).toEqual([40, 40]);
      }
    });

    it('count without reading for an empty page', async () => {
      const page = await store.search.page({ ...everything, statuses: ['RUNNING'] }, first(0));
      expect(page).toEqual({ entries: [], total: 30 });
    });

    it.runIf(kind === 'one Redis')(
      'are asked for counts and the first page in one packet',
      async () => {
        const { stream } = test.redis.reads.client as Redis;
        // Redis knows the script then.
        await store.search.page(everything, first(1));
        const packets = [vi.spyOn(stream, '_write'), vi.spyOn(stream, '_writev' as never)];
        const sent = (): number => packets.reduce((sum, { mock }) => sum + mock.calls.length, 0);
        try {
          const [newest, oldest] = await Promise.all([
            store.search.page(everything, first(1)),
            store.search.page(everything, { ...first(1), newestFirst: false }),
          ]);
          expect(numbers([...newest.entries, ...oldest.entries])).toEqual([39, 0]);
          expect(sent()).toBe(1);
          await store.search.page(everything, first(1));
          expect(sent()).toBe(2);
        } finally {
          for (const packet of packets) packet.mockRestore();
        }
      },
    );

    it('know correlation ids of all names', async () => {
      expect(numbers(await store.search.correlated('tens'))).toEqual([0, 10, 20, 30]);
      expect(await store.search.correlated('none')).toEqual([]);
      expect(await store.correlated('even', 'tens')).toHaveLength(4);
      expect(await store.correlated('odd', 'tens')).toEqual([]);
    });

    it('give headers and summaries, of running and of finished executions', async () => {
      const ids = [
        executions[1],
        sampleExecution(1, executions[0]?.snapshot as never),
        executions[0],
      ].map((execution) => (execution as Execution).id);
      const headers = await store.search.headers(ids);
      expect(headers.map((header) => header?.snapshot.def.name)).toEqual([
        'odd',
        undefined,
        'even',
      ]);
      expect(headers[2]?.state.status).toBe('COMPLETED');
      expect(headers[2]?.attributes.correlationId).toBe('tens');
      const summaries = await store.search.summaries(ids);
      expect(summaries.map((summary) => summary?.input.value)).toEqual([
        { n: 1 },
        undefined,
        { n: 0 },
      ]);
      expect(summaries[2]?.output.value).toEqual({ done: 0 });
      expect(summaries[0]?.output.isEmpty).toBe(true);
    });

    it('follow every change of status and forget what is removed', async () => {
      const execution = sampleExecution(2, sampleSnapshot('moving', ['a']));
      const statuses = async (): Promise<(string | undefined)[]> => {
        const entries = await store.search.list({ ...everything, names: ['moving'] });
        const headers = await store.search.headers(entries.map(({ id }) => id));
        return headers.map((header) => header?.state.status);
      };
      await commit(execution, createdChanges(execution));
      for (const status of ['PAUSED', 'RUNNING', 'FAILED', 'TERMINATED', 'RUNNING'] as const) {
        execution.state.status = status;
        const changes = new Changes();
        changes.state = true;
        const isEnded = status === 'FAILED' || status === 'TERMINATED';
        await commit(execution, changes, isEnded ? { compactUntilAt: Date.now() + 60_000 } : {});
        expect(await statuses()).toEqual([status]);
        const inStatus = { ...everything, names: ['moving'], statuses: [status] };
        expect(await store.search.count(inStatus)).toBe(1);
      }
      await commit(execution, new Changes(), { remove: true });
      expect(await statuses()).toEqual([]);
      const [newest] = (await store.search.page(everything, first(1))).entries;
      expect(newest?.id).toBe(idOf(39));
    });

    it('reads no more of a finished execution than its summary needs', async () => {
      const large = new RedisExecutionStore(test.redis, shards);
      const ended: Execution[] = [];
      for (const text of ['short', 'x'.repeat(10_000)]) {
        const execution = sampleExecution(3, sampleSnapshot('tasks', ['a']));
        execution.input = Payload.of({ text });
        execution.output = Payload.of({ done: text });
        for (let number = 1; number <= 200; number++) {
          const task = sampleTask(number, sampleConfig('a'));
          task.output = Payload.of({ number, of: 'a task whose output no summary tells' });
          execution.tasks.push(task);
        }
        execution.state.status = 'COMPLETED';
        const fence = fences.find(({ shard }) => shard === 3) as Fence;
        const changes = createdChanges(execution);
        const compactUntilAt = Date.now() + 60_000;
        const { commits } = await large.commit([
          sampleCommit(fence, execution, { changes, head: '', nextHead: 'h1', compactUntilAt }),
        ]);
        expect(commits).toEqual(['committed']);
        ended.push(execution);
      }
      const asked = vi.spyOn(test.redis.reads, 'runAll');
      try {
        const summaries = await large.search.summaries(ended.map(({ id }) => id));
        expect(summaries.map((summary) => summary?.input.text)).toEqual(
          ended.map(({ input }) => input.text),
        );
        expect(summaries.map((summary) => summary?.output.text)).toEqual(
          ended.map(({ output }) => output.text),
        );
        const replies = await Promise.all(asked.mock.results.map(({ value }) => value as unknown));
        const lengths = (replies.flat(2) as Buffer[]).map(({ length }) => length);
        expect(lengths.slice(0, 2)).toEqual([4096, 4096]);
        // Only the second one is read whole.
        expect(lengths).toHaveLength(3);
        expect(lengths[2]).toBeGreaterThan(20_000);
      } finally {
        asked.mockRestore();
      }
    });

    it('read payloads of an execution that was written in segments', async () => {
      const execution = sampleExecution(3, sampleSnapshot('large', ['a']));
      execution.input = Payload.of({ text: 'x'.repeat(300_000) });
      execution.tasks.push(sampleTask(1, sampleConfig('a')));
      await commit(execution, createdChanges(execution));
      const [summary] = await store.search.summaries([execution.id]);
      expect(summary?.input.text).toHaveLength(300_000 + '{"text":""}'.length);
    });
  });
});
