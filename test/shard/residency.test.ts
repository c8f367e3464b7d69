import { expect, it } from 'vitest';
import { Residency } from '../../src/shard/residency.js';
import type { ExecutionActor } from '../../src/shard/execution-actor.js';
import { executionIdOf } from '../../src/std/ids.js';

/** What the memory looks at of an actor. */
function actorOf(number: number, atRest: boolean): ExecutionActor {
  const bytes = Buffer.alloc(10);
  bytes.writeUInt32BE(number);
  return { id: executionIdOf(0, bytes), bytes: 1000, atRest } as ExecutionActor;
}

it('keeps to its bound although many busy executions were used longest ago', () => {
  const residency = new Residency(
    300_000,
    async () => undefined,
    () => true,
  );
  for (let number = 0; number < 200; number += 1) residency.add(actorOf(number, false));
  for (let number = 200; number < 2000; number += 1) residency.add(actorOf(number, true));
  expect(residency.bytes).toBeLessThanOrEqual(301_000);
  expect([...residency.all()].filter((actor) => !actor.atRest)).toHaveLength(200);
});
