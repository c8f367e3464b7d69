// A commit that cannot be put into the form of the store (invariants M19): its own execution ends
// with the reason, and no other of its batch notices.
import { bySystem } from '../../src/shard/executions.js';
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
import type { Commit } from '../../src/store/execution-store.js';
import type { ExecutionId } from '../../src/std/ids.js';
import type { WireTask } from '../../testkit/wire.js';
import { chainOf, type ShardNode } from './shard-node.js';
import { useShardNodes } from './shard-nodes.js';

const nodes = useShardNodes();

const overflow = (): never => {
  throw new RangeError('Maximum call stack size exceeded');
};

/** Passes every check of values, and cannot be made a text. */
function unwritable(): JsonMap {
  return { v: Object.defineProperty({}, 'toJSON', { value: overflow }) as JsonMap };
}

/** The step that looks at it fails. */
function unreadable(): JsonMap {
  return Object.defineProperty({}, 'v', { get: overflow, enumerable: true }) as JsonMap;
}

async function begun(node: ShardNode, type: string): Promise<[ExecutionId, WireTask]> {
  const id = await node.startExecution(chainOf(type, type, 'next'));
  const [task] = await node.poll(type).tasks;
  return [id, task as WireTask];
}

describe.each([
  ['cannot be written', unwritable],
  ['cannot be read', unreadable],
])('a reported value that %s', (what, value) => {
  it('ends its own execution with the reason and no other', async () => {
    const node = await nodes.start();
    const type = what.replaceAll(' ', '_');
    const [broken, brokenTask] = await begun(node, type);
    const [other, otherTask] = await begun(node, `${type}_other`);
    const refused = expect(node.complete(brokenTask, value())).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('nested too deeply') as string,
    });
    // In the same batch.
    await node.complete(otherTask);
    await refused;
    expect(await node.stored(other)).toMatchObject({ '': 'RUNNING', next: 'SCHEDULED' });
    await node.until('the end', async () => (await node.stored(broken))?.[''] === 'FAILED');
    const seen = await node.shards.read(broken, ({ execution }) => ({
      reason: execution.state.reasonForIncompletion,
      told: execution.history?.map(({ action }) => action),
    }));
    expect(seen?.reason).toContain('could not be written: one of its values is nested too deeply');
    expect(seen?.told).toEqual(['abandoned']);
    expect(node.counts.filter((count) => count === 'commits_unwritable')).toHaveLength(1);
    expect(node.isServing).toBe(true);
    // A report that is repeated meets an execution that has ended.
    await node.complete(brokenTask, value());
  });
});

/** Nothing of the executions that `isMeant` can be written. */
function withoutWriting(node: ShardNode, isMeant: (commit: Commit) => boolean): void {
  const { store } = node;
  const commit = store.commit.bind(store);
  store.commit = (batch, grants) =>
    commit(
      batch.map((one) => (isMeant(one) ? { ...one, execution: unreadableExecution } : one)),
      grants,
    );
}

const unreadableExecution = new Proxy({} as Commit['execution'], { get: overflow });

it('refuses a start whose first commit cannot be written, for good', async () => {
  const node = await nodes.start();
  withoutWriting(node, ({ execution }) => execution.snapshot.def.name === 'unwritable_start');
  const start = node.startExecution(chainOf('unwritable_start', 'a'));
  const other = node.startExecution(chainOf('writable_start', 'a'));
  await expect(start).rejects.toMatchObject({ kind: 'bad-request' });
  expect(await node.stored(await other)).toMatchObject({ '': 'RUNNING' });
});

it('leaves an execution alone that can neither be written nor ended', async () => {
  const node = await nodes.start();
  const [id, task] = await begun(node, 'hopeless');
  withoutWriting(node, () => true);
  await expect(node.complete(task)).rejects.toMatchObject({ kind: 'conflict' });
  const tries = (): number => node.counts.filter((what) => what === 'commits_unwritable').length;
  await node.until('two tries', () => tries() === 2);
  await expect(node.shards.command(id, { kind: 'pause' }, bySystem)).rejects.toMatchObject({
    kind: 'conflict',
    message: expect.stringContaining('can neither be written nor ended') as string,
  });
  expect(tries()).toBe(2);
});
