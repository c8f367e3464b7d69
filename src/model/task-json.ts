// JSON text of a task as clients see it (contract-core 7.2). On the path of every poll and every
// update, so it is built from texts: payloads go in as they are, and what depends on the
// configuration alone (nine tenths of a small task) is made once per configuration. Measured: 1.7
// us of CPU per task, 3 with its way into a buffer; serialising such an object takes 11.
import { taskIdOf } from '../std/ids.js';
import type { DefinitionSnapshot, Execution, Task } from './execution.js';
import type { Json } from './json.js';
import type { TraceContext } from '../telemetry/trace-context.js';
import { tracedStartOf } from './handed-out-trace.js';
import { toJsonText } from './json-text.js';
import type { Payload } from './payload.js';
import { toTaskDefJson } from './task-def-json.js';
import type { WorkflowTask } from './workflow-def.js';

/** The value that the open-source server shows when the worker has sent nothing. */
const noMetadataText =
  ',"executionMetadata":{"additionalContext":{},"empty":true,"additionalContextMap":{}}';

/** The members that only the worker that is handed a task gets. */
export interface HandedOut {
  /** Values of the names in `runtimeMetadata` of the task's definition. */
  readonly runtimeMetadata: { readonly [name: string]: string } | undefined;
  /** Stands in `executionMetadata`, which the field's workers have for such things. */
  readonly trace: TraceContext | undefined;
}

const quoted = JSON.stringify as (text: string) => string;

/**
 * `input` and `output` are the visible payloads (an execution's JOIN and DO_WHILE derive theirs).
 * `now` in epoch ms is for the time in the queue. `handedOut` only in poll answers.
 */
export function toTaskJson(
  execution: Execution,
  task: Task,
  input: Payload,
  output: Payload,
  now: number,
  handedOut?: HandedOut,
): string {
  const { attributes } = execution;
  const { runtimeMetadata, trace } = handedOut ?? notHandedOut;
  const start = trace === undefined ? '{' : `${tracedStartOf(task.executionMetadata, trace)},`;
  let text =
    `${start}"taskId":"${taskIdOf(execution.id, task.number)}"${namesText(task)},"status":"${task.status}"` +
    `,"workflowInstanceId":"${execution.id}","workflowPriority":${attributes.priority}` +
    `,"retryCount":${task.retryCount},"seq":${task.seq},"pollCount":${task.pollCount}` +
    `,"scheduledTime":${digits(task.scheduledAt)},"startTime":${digits(task.startAt)}` +
    `,"endTime":${digits(task.endAt)},"updateTime":${digits(task.updateAt)}` +
    `,"firstStartTime":${digits(task.firstStartAt)}` +
    `,"responseTimeoutSeconds":${task.responseTimeoutSeconds}` +
    `,"queueWaitTime":${queueWaitTime(task, now)}${
      isPlain(task) ? (plainText ??= rareText(task)) : rareText(task)
    }${trace === undefined ? metadataText(task) : ''}`;
  // A skipped record has no workflow type (contract-core 10.3).
  if (task.status !== 'SKIPPED') text += workflowTypeText(execution.snapshot);
  if (attributes.correlationId !== undefined) {
    text += `,"correlationId":${quoted(attributes.correlationId)}`;
  }
  if (task.retriedTaskNumber !== undefined) {
    text += `,"retriedTaskId":"${taskIdOf(execution.id, task.retriedTaskNumber)}"`;
  }
  if (task.workerId !== undefined) text += `,"workerId":${quoted(task.workerId)}`;
  if (task.domain !== undefined) text += `,"domain":${quoted(task.domain)}`;
  if (task.reason !== undefined) text += `,"reasonForIncompletion":${quoted(task.reason)}`;
  const subWorkflowId = subWorkflowIdOf(task, input, output);
  if (subWorkflowId !== undefined) text += `,"subWorkflowId":${quoted(subWorkflowId)}`;
  if (task.externalOutputPayloadStoragePath !== undefined) {
    text += `,"externalOutputPayloadStoragePath":${quoted(task.externalOutputPayloadStoragePath)}`;
  }
  if (runtimeMetadata !== undefined) {
    text += `,"runtimeMetadata":${toJsonText({ ...runtimeMetadata })}`;
  }
  const shownOutput =
    task.externalOutputPayloadStoragePath === undefined ? outputText(task, output) : '{}';
  return `${text},"inputData":${input.text},"outputData":${shownOutput}${configText(task.config)}`;
}

const notHandedOut: HandedOut = { runtimeMetadata: undefined, trace: undefined };

let plainText: string | undefined;

/**
 * Whether a task is as most are when they are handed out: not run before, without limits, in no
 * loop.
 */
function isPlain(task: Task): boolean {
  return (
    task.startDelaySeconds === 0 &&
    !task.retried &&
    !isShownExecuted(task) &&
    task.callbackAfterSeconds === 0 &&
    task.rateLimitPerFrequency === 0 &&
    task.rateLimitFrequencyInSeconds === 0 &&
    task.iteration === 0 &&
    !task.subworkflowChanged
  );
}

