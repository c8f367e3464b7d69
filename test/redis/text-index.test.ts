// Searches with the text index answer what searches without it answer, at once after each change:
// executions and human tasks, on one Redis and on a cluster.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { everythingAllowed } from '../../src/access/access-rules.js';
import { Changes } from '../../src/engine/decision.js';
import { localAdministrator } from '../../src/model/caller.js';
import type { Execution } from '../../src/model/execution.js';
import type { HumanTaskEntry } from '../../src/model/human/human-entry.js';
import { parseHumanSearch } from '../../src/model/human/human-search.js';
import { Payload } from '../../src/model/payload.js';
import type { WorkflowSummary } from '../../src/model/summaries.js';
import { defaultOperationLimits } from '../../src/operation/context.js';
import { createHumanTaskTexts } from '../../src/areas/human/human-texts.js';
import { countWorkflows } from '../../src/operation/search/facets.js';
import { searchHumanTasks } from '../../src/areas/human/search-human-tasks.js';
import {
  createExecutionTexts,
  type ExecutionTexts,
} from '../../src/operation/search/execution-texts.js';
import type { WorkflowSearch } from '../../src/operation/search/find-workflows.js';
import { defaultSearchLimits, type SearchContext } from '../../src/operation/search/request.js';
import {
  searchWorkflows,
  searchWorkflowsInShort,
  type SearchAnswer,
} from '../../src/operation/search/search-workflows.js';
import { RedisClient } from '../../src/redis/client.js';
import { RedisExecutionStore } from '../../src/redis/execution-store.js';
import { RedisHumanTaskStore } from '../../src/redis/human-task-store.js';
import { minuteMs } from '../../src/redis/change-lists.js';
import { executionFeed, humanTaskFeed } from '../../src/redis/search-feed.js';
import { RedisShardStore } from '../../src/redis/shard-store.js';
import type { ChangeFeed } from '../../src/store/change-feed.js';
import type { Commit, Fence } from '../../src/store/execution-store.js';
import { VirtualClock } from '../support/virtual-clock.js';
import {
  createdChanges,
  sampleCommit,
  sampleExecution,
  sampleSnapshot,
  startStore,
  storeKinds,
  type TestStore,
} from '../../testkit/samples.js';

const shards = 4;
const node = { nodeId: 'n1', bootId: 'b1', address: '127.0.0.1:1', peerAddress: '' };
const startedAt = 1_700_000_000_000;
const mebibyte = 1024 * 1024;

