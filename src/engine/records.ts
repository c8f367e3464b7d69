// Making, ending and removing task records. Every change of a status goes through here, so that the
// indices of OpenExecution, the queues and the agenda follow.
import { Payload } from '../model/payload.js';
import { taskIdOf } from '../std/ids.js';
import type { Task } from '../model/execution.js';
import { isTerminalTask, type TaskStatus } from '../model/status.js';
import type { WorkflowTask } from '../model/workflow-def.js';
import { taskPart } from './decision.js';
import { notesOf } from './notes.js';
import { publishCreation, publishEnd } from './state-changes.js';
import type { Transition } from './transition.js';
import { queueOf } from './worker-queue.js';
import type { Json, JsonMap } from '../model/json.js';

const allParts = taskPart.record | taskPart.input | taskPart.output;

/** The parts of a new record that a mapping decides; the rest starts empty. */
export interface NewTask {
  ref: string;
  config: WorkflowTask;
  taskType: string;
  /** Default: the configuration's name. */
  defName?: string;
  status: TaskStatus;
  iteration: number;
  input: Payload;
  output?: Payload;
  reason?: string;
  notes?: Json;
  domain?: string | undefined;
  /** Seconds. */
  startDelaySeconds?: number;
  callbackAfterSeconds?: number;
  responseTimeoutSeconds?: number;
  rateLimitPerFrequency?: number;
  rateLimitFrequencyInSeconds?: number;
  waitUntilAt?: number;
}

/** Number that the next record will get; its id is known before it is made (`${CPEWF_TASK_ID}`). */
function nextTaskNumber(t: Transition): number {
  return t.execution.state.taskCounter + 1;
}

/** Wire id of the record that will be made next. */
export function nextTaskId(t: Transition): string {
  return taskIdOf(t.execution.id, nextTaskNumber(t));
}

/** Makes a record, gives it the next number and seq and takes it into the list (semantics 2.6). */
export function createTask(t: Transition, fields: NewTask): Task {
  const { now } = t;
  const isSystem = !isWorkerOrQueued(fields);
  const task: Task = {
    number: 0,
    ref: fields.ref,
    config: fields.config,
    taskType: fields.taskType,
    defName: fields.defName ?? fields.config.name,
    status: fields.status,
    seq: 0,
    retryCount: 0,
    reopenCount: 0,
    retried: false,
    executed: false,
    iteration: fields.iteration,
    scheduledAt: now,
    firstScheduledAt: now,
    startAt: isSystem ? now : 0,
    firstStartAt: isSystem ? now : 0,
    endAt: isTerminalTask(fields.status) ? now : 0,
    updateAt: isTerminalTask(fields.status) ? now : 0,
    startDelaySeconds: fields.startDelaySeconds ?? 0,
    callbackAfterSeconds: fields.callbackAfterSeconds ?? 0,
    callbackAfterMs: 0,
    responseTimeoutSeconds: fields.responseTimeoutSeconds ?? 0,
    rateLimitPerFrequency: fields.rateLimitPerFrequency ?? 0,
    rateLimitFrequencyInSeconds: fields.rateLimitFrequencyInSeconds ?? 0,
    pollCount: 0,
    subworkflowChanged: false,
    waitUntilAt: fields.waitUntilAt ?? 0,
    input: fields.input,
    output: fields.output ?? Payload.empty,
    workerId: undefined,
    lease: undefined,
    domain: fields.domain,
    reason: fields.reason,
    notes: fields.notes,
    retriedTaskNumber: undefined,
    subWorkflowId: undefined,
    executionMetadata: undefined,
    externalOutputPayloadStoragePath: undefined,
  };
  return appendTask(t, task);
}

/** Records that something outside picks up while they are SCHEDULED have not started yet. */
function isWorkerOrQueued(fields: NewTask): boolean {
  return fields.status === 'SCHEDULED';
}

/** Numbers a record that is not in the list yet and appends it. */
export function appendTask(t: Transition, fields: Omit<Task, 'number'>): Task {
  const { state, tasks } = t.execution;
  const task: Task = fields as Task;
  (task as { number: number }).number = ++state.taskCounter;
  task.seq = ++state.seqCounter;
  tasks.push(task);
  t.open.add(task);
  t.touch(task, allParts);
  publishCreation(t, task);
  return task;
}

/** The end of a task. Absent fields stay as they are. */
export interface Ending {
  status: TaskStatus;
  reason?: string;
  output?: Payload;
}

/**
 * Gives a task a terminal status and puts it on the agenda. Terminal tasks stay as they are
 * (invariants M12).
 */
export function endTask(t: Transition, task: Task, ending: Ending): void {
  if (isTerminalTask(task.status)) return;
  closeTask(t, task, ending);
  t.push({ kind: 'settle', task });
}

/**
 * Gives a task a terminal status without consuming it (cancelled leftovers, attempts of an ended
 * execution).
 */
export function closeTask(t: Transition, task: Task, ending: Ending): void {
  withdraw(t, task);
  task.status = ending.status;
  if (ending.reason !== undefined) task.reason = ending.reason;
  task.endAt = t.now;
  task.updateAt = t.now;
  task.lease = undefined;
  let parts: number = taskPart.record;
  if (ending.output !== undefined) {
    task.output = ending.output;
    parts |= taskPart.output;
  }
  t.open.openTasks.delete(task);
  t.open.deadlines.arm(task, 0);
  t.touch(task, parts);
  if (t.open.types.of(task).isFollowed) t.closed.push(task);
  publishEnd(t, task);
}

/** Takes an attempt out of its queue or stops its run. */
export function withdraw(t: Transition, task: Task): void {
  if (isTerminalTask(task.status)) return;
  const { carriedOutBy } = t.open.types.of(task);
  if (carriedOutBy === 'worker') {
    t.emit({ kind: 'unschedule', task, reopenCount: task.reopenCount, queue: queueOf(task) });
  } else if (carriedOutBy === 'server') {
    t.emit({ kind: 'cancel-system-task', task });
  }
}

/** Removes a record for good (keepLastN, rerun, restart). */
export function removeTask(t: Transition, task: Task): void {
  withdraw(t, task);
  if (t.open.types.of(task).isFollowed) t.closed.push(task);
  t.open.remove(task);
  t.changes.tasks.delete(task);
  t.changes.removedTasks.add(task.number);
}

/** Replaces keys of a task's private notes; undefined removes one. */
export function setNotes(
  t: Transition,
  task: Task,
  changes: { [key: string]: Json | undefined },
): void {
  const notes: JsonMap = { ...notesOf(task) };
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) delete notes[key];
    else notes[key] = value;
  }
  if (Object.keys(notes).length === 0) task.notes = undefined;
  else task.notes = notes;
  t.touch(task, taskPart.record);
}
