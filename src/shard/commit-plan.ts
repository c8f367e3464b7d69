// Decides what a commit carries besides the changes: the durable wake-up, the mark in the dirty
// set, and whether the execution is finished and becomes one compact record.
import { keptSince, retentionMs, type RetentionRules } from '../model/retention.js';
import { isTerminalWorkflow } from '../model/status.js';
import { nextWakeAt } from '../engine/wake-up.js';
import type { Commit, Fence } from '../store/execution-store.js';
import type { ExecutionActor } from './execution-actor.js';
import { loadOf } from './held-loads.js';
import type { PendingCommit } from './pending-commit.js';

/**
 * Open outbox messages, unqueued tasks, running system tasks or an unsettled transition: work that
 * the next owner of the shard must take up at once (invariants M5).
 */
export function isDirty(actor: ExecutionActor): boolean {
  const { execution } = actor.open;
  return !actor.work.isEmpty || execution.outbox.size > 0 || execution.state.unsettled;
}

/** Terminal, settled and with nobody left to tell. */
export function isFinished(actor: ExecutionActor): boolean {
  return isTerminalWorkflow(actor.open.execution.state.status) && !isDirty(actor);
}

export interface PlanOptions {
  readonly fence: Fence;
  readonly nextHead: string;
  readonly retention: RetentionRules;
  readonly remove: boolean;
}

export function planCommit(
  actor: ExecutionActor,
  pending: PendingCommit,
  options: PlanOptions,
): Commit {
  const { stored } = actor;
  const finished = isFinished(actor);
  const dirty = isDirty(actor);
  return {
    fence: options.fence,
    execution: actor.open.execution,
    changes: pending.changes,
    head: stored.head,
    nextHead: options.nextHead,
    wakeAt: wakeToStore(actor, pending, finished),
    dirty: dirty === stored.isDirty ? undefined : dirty,
    compactUntilAt: finished ? expiresAt(actor, options.retention) : undefined,
    rewrite: stored.isCompact && !finished,
    remove: options.remove,
    idempotency: pending.idempotency,
    load: loadOf(actor),
    moves: pending.moves,
  };
}

function expiresAt(actor: ExecutionActor, retention: RetentionRules): number {
  const { execution } = actor.open;
  const { snapshot, state } = execution;
  return keptSince(execution) + retentionMs(retention, snapshot.def, state.status);
}

/**
 * A stored wake-up earlier than needed is harmless (it fires, nothing is due, it is set anew), a
 * later one is not. So most commits leave it as it is.
 */
function wakeToStore(
  actor: ExecutionActor,
  pending: PendingCommit,
  finished: boolean,
): number | undefined {
  const { wakeAt } = actor.stored;
  if (finished) return wakeAt === 0 ? undefined : 0;
  const wanted = nextWakeAt(actor.open);
  if (pending.isForced) return wanted;
  if (wanted === 0) return undefined;
  return wakeAt === 0 || wanted < wakeAt ? wanted : undefined;
}