describe.each(storeKinds)('on %s', (kind) => {
  let test: TestStore;
  let store: RedisExecutionStore;
  let fences: Fence[];
  let texts: ExecutionTexts;
  const clock = new VirtualClock();
  const failures: unknown[] = [];
  const executions: Execution[] = [];
  const heads = new Map<Execution, number>();

  beforeAll(async () => {
    test = await startStore(kind, { partitions: 2 });
    store = new RedisExecutionStore(test.redis, shards);
    ({ fences } = await new RedisShardStore(test.redis).acquire(node, [0, 1, 2, 3]));
    texts = newTexts(64 * mebibyte);
    const snapshots = [sampleSnapshot('Even', ['a']), sampleSnapshot('odd', ['a'])];
    for (let n = 0; n < 120; n++) {
      const execution = sampleExecution(n % shards, snapshots[n % 2] as never);
      execution.state.createTime = startedAt + (n >> 1);
      execution.attributes.correlationId = `Order ${n % 7}`;
      const note = n % 40 === 0 ? 'x'.repeat(40_000) : 'short';
      execution.input = Payload.of({ n, city: `Zürich-${n % 5}`, note });
      executions.push(execution);
      await commit(execution, { changes: createdChanges(execution) });
      if (n % 3 === 0) await end(execution, `paid ${n}`);
    }
  });
  afterAll(async () => {
    await texts.stop();
    await test.stop();
    expect(failures).toEqual([]);
  });

  function newTexts(bytesMax: number): ExecutionTexts {
    const feed = executionFeed(test.redis, shards);
    const failed = (error: unknown): unknown => failures.push(error);
    return createExecutionTexts(store.search, { feed, clock, bytesMax, failed });
  }

  async function commit(
    execution: Execution,
    rest: Partial<Commit>,
    by: RedisExecutionStore = store,
  ): Promise<void> {
    const before = heads.get(execution) ?? 0;
    heads.set(execution, before + 1);
    const shard = Number.parseInt(execution.id.slice(0, 4), 16);
    const fence = fences.find((each) => each.shard === shard) as Fence;
    const chain = { head: before === 0 ? '' : `h${before}`, nextHead: `h${before + 1}` };
    const changes = new Changes();
    changes.state = changes.output = true;
    const { commits } = await by.commit([
      sampleCommit(fence, execution, { changes, ...chain, ...rest }),
    ]);
    expect(commits).toEqual(['committed']);
  }

  async function end(execution: Execution, done: string): Promise<void> {
    execution.state.status = 'COMPLETED';
    execution.output = Payload.of({ done });
    await commit(execution, { compactUntilAt: Date.now() + 60_000 });
  }

  function searchedWith(index: ExecutionTexts | undefined): SearchContext {
    const context = {
      executions: undefined as never,
      ...{ clock, access: everythingAllowed, limits: defaultOperationLimits },
    };
    const limits = { ...defaultSearchLimits, textIndexMin: 0 };
    return { context, store: store.search, limits, texts: index };
  }

  const anything: WorkflowSearch = {
    ...{ caller: localAdministrator, start: 0, size: 500, sort: undefined },
    ...{ freeText: undefined, query: undefined, classifiers: [], topLevelOnly: false },
  };

  const search = (over: Partial<WorkflowSearch>, index?: ExecutionTexts): Promise<SearchAnswer> =>
    searchWorkflows(searchedWith(index), { ...anything, ...over });

  const queries: Partial<WorkflowSearch>[] = [
    { freeText: 'paid' },
    { freeText: 'ZÜRICH-3' },
    { freeText: 'xxxx' },
    { freeText: 'Completed' },
    { freeText: 'even', size: 7, start: 5 },
    { freeText: 'zürich-1 paid' },
    { freeText: 'zürich-1 AND paid' },
    { freeText: '+zürich-1 -paid' },
    { freeText: 'NOT paid' },
    { freeText: 'zür*h-?"' },
    { freeText: '*' },
    { freeText: '"order 3"' },
    { freeText: 'paid', query: 'status = COMPLETED AND workflowType = odd' },
    { freeText: 'short', query: `startTime > ${startedAt + 20} AND startTime < ${startedAt + 40}` },
    { freeText: 'short', query: "correlationId = 'Order 2'" },
    { freeText: 'short', query: "correlationId = 'Order*' AND priority = 0" },
    { freeText: 'short', sort: 'startTime:ASC', size: 10, start: 3 },
    { freeText: 'short', sort: 'workflowType:ASC' },
    { freeText: 'nowhere' },
    { freeText: 'status:RUNNING AND short' },
  ];

  it.each(queries)('%j finds the same with the index and without', async (query) => {
    const plain = await search(query);
    expect(await search(query, texts)).toEqual(plain);
  });

  const byCursor: Partial<WorkflowSearch>[] = [
    {},
    { sort: 'startTime:ASC' },
    { query: 'status = COMPLETED AND workflowType IN (Even, odd)' },
    { query: `startTime <= ${startedAt + 30}`, sort: 'startTime:DESC' },
    { query: "correlationId = 'Order*'" },
    { sort: 'correlationId:DESC|status' },
    { sort: 'endTime:ASC' },
    { freeText: 'short' },
    { freeText: 'short', sort: 'startTime:ASC' },
    { freeText: 'short', sort: 'workflowType:ASC' },
  ];

  it.each(byCursor)('%j is found page by page as it is found at once', async (query) => {
    for (const index of [undefined, texts]) {
      const all = await search(query, index);
      expect(all.results.length).toBeGreaterThan(30);
      const found: string[] = [];
      const asked = { ...anything, ...query, size: 23, includePayloads: true };
      let pages = 0;
      for (let cursor: string | undefined = ''; cursor !== undefined; pages += 1) {
        const page = await searchWorkflowsInShort(searchedWith(index), { ...asked, cursor });
        expect(page.totalHits).toBe(all.totalHits);
        found.push(...page.results);
        cursor = page.nextCursor;
      }
      expect(found).toEqual(all.results);
      expect(pages).toBe(Math.ceil(all.totalHits / asked.size));
    }
  });

  it.each(queries)('%j is counted by status and workflow as it is found', async (query) => {
    const { results } = await search({ ...query, start: 0, size: 500, sort: undefined });
    const rows = results.map((text) => JSON.parse(text) as WorkflowSummary);
    const numberOf = (value: string): number =>
      rows.filter((row) => row.workflowType === value || row.status === value).length;
    for (const index of [undefined, texts]) {
      const { caller, freeText, query: asked } = { ...anything, ...query };
      const request = { caller, freeText, query: asked, names: ['Even', 'odd'] };
      const facets = await countWorkflows(searchedWith(index), request);
      expect(facets.total).toBe(rows.length);
      for (const [status, count] of Object.entries(facets.status)) {
        expect(count).toBe(numberOf(status));
      }
      const named = facets.workflowType ?? [];
      for (const { name, count } of named) expect(count).toBe(numberOf(name));
      const told = named.reduce((sum, { count }) => sum + count, 0);
      expect(told + (facets.otherTypes ?? 0)).toBe(rows.length);
    }
  });

  it('sees each change at once', async () => {
    const total = async (freeText: string): Promise<number> =>
      (await search({ freeText }, texts)).totalHits;
    const execution = sampleExecution(1, sampleSnapshot('late', ['a']));
    execution.input = Payload.of({ word: 'newcomer' });
    expect(await total('newcomer')).toBe(0);
    await commit(execution, { changes: createdChanges(execution) });
    expect(await total('newcomer')).toBe(1);
    expect(await total('gone-away')).toBe(0);
    await end(execution, 'gone-away');
    expect(await total('gone-away')).toBe(1);
    execution.state.status = 'FAILED';
    execution.state.reasonForIncompletion = 'broken pipe';
    execution.output = Payload.empty;
    await commit(execution, { rewrite: true });
    expect([await total('gone-away'), await total('pipe')]).toEqual([0, 1]);
    await commit(execution, { remove: true });
    expect([await total('newcomer'), await total('pipe')]).toEqual([0, 0]);
  });

  it('is built again when it has not followed for long', async () => {
    const other = newTexts(64 * mebibyte);
    const before = await search({ freeText: 'paid' }, other);
    clock.advance(60 * 60_000);
    expect(await search({ freeText: 'paid' }, other)).toEqual(before);
    await other.stop();
  });

  describe('the feed of changes', () => {
    /** Commits an execution that any text index has to take up. */
    async function change(by: RedisExecutionStore = store): Promise<string> {
      const execution = sampleExecution(2, sampleSnapshot('noted', ['a']));
      await commit(execution, { changes: createdChanges(execution) }, by);
      return execution.id;
    }

    const newFeed = (lifeMs?: number): ChangeFeed<string> =>
      executionFeed(test.redis, shards, lifeMs);

    /** Keys of lists, whatever the minute. */
    async function lists(): Promise<unknown[]> {
      const found = (await test.redis.reads.call('KEYS', '*:changed:*')) as string[];
      return found.map(String);
    }

    async function forget(): Promise<void> {
      const { reads, keys } = test.redis;
      for (const list of await lists()) await reads.call('DEL', String(list));
      for (const p of [0, 1]) await reads.call('HDEL', keys.partitionState(p), 'w');
    }

    it('costs commits nothing before anybody watches', async () => {
      await forget();
      await change();
      expect(await lists()).toEqual([]);
    });

    it('tells what was committed after the mark, before and while executions are read', async () => {
      await forget();
      const feed = newFeed();
      const before = await change();
      await feed.begin();
      const during = await change();
      const first = await feed.next();
      const after = await change();
      expect([first, await feed.next()]).toEqual([new Set([during]), new Set([after])]);
      expect(first?.has(before)).toBe(false);
    });

    it('an index takes up what is committed while it is built', async () => {
      await forget();
      const whileBuilt: string[] = [];
      const feed = executionFeed(test.redis, shards);
      const index = createExecutionTexts(
        {
          // All ids have been listed when it commits.
          async *scan() {
            yield* store.search.scan();
            whileBuilt.push(await change());
          },
          summaries: (ids) => store.search.summaries(ids),
        },
        { feed, clock, bytesMax: 64 * mebibyte, failed: (error) => failures.push(error) },
      );
      const found = await search({ freeText: 'noted' }, index);
      expect(found).toEqual(await search({ freeText: 'noted' }));
      expect(found.results.join()).toContain(whileBuilt[0]);
      await index.stop();
    });

    it('says that it cannot tell after a commit that found the mark lapsed', async () => {
      await forget();
      const feed = newFeed(0);
      await feed.begin();
      await change();
      expect(await lists()).toEqual([]);
      expect(await feed.next()).toBeUndefined();
    });

    it('says so too when another reader has set a new mark since', async () => {
      await forget();
      const [feed, other] = [newFeed(0), newFeed()];
      await feed.begin();
      await change();
      await other.begin();
      await change();
      expect(await feed.next()).toBeUndefined();
      expect((await other.next())?.size).toBe(1);
    });

    it('goes on with a lapsed mark that no commit has found', async () => {
      await forget();
      const feed = newFeed(0);
      await feed.begin();
      expect(await feed.next()).toEqual(new Set());
    });

    it('tells what another node commits, whose store has not seen the mark', async () => {
      await forget();
      const redis = new RedisClient({ url: test.server.url, prefix: 'test', partitions: 2 });
      await redis.connect();
      try {
        const feed = newFeed();
        await feed.begin();
        const id = await change(new RedisExecutionStore(redis, shards));
        expect(await feed.next()).toEqual(new Set([id]));
      } finally {
        redis.disconnect();
      }
    });

    it('cannot tell after a commit that came too late for its list', async () => {
      await forget();
      const feed = newFeed();
      await feed.begin();
      const late = performance.now() - 3 * minuteMs;
      const clockOfCall = vi.spyOn(performance, 'now').mockReturnValue(late);
      try {
        await change();
      } finally {
        clockOfCall.mockRestore();
      }
      expect(await feed.next()).toBeUndefined();
    });

    it('goes on where the clock of a node is wrong', async () => {
      await forget();
      const feed = newFeed();
      await feed.begin();
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 30 * minuteMs });
      try {
        await change();
      } finally {
        vi.useRealTimers();
      }
      expect((await feed.next())?.size).toBe(1);
    });
  });

  it('is given up where it would be too large', async () => {
    const other = newTexts(mebibyte);
    expect(await other.current()).toBeUndefined();
    expect(await search({ freeText: 'paid' }, other)).toEqual(await search({ freeText: 'paid' }));
    await other.stop();
  });
});