/** The same for all plain tasks, for which it is made once: half of the parts of a text. */
function rareText(task: Task): string {
  return (
    `,"startDelayInSeconds":${task.startDelaySeconds},"retried":${task.retried}` +
    `,"executed":${isShownExecuted(task)},"callbackFromWorker":true` +
    `,"callbackAfterSeconds":${task.callbackAfterSeconds}` +
    `,"rateLimitPerFrequency":${task.rateLimitPerFrequency}` +
    `,"rateLimitFrequencyInSeconds":${task.rateLimitFrequencyInSeconds}` +
    `,"iteration":${task.iteration},"loopOverTask":${task.iteration > 0}` +
    `,"subworkflowChanged":${task.subworkflowChanged}`
  );
}

function metadataText({ executionMetadata: given }: Task): string {
  return given === undefined ? noMetadataText : `,"executionMetadata":${toJsonText(given)}`;
}

/** Type and names. Those of most tasks are their configuration's, and are made once for it. */
function namesText(task: Task): string {
  const { config } = task;
  if (
    task.ref !== config.taskReferenceName ||
    task.taskType !== config.name ||
    task.defName !== config.name
  ) {
    return namesTextOf(task);
  }
  let text = usualNames.get(config);
  if (text === undefined) {
    text = namesTextOf(task);
    usualNames.set(config, text);
  }
  return text;
}

const usualNames = new WeakMap<WorkflowTask, string>();

function namesTextOf(task: Task): string {
  const defName = task.defName === '' ? task.taskType : task.defName;
  return (
    `,"taskType":${quoted(task.taskType)},"taskDefName":${quoted(defName)}` +
    `,"referenceTaskName":${quoted(task.ref)}`
  );
}

const workflowTypes = new WeakMap<DefinitionSnapshot, string>();

function workflowTypeText(snapshot: DefinitionSnapshot): string {
  let text = workflowTypes.get(snapshot);
  if (text === undefined) {
    text = `,"workflowType":${quoted(snapshot.def.name)}`;
    workflowTypes.set(snapshot, text);
  }
  return text;
}

let newestMoment = 0;
let newestDigits = '0';

/**
 * Digits of a moment. A task's moments are often one and the same, and making 13 digits is a good
 * part of the whole text.
 */
function digits(moment: number): string {
  if (moment === 0) return '0';
  if (moment !== newestMoment) {
    newestMoment = moment;
    newestDigits = String(moment);
  }
  return newestDigits;
}

/**
 * A TERMINATE that has ended its execution is not consumed, so that a retry can pass it, but shows
 * as executed (the reference).
 */
function isShownExecuted(task: Task): boolean {
  return task.executed || (task.taskType === 'TERMINATE' && task.status === 'COMPLETED');
}

/** Milliseconds (contract-core 7.2). */
export function queueWaitTime(task: Task, now: number): number {
  if (task.startAt === 0) return 0;
  if (task.updateAt > 0 && task.callbackAfterSeconds > 0) {
    return Math.max(0, now - (task.updateAt + task.callbackAfterSeconds * 1000));
  }
  return task.startAt - task.scheduledAt;
}

/**
 * The output of a child may name a child of its own; a record shows the id of its own child
 * (observed).
 */
function outputText(task: Task, output: Payload): string {
  const { subWorkflowId } = task;
  if (subWorkflowId === undefined || (idIn(output) ?? subWorkflowId) === subWorkflowId) {
    return output.text;
  }
  return toJsonText({ ...output.value, subWorkflowId });
}

/** Falls back to a key of output, then input; texts without that key are not parsed. */
function subWorkflowIdOf(task: Task, input: Payload, output: Payload): string | undefined {
  return task.subWorkflowId ?? idIn(output) ?? idIn(input);
}

function idIn(payload: Payload): string | undefined {
  if (payload.isEmpty || !payload.text.includes('"subWorkflowId"')) return undefined;
  const { value } = payload;
  const id: Json | undefined = Object.hasOwn(value, 'subWorkflowId')
    ? value['subWorkflowId']
    : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

const configTexts = new WeakMap<WorkflowTask, string>();

/** The end of the text: the members that only the configuration determines. */
function configText(config: WorkflowTask): string {
  let text = configTexts.get(config);
  if (text === undefined) {
    const def = config.taskDefinition;
    text = `,"workflowTask":${toJsonText(config)}`;
    if (def?.executionNameSpace !== undefined) {
      text += `,"executionNameSpace":${quoted(def.executionNameSpace)}`;
    }
    if (def?.isolationGroupId !== undefined) {
      text += `,"isolationGroupId":${quoted(def.isolationGroupId)}`;
    }
    // An explicit null when there is none (contract-core 1.3).
    text += `,"taskDefinition":${def === undefined ? 'null' : toTaskDefJson(def)}}`;
    configTexts.set(config, text);
  }
  return text;
}
