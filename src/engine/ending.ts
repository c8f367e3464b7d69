// How an execution ends: completion (semantics 2.8), failure (2.9), termination by a caller
// (1.5.8). All three set the status, the output and the failed names, put the cancelling of what is
// left on the agenda and leave the messages to parent and failure workflow as outbox messages.
// Whatever else the transition had to do is dropped.
import { taskIdOf } from '../std/ids.js';
import type { Task } from '../model/execution.js';
import type { Json, JsonMap } from '../model/json.js';
import { Payload } from '../model/payload.js';
import {
  isSuccessfulTask,
  isTerminalTask,
  isTerminalWorkflow,
  type WorkflowStatus,
} from '../model/status.js';
import { outputOf } from './derived-payloads.js';
import { addMessage, failureWorkflowIdOf } from './outbox-messages.js';
import { inHashTableOrder } from './failed-names.js';
import { documentOf } from './execution-document.js';
import { ExpressionRefusal } from './expression/refusal.js';
import { compileTemplate, evaluateTemplate } from './expression/template.js';
import { excessOfPayload } from './mapping.js';
import { leavePool } from './permits.js';
import { workflowOutputViolation } from './schema-checks.js';
import { tellWorkflow } from './status-listeners.js';
import type { Transition } from './transition.js';

export interface Failure {
  status: 'FAILED' | 'TIMED_OUT' | 'TERMINATED';
  reason: string | undefined;
  /** The task that is to blame. */
  task?: Task;
  /** Default: the evaluated output (semantics 1.5.8 step 2). */
  output?: Payload;
  /** Default true; never for a caller's or the parent's terminate unless asked for. */
  startFailureWorkflow?: boolean;
  /** Default true; false when the parent asked for it. */
  tellParent?: boolean;
}

/** Wire id of a task of this execution. */
export function taskIdIn(t: Transition, task: Task): string {
  return taskIdOf(t.execution.id, task.number);
}

/** Ends the execution by failure or termination, unless it has ended already. */
export function failExecution(t: Transition, failure: Failure): void {
  const { state } = t.execution;
  if (isTerminalWorkflow(state.status) && failure.status !== 'TERMINATED') return;
  const { task } = failure;
  setStatus(t, failure.status);
  if (task !== undefined) state.failedTaskNumber ??= task.number;
  const output = outputWithin(t, failure.output);
  setOutput(t, typeof output === 'string' ? Payload.empty : output);
  close(t, failure.reason);
  if (failure.tellParent ?? true) reportToParent(t);
  if (failure.startFailureWorkflow ?? true) startFailureWorkflow(t);
  tellWorkflow(t, 'FINALIZED');
  tellWorkflow(t, 'TERMINATED');
}

/**
 * Ends the execution as COMPLETED (semantics 2.8). `output` of a TERMINATE task wins over
 * outputParameters.
 */
export function completeExecution(t: Transition, end: { output?: Payload; reason?: string }): void {
  const output = outputWithin(t, end.output);
  if (typeof output === 'string') {
    failExecution(t, { status: 'FAILED', reason: output, output: Payload.empty });
    return;
  }
  const reason = workflowOutputViolation(t, output);
  if (reason !== undefined) {
    failExecution(t, { status: 'FAILED', reason, output });
    return;
  }
  setStatus(t, 'COMPLETED');
  setOutput(t, output);
  close(t, end.reason);
  reportToParent(t);
  tellWorkflow(t, 'COMPLETED');
  tellWorkflow(t, 'FINALIZED');
}

const outputName = 'The output of the workflow';

/** The final output, or the given one; a text: why it cannot be stored. */
function outputWithin(t: Transition, given: Payload | undefined): Payload | string {
  const { limits } = t.context;
  try {
    const output = given ?? finalOutput(t);
    const excess = excessOfPayload(output, limits.workflowPayloadBytesMax, limits);
    return excess === undefined ? output : `${outputName} is ${excess}`;
  } catch (error) {
    if (error instanceof ExpressionRefusal) return error.sentence(outputName);
    throw error;
  }
}

export function setStatus(t: Transition, status: WorkflowStatus): void {
  const { state } = t.execution;
  t.changes.statusBefore ??= state.status;
  t.changes.state = true;
  state.previousStatus = state.status;
  state.status = status;
}

function close(t: Transition, reason: string | undefined): void {
  const { execution, open } = t;
  const { state } = execution;
  state.endTime = t.now;
  if (reason === undefined) delete state.reasonForIncompletion;
  else state.reasonForIncompletion = reason;
  collectFailedNames(t);
  if (execution.messages.length > 0) {
    execution.messages = [];
    t.changes.messages = true;
  }
  leavePool(t);
  t.dropPending();
  if (open.openTasks.size > 0) t.push({ kind: 'cancel-leftovers' });
}

/**
 * References and names of tasks that failed, earlier attempts included (semantics 1.5.8 step 3,
 * 2.8.4).
 */
