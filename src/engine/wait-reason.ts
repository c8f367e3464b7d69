// One thing that an execution waits for, as `why` tells it, and the parts that such sentences are
// made of. Each task type says what its own records wait for (task-types/contract.ts).
import { taskIdOf } from '../std/ids.js';
import type { Task } from '../model/execution.js';
import type { WaitReason as Answered } from '../model/why-answers.js';
import { deadlineKinds, deadlineOf } from './deadlines.js';
import { notesOf } from './notes.js';
import type { OpenExecution } from './open-execution.js';

export type WaitKind =
  // of the execution
  | 'ended' | 'paused' | 'execution-limit' | 'script' | 'settling' | 'owner'
  // of a worker task
  | 'not-polled' | 'queued' | 'concurrency-limit' | 'rate-limit' | 'delayed' | 'retry-due' | 'leased'
  // of a task of the engine or the server
  | 'server-run' | 'branches' | 'loop' | 'timer' | 'signal' | 'person' | 'message' | 'child' | 'start-order' | 'external'; // prettier-ignore

/** `kind` is one of the engine's own; an absent `untilTime`: never by itself. */
export type WaitReason = Answered & { readonly kind: WaitKind };

/** References named in one sentence; all of them up to `refsMax` stand in the data. */
const refsNamedMax = 5;
export const refsMax = 100;

/** The last moment that a date can show, epoch ms. */
const calendarEndAt = 8_640_000_000_000_000;

export function reason(
  open: OpenExecution,
  task: Task,
  kind: WaitKind,
  rest: Omit<WaitReason, 'kind' | 'taskId' | 'referenceTaskName'>,
): WaitReason {
  return { kind, taskId: idOf(open, task), referenceTaskName: task.ref, ...rest };
}

export function idOf(open: OpenExecution, task: Task): string {
  return taskIdOf(open.execution.id, task.number);
}

export function shown(task: Task): string {
  return `Task ${task.ref}`;
}

/** References in one sentence, the first few by name. */
export function listed(refs: readonly string[]): string {
  if (refs.length === 0) return 'nothing more';
  const named = refs.slice(0, refsNamedMax).join(', ');
  return refs.length > refsNamedMax ? `${named} and ${refs.length - refsNamedMax} more` : named;
}

/** Moment at which the task times out by itself, 0 = never. */
export function timeoutOf(open: OpenExecution, task: Task): number {
  const type = open.types.of(task);
  let at = 0;
  for (const kind of deadlineKinds) {
    if (kind !== 'timer' && kind !== 'run') at = earliest(at, deadlineOf(task, type, kind));
  }
  return at;
}

export function untilTimeout(open: OpenExecution, task: Task): { untilTime?: number } {
  return until(timeoutOf(open, task));
}

export function until(at: number): { untilTime?: number } {
  return at > 0 ? { untilTime: at } : {};
}

export function earliest(a: number, b: number): number {
  return a === 0 || b === 0 ? a + b : Math.min(a, b);
}

/** Moments beyond the calendar, which is as good as never, are shown as its end. */
export function iso(at: number): string {
  return new Date(Math.min(at, calendarEndAt)).toISOString();
}

/** A record that waits for a signal or an update. */
export function signalReason(open: OpenExecution, task: Task): WaitReason {
  return reason(open, task, 'signal', {
    reason: `${shown(task)} (${task.taskType}) waits for a signal or an update.`,
    moves: `POST /api/tasks/${open.execution.id}/COMPLETED/signal`,
    ...untilTimeout(open, task),
    data: {},
  });
}

/** A record of the engine or the server that waits out its start delay or its retry delay. */
export function delayReason(
  open: OpenExecution,
  task: Task,
  delay: { dueAt: number; now: number; moves: string },
): WaitReason {
  const { dueAt, now, moves } = delay;
  const isRetry = task.retriedTaskNumber !== undefined && task.pollCount === 0;
  const what = isRetry
    ? `Attempt ${task.retryCount + 1} of ${shown(task)} is due`
    : task.pollCount > 0
      ? `${shown(task)} asked to be called back`
      : `${shown(task)} is to start`;
  return reason(open, task, isRetry ? 'retry-due' : 'delayed', {
    reason: `${what} at ${iso(dueAt)}.`,
    moves,
    untilTime: dueAt,
    data: { dueInMs: Math.max(0, dueAt - now), retryCount: task.retryCount },
  });
}

/** A record whose order to start a workflow has not been answered. */
export function startOrderReason(open: OpenExecution, task: Task): WaitReason {
  const messageId = notesOf(task)['messageId'];
  const quota = open.heldOrders.get(task.number);
  if (quota !== undefined) {
    return reason(open, task, 'start-order', {
      reason: `${shown(task)} waits for the quota ${quota} to start its workflow.`,
      moves: `its turn, or a higher ${quota}`,
      ...untilTimeout(open, task),
      data: { quota },
    });
  }
  return reason(open, task, 'start-order', {
    reason: `${shown(task)} waits until the workflow that it starts has been created.`,
    moves: 'the answer to its order, which is repeated until it comes',
    ...untilTimeout(open, task),
    data: messageId === undefined ? {} : { messageId },
  });
}
