import { expect, it } from 'vitest';
import { ActorCache } from '../../src/shard/actor-cache.js';
import type { ExecutionActor } from '../../src/shard/execution-actor.js';
import { executionIdOf } from '../../src/std/ids.js';

/** What the memory looks at of an actor. */
function actorOf(number: number, isAtRest: boolean): ExecutionActor {
  const bytes = Buffer.alloc(10);
  bytes.writeUInt32BE(number);
  return { id: executionIdOf(0, bytes), shard: 0, isAtRest } as ExecutionActor;
}

it('keeps to its bound although many busy executions were used longest ago', () => {
  const cache = new ActorCache(300_000, { has: () => false });
  for (let number = 0; number < 200; number += 1) cache.add(actorOf(number, false), 1000);
  for (let number = 200; number < 2000; number += 1) cache.add(actorOf(number, true), 1000);
  expect(cache.bytes).toBeLessThanOrEqual(301_000);
  const left = cache.takeOut(new Set([0]));
  expect(left.filter((actor) => !actor.isAtRest)).toHaveLength(200);
});

it('keeps the execution that was just loaded, however large it is', () => {
  const cache = new ActorCache(1000, { has: () => false });
  const small = actorOf(1, true);
  const large = actorOf(2, true);
  cache.add(small, 500);
  cache.add(large, 5000);
  expect(cache.peek(large.id)).toBe(large);
  expect(cache.peek(small.id)).toBeUndefined();
});