describe('human tasks', () => {
  let test: TestStore;
  let store: RedisHumanTaskStore;
  const count = 5200;

  beforeAll(async () => {
    test = await startStore();
    store = new RedisHumanTaskStore(test.redis, { lookedAtMax: 5000 });
    for (let first = 0; first < count; first += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, i) => store.put(entryOf(first + i))));
    }
  });
  afterAll(() => test.stop());

  function entryOf(i: number, over: Partial<HumanTaskEntry> = {}): HumanTaskEntry {
    return {
      taskId: `00000000-0000-8000-8000-${i.toString(16).padStart(12, '0')}`,
      ...{ state: i % 2 === 0 ? 'ASSIGNED' : 'IN_PROGRESS', displayName: 'Check' },
      ...{ definitionName: `def${i % 4}`, workflowId: `w${i}`, workflowName: 'invoice' },
      ...{ taskRefName: 'check', humanTaskDef: {}, input: { amount: i, city: `City${i % 10}` } },
      ...{ output: {}, createdBy: '', updatedBy: '', createdOn: i, updatedOn: i },
      ...over,
    } as HumanTaskEntry;
  }

  it('are found by their words among all of them, with exact totals, as they are now', async () => {
    const texts = createHumanTaskTexts(store, {
      ...{ feed: humanTaskFeed(test.redis), clock: new VirtualClock(), bytesMax: 64 * mebibyte },
      failed: (error) => {
        throw error as Error;
      },
    });
    const find = async (search: object): Promise<{ total: number; ids: string[] }> => {
      const asked = parseHumanSearch(search);
      const { total, entries } = await searchHumanTasks(
        { store, texts },
        localAdministrator,
        asked,
      );
      return { total, ids: entries.map(({ workflowId }) => workflowId) };
    };
    expect(await find({ fullTextQuery: 'city7', size: 2 })).toEqual({
      total: count / 10,
      ids: ['w5197', 'w5187'],
    });
    expect((await find({ fullTextQuery: 'city7 OR city8', start: 1, size: 1 })).ids).toEqual([
      'w5197',
    ]);
    const both = {
      fullTextQuery: 'CITY7 amount',
      definitionNames: ['def1'],
      states: ['IN_PROGRESS'],
    };
    expect((await find(both)).total).toBe(count / 20);
    expect((await find({ ...both, states: ['ASSIGNED'] })).total).toBe(0);
    expect(await find({ fullTextQuery: 'city7', workflowNames: ['invoice'], size: 1 })).toEqual({
      total: count / 10,
      ids: ['w5197'],
    });
    await store.put(entryOf(7, { input: { city: 'elsewhere' }, updatedOn: count }));
    expect((await find({ fullTextQuery: 'elsewhere' })).ids).toEqual(['w7']);
    await store.remove(entryOf(5197).taskId);
    expect((await find({ fullTextQuery: 'city7', size: 1 })).total).toBe(count / 10 - 2);
    await texts.stop();
  });
});
