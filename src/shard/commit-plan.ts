// Decides what a flight's commit carries besides its changes: the durable wake-up, the mark in the
// dirty set, and whether the execution is finished and becomes one compact record.
import { isTerminalWorkflow } from '../model/status.js';
import { nextWakeAt } from '../engine/open-execution.js';
import type { Commit, Fence } from '../store/execution-store.js';
import type { ExecutionActor } from './execution-actor.js';
import type { Flight } from './flight.js';

/**
 * Open outbox messages, unqueued tasks, running system tasks or an unsettled transition: work that
 * whoever takes the shard must look after at once (invariants M5).
 */
export function isDirty(actor: ExecutionActor): boolean {
  const { execution } = actor.open;
  return (
    actor.unqueued.size > 0 ||
    actor.running.size > 0 ||
    execution.outbox.size > 0 ||
    execution.state.unsettled
  );
}

/** Terminal, settled and with nobody left to tell. */
export function isFinished(actor: ExecutionActor): boolean {
  return isTerminalWorkflow(actor.open.execution.state.status) && !isDirty(actor);
}

export function planCommit(
  actor: ExecutionActor,
  flight: Flight,
  options: { fence: Fence; nextHead: string; retentionMs: number; remove: boolean },
): Commit {
  const finished = isFinished(actor);
  const dirty = isDirty(actor);
  return {
    fence: options.fence,
    execution: actor.open.execution,
    changes: flight.changes,
    head: actor.head,
    nextHead: options.nextHead,
    wakeAt: wakeToStore(actor, flight, finished),
    dirty: dirty === actor.dirtyStored ? undefined : dirty,
    compactUntilAt: finished ? actor.open.execution.state.endTime + options.retentionMs : undefined,
    rewrite: actor.compactStored && !finished,
    remove: options.remove,
    idempotency: flight.idempotency,
    moves: [],
  };
}

/**
 * A stored wake-up earlier than needed is harmless (it fires, nothing is due, it is set anew), a
 * later one is not. So most commits leave it as it is.
 */
function wakeToStore(actor: ExecutionActor, flight: Flight, finished: boolean): number | undefined {
  if (finished) return actor.wakeStoredAt === 0 ? undefined : 0;
  const wanted = nextWakeAt(actor.open);
  if (flight.rewake) return wanted;
  if (wanted === 0) return undefined;
  return actor.wakeStoredAt === 0 || wanted < actor.wakeStoredAt ? wanted : undefined;
}
