// A large execution leaves room to others: what one turn decides and one commit carries is bounded,
// whatever the size of the whole, and commits of other executions go out between its own.
import { beforeEach, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
import type { ExecutionId } from '../../src/std/ids.js';
import type { Commit } from '../../src/store/execution-store.js';
import { chainOf, type ShardNode } from './shard-node.js';
import { useShardNodes } from './shard-nodes.js';
import { until } from '../../testkit/until.js';

/** What one commit carried. */
interface Carried {
  readonly id: ExecutionId;
  readonly records: number;
  readonly moves: number;
}

const branches = 1_500;
const itemsPerStepMax = 60;
/** From 200 records or moves on an execution waits; a turn adds 200 and those of a step. */
const perCommitMax = 2 * (200 + itemsPerStepMax);
/** An item of the agenda cancels up to ten tasks. */
const cancelledPerCommitMax = 200 + 10 * itemsPerStepMax;

/**
 * Nothing here waits for time to pass, so the node's clock stands still: if it moved on while Redis
 * has no processor, the node would lose its leases.
 */
const busy = { timeoutMs: 15_000 };

const nodes = useShardNodes();
let node: ShardNode;
/** In the order in which they were confirmed. */
let carried: Carried[];

beforeEach(async () => {
  node = await nodes.start({ itemsPerStepMax });
  carried = [];
});

/** `seen`: told of each commit on its way. */
function watchCommits(seen: (commit: Commit) => void): void {
  const { store } = node;
  const commit = store.commit.bind(store);
  store.commit = async (batch, grants) => {
    const sizes = batch.map(({ execution, changes, moves }) => {
      return { id: execution.id, records: changes.tasks.size, moves: moves.length };
    });
    batch.forEach(seen);
    const result = await commit(batch, grants);
    carried.push(...sizes);
    return result;
  };
}

const fork: JsonMap = {
  name: 'large',
  version: 1,
  tasks: [
    {
      name: 'f',
      taskReferenceName: 'f',
      type: 'FORK_JOIN_DYNAMIC',
      inputParameters: { forkTaskName: 'branch', forkTaskInputs: '${workflow.input.items}' },
    },
    { name: 'j', taskReferenceName: 'j', type: 'JOIN' },
  ],
};
const items = Array.from({ length: branches }, (_, n) => n);

const total = (of: (commit: Carried) => number, id: ExecutionId): number =>
  carried.filter((commit) => commit.id === id).reduce((sum, commit) => sum + of(commit), 0);

it('writes a fork in commits of bounded size, and lets the commits of others through between', async () => {
  let others = 0;
  const starting: Promise<ExecutionId>[] = [];
  watchCommits(({ execution }) => {
    if (execution.snapshot.def.name !== 'large') return;
    // Whenever the fork writes, somebody else starts something small.
    starting.push(node.startExecution(chainOf(`small${(others += 1)}`, 'other')));
  });
  const id = await node.startExecution(fork, { items });
  await until('every branch in ready', () => total(({ moves }) => moves, id) === branches, busy);
  await Promise.all(starting);

  const large = carried.filter((commit) => commit.id === id);
  expect(total(({ records }) => records, id)).toBeGreaterThan(branches);
  for (const { records, moves } of large) {
    expect(records).toBeLessThanOrEqual(perCommitMax);
    expect(moves).toBeLessThanOrEqual(perCommitMax);
  }
  // Between two commits of the fork somebody else's got through.
  const isLarge = carried.map((commit) => commit.id === id);
  const alone = isLarge.filter((is, i) => is && isLarge[i + 1] === true);
  expect(alone).toEqual([]);
  expect(node.failures).toEqual([]);
});

it('hands each branch out once, and ends when all are done', async () => {
  watchCommits(() => undefined);
  const id = await node.startExecution(fork, { items });
  const got: number[] = [];
  while (got.length < branches) {
    const tasks = await node.poll('branch', { count: 100 }).tasks;
    for (const { inputData } of tasks) got.push((inputData as { input: number }).input);
    await Promise.all(tasks.map((task) => node.complete(task)));
  }
  expect(got.sort((a, b) => a - b)).toEqual(items);
  await until('the end', async () => (await node.stored(id))?.['']?.startsWith('COMP'), busy);
  for (const { records } of carried) expect(records).toBeLessThanOrEqual(perCommitMax);
});

it('is terminated in commits of bounded size while its branches are still being matched', async () => {
  watchCommits(() => undefined);
  const id = await node.startExecution(fork, { items });
  await node.terminate(id);
  const ready = node.redis.keys.ready({ taskType: 'branch' });
  const isEmpty = async (): Promise<boolean> => {
    return (await node.redis.reads.call('ZCARD', ready)) === 0;
  };
  await until('no branch left', isEmpty, busy);
  await until('the mark to go', async () => (await node.dirty()).length === 0, busy);
  for (const { records, moves } of carried) {
    expect(records).toBeLessThanOrEqual(cancelledPerCommitMax);
    expect(moves).toBeLessThanOrEqual(cancelledPerCommitMax);
  }
  expect(node.failures).toEqual([]);
});

it('does not wait for the bytes of another execution, whose commit goes alone', async () => {
  const batches: number[] = [];
  const commit = node.store.commit.bind(node.store);
  node.store.commit = (batch, grants) => {
    if (batch.length > 0) batches.push(batch.length);
    return commit(batch, grants);
  };
  const waits = { name: 's', taskReferenceName: 's', type: 'SIMPLE' };
  const small = { name: 'small', version: 1, tasks: [waits] };
  const landed: string[] = [];
  const start = async (what: string, input: JsonMap): Promise<void> => {
    await node.startExecution(small, input);
    landed.push(what);
  };
  const text = 'x'.repeat(2_000_000);
  await Promise.all([
    ...[start('large', { text }), start('large', { text })],
    ...[start('small', {}), start('small', {}), start('small', {})],
  ]);
  expect(landed).toEqual(['small', 'small', 'small', 'large', 'large']);
  expect(batches.slice(0, 2).sort()).toEqual([1, 3]);
});

it('writes so many executions or records at once, and one execution more', async () => {
  const commitsPerBatchMax = 20;
  node = await nodes.start({ commitsPerBatchMax });
  const writes: number[][] = [];
  const commit = node.store.commit.bind(node.store);
  node.store.commit = (batch, grants) => {
    writes.push(batch.map(({ changes }) => changes.tasks.size));
    return commit(batch, grants);
  };
  const perExecution = 6;
  const [forkTask, joinTask] = fork['tasks'] as JsonMap[];
  const short = { name: 'short', version: 1, tasks: [forkTask, joinTask] } as JsonMap;
  const input = { items: items.slice(0, perExecution - 2) };
  await Promise.all(Array.from({ length: 60 }, () => node.startExecution(short, input)));
  await Promise.all(Array.from({ length: 60 }, () => node.startExecution(chainOf('one', 'a'))));
  const records = writes.map((sizes) => sizes.reduce((sum, size) => sum + size, 0));
  expect(Math.max(...records)).toBeLessThan(commitsPerBatchMax + perExecution);
  expect(Math.max(...records)).toBeGreaterThanOrEqual(commitsPerBatchMax);
  expect(Math.max(...writes.map(({ length }) => length))).toBe(commitsPerBatchMax);
});
