// Limits how many executions of a workflow run at the same time (contract-admin 9.7, semantics
// 2.12). A limit belongs to a pool of permits: the workflow with one value of its key (`room` in
// stored records and messages). An execution asks for a permit when it starts, with an outbox
// message, and is held: it is RUNNING and has no tasks. It begins with the answer to its message,
// or when the end of another one gives it that permit (`place-given`). With its own end it returns
// the permit, with an outbox message again: a permit is free exactly when the end is durable. A
// restart, retry or rerun by a person is not held back; it counts from then on.
import { createHash } from 'node:crypto';
import type { Json } from '../model/json.js';
import { toJsonText } from '../model/json-text.js';
import { isTerminalWorkflow } from '../model/status.js';
import type { RateLimitConfig } from '../model/workflow-def.js';
import { documentOf } from './execution-document.js';
import { ExpressionRefusal } from './expression/refusal.js';
import type { ExpressionDocument } from './expression/document.js';
import { compileTemplate, evaluateTemplate } from './expression/template.js';
import { addMessage } from './outbox-messages.js';
import type { Transition } from './transition.js';

/** Asks for a permit where the workflow has a limit; the execution is held until it has one. */
export function askForPlace(t: Transition): void {
  ask(t, false);
}

/** Takes a permit, also beyond the limit, for an execution that a person has started again. */
export function forcePlace(t: Transition): void {
  ask(t, true);
}

/**
 * Asks again: the pool may have lost the execution, or given it a permit that it was not told of.
 * Nothing while a message about it is on its way. Without a limit by now it goes on.
 */
export function askAgain(t: Transition): void {
  const { state, outbox } = t.execution;
  const { room } = state;
  if (room === undefined || isTerminalWorkflow(state.status)) return;
  if ([...outbox.values()].some((message) => 'room' in message)) return;
  const limit = limitOf(t);
  if (limit === undefined) return takeUpPlace(t);
  const places = limit.concurrentExecLimit;
  addMessage(t, { kind: 'take-place', room: room.room, places, isForced: !room.isHeld });
}

function limitOf(t: Transition): RateLimitConfig | undefined {
  const { name, rateLimitConfig } = t.execution.snapshot.def;
  const limit = t.context.executionLimit?.(name) ?? rateLimitConfig;
  return limit !== undefined && limit.concurrentExecLimit >= 1 ? limit : undefined;
}

function ask(t: Transition, isForced: boolean): void {
  const { state } = t.execution;
  const limit = limitOf(t);
  if (limit === undefined) return;
  const room = poolIn(t.execution.snapshot.def.name, limit, documentOf(t));
  state.room = { room, isHeld: !isForced };
  t.changes.state = true;
  addMessage(t, { kind: 'take-place', room, places: limit.concurrentExecLimit, isForced });
}

/**
 * Name of the pool that the key of an execution selects. A key that cannot be evaluated counts as
 * none.
 */
export function poolIn(
  workflowName: string,
  limit: RateLimitConfig,
  document: ExpressionDocument,
): string {
  try {
    return poolOf(workflowName, limit, document);
  } catch (error) {
    if (!(error instanceof ExpressionRefusal)) throw error;
    return poolOf(workflowName, { ...limit, rateLimitKey: '' }, document);
  }
}

/** Throws ExpressionRefusal. */
function poolOf(
  workflowName: string,
  { rateLimitKey = '' }: RateLimitConfig,
  document: ExpressionDocument,
): string {
  const key: Json = evaluateTemplate(compileTemplate(rateLimitKey), document);
  const text = typeof key === 'string' ? key : toJsonText(key);
  return createHash('sha256').update(`${workflowName}\n${text}`).digest('base64url');
}

/** The execution has its place: what was held back begins. */
export function takeUpPlace(t: Transition): void {
  const { state, tasks } = t.execution;
  if (state.room?.isHeld !== true) return;
  state.room = { ...state.room, isHeld: false };
  t.changes.state = true;
  if (tasks.every(({ status }) => status === 'SKIPPED')) t.push({ kind: 'begin' });
}

/** Gives the place back, or waits no longer. */
export function leavePool(t: Transition): void {
  const { state } = t.execution;
  if (state.room === undefined) return;
  addMessage(t, { kind: 'leave-place', room: state.room.room });
  delete state.room;
}
