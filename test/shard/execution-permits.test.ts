// Places that nobody gives back: a room and its executions lie in different slots, so a failover of
// one primary may lose what the other one has kept (invariants I8).
import { bySystem } from '../../src/shard/executions.js';
import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import type { ExecutionPermits } from '../../src/shard/execution-permits.js';
import { RedisPermitStore } from '../../src/redis/permit-store.js';
import { executionIdOf, type ExecutionId } from '../../src/std/ids.js';
import { chainOf, type ShardNode } from './shard-node.js';
import { useShardNodes } from './shard-nodes.js';

const definition = { ...chainOf('narrow', 'a'), rateLimitConfig: { concurrentExecLimit: 1 } };
const queue = { taskType: 'a' };

const nodes = useShardNodes();
let node: ShardNode;

beforeEach(async () => {
  node = await nodes.start();
});

function permits(): ExecutionPermits {
  return node.shards.services.at(-1) as ExecutionPermits;
}

async function roomOf(id: ExecutionId): Promise<{ room: string; isHeld: boolean } | undefined> {
  return await node.shards.read(id, (open) => open.execution.state.room);
}

/** An execution has a place, and the next one waits. */
async function crowd(): Promise<{ first: ExecutionId; next: ExecutionId; room: string }> {
  const first = await node.startExecution(definition);
  await node.until('a task', async () => (await node.queues.size(queue)) === 1);
  const next = await node.startExecution(definition);
  await node.until('the answer', async () => {
    const outbox = await node.shards.read(next, (open) => open.execution.outbox.size);
    return outbox === 0;
  });
  expect(await roomOf(next)).toMatchObject({ isHeld: true });
  return { first, next, room: (await roomOf(first))?.room ?? '' };
}

it('leaves places to executions that run', async () => {
  const { next } = await crowd();
  await permits().runOnce();
  expect(await roomOf(next)).toMatchObject({ isHeld: true });
});

it('frees the place of an execution that is not there', async () => {
  const { first, next, room } = await crowd();
  const store = new RedisPermitStore(node.redis);
  const lost = executionIdOf(0, randomBytes(12));
  await store.take({ room, id: lost, number: 1, startedAt: 0, places: 1, isForced: true });
  await store.leave({ room, id: first, number: Number.MAX_SAFE_INTEGER });
  await permits().runOnce();
  expect(await roomOf(next)).toMatchObject({ isHeld: false });
});

it('frees the place of an execution that has left', async () => {
  const { first, next, room } = await crowd();
  const terminate = { kind: 'terminate', triggerFailureWorkflow: false, byParent: false } as const;
  await node.shards.command(first, terminate, { ...bySystem, awaitDelivery: true });
  await node.until('the place', async () => (await roomOf(next))?.isHeld === false);
  const third = await node.startExecution(definition);
  await node.until('the answer', async () => (await roomOf(third))?.isHeld === true);
  // What a failover leaves of the room: the place, without its end.
  const store = new RedisPermitStore(node.redis);
  await node.redis.commits.call('DEL', node.redis.keys.room(room, `left:${first}`));
  await store.take({ room, id: first, number: 1, startedAt: 0, places: 1, isForced: true });
  await store.leave({ room, id: next, number: Number.MAX_SAFE_INTEGER });
  expect(await roomOf(third)).toMatchObject({ isHeld: true });
  await permits().runOnce();
  expect(await roomOf(third)).toMatchObject({ isHeld: false });
});