function collectFailedNames(t: Transition): void {
  const { state, tasks } = t.execution;
  const refs = new Set(state.failedReferenceTaskNames);
  const names = new Set(state.failedTaskNames);
  const before = refs.size + names.size;
  for (const task of tasks) {
    if (task.status !== 'FAILED' && task.status !== 'FAILED_WITH_TERMINAL_ERROR') continue;
    // An optional failure that came last keeps its status and is not listed (semantics 2.7.2,
    // observed).
    if (task.config.optional && !task.retried) continue;
    refs.add(task.ref);
    names.add(task.defName);
  }
  if (refs.size + names.size === before) return;
  state.failedReferenceTaskNames = inHashTableOrder(refs);
  state.failedTaskNames = inHashTableOrder(names);
}

function setOutput(t: Transition, output: Payload): void {
  t.execution.output = output;
  t.changes.output = true;
}

/**
 * outputParameters over the final state, else the output of the last task in list order (semantics
 * 2.8.2). Throws ExpressionRefusal.
 */
function finalOutput(t: Transition): Payload {
  const { graph } = t.open.nodes;
  if (graph.hasOutputParameters) {
    return Payload.of(evaluateTemplate(graph.output, documentOf(t)) as JsonMap);
  }
  const last = t.execution.tasks.at(-1);
  return last === undefined || last.status === 'SKIPPED' ? Payload.empty : outputOf(t.open, last);
}

/** Leaves the end of this execution for its parent's task (semantics 2.11). */
export function reportToParent(t: Transition): void {
  const { attributes, state } = t.execution;
  const { parentWorkflowId, parentTaskNumber } = attributes;
  if (parentWorkflowId === undefined || parentTaskNumber === undefined) return;
  const { status, reasonForIncompletion, generation } = state;
  addMessage(t, {
    kind: 'report-end',
    parentId: parentWorkflowId,
    taskNumber: parentTaskNumber,
    status,
    ...(reasonForIncompletion === undefined ? {} : { reason: reasonForIncompletion }),
    generation,
  });
}

/** Key of the failed execution's output that names its failure workflow (semantics 2.9). */
export const failureWorkflowKey = 'conductor.failure_workflow';

function startFailureWorkflow(t: Transition): void {
  const { execution } = t;
  const { attributes, state, snapshot } = execution;
  const name = failureWorkflowName(t, snapshot.def.failureWorkflow);
  if (name === undefined) return;
  const depth = (attributes.depth ?? 0) + 1;
  const { childDepthMax } = t.context.limits;
  if (depth > childDepthMax) {
    noteFailureWorkflow(
      t,
      `Failure workflows may not be nested deeper than ${childDepthMax} (childDepthMax)`,
    );
    return;
  }
  const startedId = failureWorkflowIdOf(t);
  const input: JsonMap = {
    ...execution.input.value,
    workflowId: execution.id,
    reason: state.reasonForIncompletion ?? null,
    failureStatus: state.status,
  };
  if (state.failedTaskNumber !== undefined) {
    input['failureTaskId'] = taskIdOf(execution.id, state.failedTaskNumber);
  }
  const version = snapshot.def.failureWorkflowVersion;
  addMessage(t, {
    kind: 'start-workflow',
    startedId,
    request: {
      name,
      ...(version === undefined ? {} : { version }),
      input: Payload.of(input),
      failedWorkflow: true,
      depth,
      ...(attributes.correlationId === undefined
        ? {}
        : { correlationId: attributes.correlationId }),
      priority: 0,
      taskToDomain: attributes.taskToDomain,
      ...(attributes.createdBy === undefined ? {} : { createdBy: attributes.createdBy }),
    },
  });
  noteFailureWorkflow(t, startedId);
}

/**
 * Writes the id of the failure workflow, or why there is none, into the output of the execution.
 */
export function noteFailureWorkflow(t: Transition, text: string): void {
  setOutput(t, Payload.of({ ...t.execution.output.value, [failureWorkflowKey]: text }));
}

/** The name may be an expression, also in the bare form `$workflow.input.name`. */
function failureWorkflowName(t: Transition, given: string | undefined): string | undefined {
  if (given === undefined || given === '') return undefined;
  if (!given.startsWith('$')) return given;
  const text = given.startsWith('${') ? given : `\${${given.slice(1)}}`;
  const name: Json = evaluateTemplate(compileTemplate(text), documentOf(t));
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/**
 * Permissive tasks that failed end the workflow when everything else is done (semantics 2.3 step
 * 9).
 */
export function permissiveFailures(t: Transition): string | undefined {
  const messages: string[] = [];
  for (const task of t.execution.tasks) {
    const { permissive, optional } = task.config;
    if (!permissive || optional || !isTerminalTask(task.status)) continue;
    if (t.open.lastByRef(task.ref) !== task || isSuccessfulTask(task.status)) continue;
    messages.push(
      `Task ${taskIdIn(t, task)} failed with status: ${task.status} and reason: '${task.reason ?? 'null'}'`,
    );
  }
  return messages.length === 0 ? undefined : messages.join('. ');
}
