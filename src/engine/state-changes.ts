// `onStateChange` of a task configuration (semantics 2.14.4): when a task gets to a state that the
// configuration names, its events are published. Each is a message in the commit that changes the
// state, so that none is lost and none tells of a state that was not stored. A configuration
// without such events costs only a test for an empty map. Status listeners are told at the same
// places (status-listeners.ts).
import { taskIdOf } from '../std/ids.js';
import type { Task } from '../model/execution.js';
import { isMap, type Json, type JsonMap } from '../model/json.js';
import type { TaskStatus } from '../model/status.js';
import type { StateChangeEvent, StateHook } from '../model/workflow-def.js';
import { taskEventOf } from '../model/status-event.js';
import type { EngineContext } from './context.js';
import { documentOf } from './execution-document.js';
import { ExpressionRefusal } from './expression/refusal.js';
import { compileTemplate, evaluateTemplate } from './expression/template.js';
import { addMessage } from './outbox-messages.js';
import type { OpenExecution } from './open-execution.js';
import { tellsOfStart, tellTask } from './status-listeners.js';
import type { Transition } from './transition.js';

const hooksOfEnds: { readonly [status in TaskStatus]?: StateHook } = {
  COMPLETED: 'onSuccess',
  FAILED: 'onFailed',
  FAILED_WITH_TERMINAL_ERROR: 'onFailed',
  TIMED_OUT: 'onFailed',
  CANCELED: 'onCancelled',
};

/** A record has been made: it is scheduled, and may have started or ended in the same moment. */
export function publishCreation(t: Transition, task: Task): void {
  if (task.status === 'SKIPPED') return;
  if (hasStateEvents(task)) publishHook(t, task, 'onScheduled');
  if (task.status === 'SCHEDULED') return tellTask(t, task, 'SCHEDULED');
  if (hasStateEvents(task)) publishHook(t, task, 'onStart');
  publishEnd(t, task);
}

/** A record has ended. */
export function publishEnd(t: Transition, task: Task): void {
  const hook = hooksOfEnds[task.status];
  if (hook === undefined) return;
  if (hasStateEvents(task)) publishHook(t, task, hook);
  const event = taskEventOf(task.status);
  if (event !== undefined) tellTask(t, task, event);
}

/** A record is scheduled again, or has started. */
export function publishState(t: Transition, task: Task, hook: 'onScheduled' | 'onStart'): void {
  if (hasStateEvents(task)) publishHook(t, task, hook);
  tellTask(t, task, hook === 'onStart' ? 'IN_PROGRESS' : 'SCHEDULED');
}

/** Whether a hand-out of the task is told to anybody, which takes a step. */
export function publishesStart(context: EngineContext, open: OpenExecution, task: Task): boolean {
  return hasStateEvents(task) || tellsOfStart(context, open, task);
}

function publishHook(t: Transition, task: Task, hook: StateHook): void {
  for (const [names, events] of Object.entries(task.config.onStateChange)) {
    if (!names.split(',').some((name) => name.trim() === hook)) continue;
    for (const event of events) publish(t, task, hook, event);
  }
}

function hasStateEvents(task: Task): boolean {
  for (const _ in task.config.onStateChange) return true;
  return false;
}

function publish(t: Transition, task: Task, hook: StateHook, event: StateChangeEvent): void {
  const { id, snapshot, attributes } = t.execution;
  const taskId = taskIdOf(id, task.number);
  addMessage(t, {
    kind: 'publish-event',
    sink: event.type ?? '',
    taskId,
    at: t.now,
    payload: {
      workflowInstanceId: id,
      workflowType: snapshot.def.name,
      workflowVersion: snapshot.def.version,
      correlationId: attributes.correlationId ?? null,
      taskId,
      referenceTaskName: task.ref,
      taskStatus: task.status,
      stateChange: hook,
      ...payloadOf(t, taskId, event),
    },
  });
}

/** A payload that cannot be evaluated changes no execution; the event names the error instead. */
function payloadOf(t: Transition, taskId: string, { payload = {} }: StateChangeEvent): JsonMap {
  try {
    const value: Json = evaluateTemplate(compileTemplate(payload), documentOf(t, taskId));
    return isMap(value) ? value : {};
  } catch (error) {
    if (!(error instanceof ExpressionRefusal)) throw error;
    return { error: error.sentence('The payload of the event') };
  }
}
