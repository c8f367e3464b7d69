// The process of a human task inside its record (contract-admin 10): kept in the private notes, so
// that it changes in the commit of whatever changes it. Each change tells the index of human tasks
// by an outbox message, and starts the workflows of the triggers that it fires.
import type { Task } from '../model/execution.js';
import { asJson, isMap, type Json, type JsonMap, ownRecord } from '../model/json.js';
import { humanDefinitionOf, type TriggerType } from '../model/human/human-definition.js';
import { humanEntryOf, shownEntry, type HumanTaskEntry } from '../model/human/human-entry.js';
import {
  assignmentDueAt,
  beginProcess,
  exhaustedReason,
  triggered,
  type HumanProcess,
  type Move,
  type MoveBy,
} from '../model/human/human-process.js';
import { Payload } from '../model/payload.js';
import { isTerminalTask } from '../model/status.js';
import { priorityTrouble } from '../model/validate-start-request.js';
import { taskIdOf } from '../std/ids.js';
import { deadlineOf } from './deadlines.js';
import { derivedId } from './derived-id.js';
import { outputOf } from './derived-payloads.js';
import { notesOf } from './notes.js';
import type { OpenExecution } from './open-execution.js';
import { addMessage } from './outbox-messages.js';
import { endTask, setNotes } from './records.js';
import { tellHumanTask } from './status-listeners.js';
import type { Transition } from './transition.js';
import { earliest } from './wait-reason.js';

const noteKey = 'human';

/** undefined for a record that was made before human tasks had a process. */
export function processOf(task: Task): HumanProcess | undefined {
  const process = notesOf(task)[noteKey];
  return isMap(process) ? ownRecord<HumanProcess>(process) : undefined;
}

/** The entry of a task; undefined when there is none, or its record was deleted. */
export function entryOf(open: OpenExecution, task: Task): HumanTaskEntry | undefined {
  const process = processOf(task);
  if (process === undefined || process.isDeleted === true) return undefined;
  const { id, attributes, snapshot } = open.execution;
  return humanEntryOf({
    taskId: taskIdOf(id, task.number),
    status: task.status,
    defName: task.defName,
    workflowId: id,
    workflowName: snapshot.def.name,
    correlationId: attributes.correlationId,
    ref: task.ref,
    input: task.input.value,
    output: outputOf(open, task).value,
    createdBy: attributes.createdBy ?? '',
    createdOn: task.scheduledAt,
    endedAt: task.endAt,
    dueAt: dueAtOf(open, task, process),
    process,
  });
}

/** Epoch ms; 0: never. A response timeout is not meant: it moves with each report. */
function dueAtOf(open: OpenExecution, task: Task, process: HumanProcess): number {
  if (isTerminalTask(task.status)) return 0;
  const type = open.types.of(task);
  const timeoutAt = earliest(deadlineOf(task, type, 'task'), deadlineOf(task, type, 'total'));
  return earliest(assignmentDueAt(process), timeoutAt);
}

/** A record is in progress from now on. */
export function beginHumanTask(t: Transition, task: Task): void {
  const { assignments, completionStrategy, autoClaim } = humanDefinitionOf(task.input.value);
  const chain = { assignments, completionStrategy, autoClaim };
  applyMove(t, task, beginProcess(chain, moveBy(t, task, 'system')));
}

/** Carries a move out that was not refused. */
export function applyMove(t: Transition, task: Task, move: Move): void {
  if (move.kind === 'refused') return;
  setProcess(t, task, move.process);
  if (move.kind === 'ended') {
    endTask(t, task, { status: 'FAILED_WITH_TERMINAL_ERROR', reason: exhaustedReason });
    return;
  }
  fire(t, task, move.fired);
  tellIndex(t, task);
  tellListeners(t, task);
}

export function setProcess(t: Transition, task: Task, process: HumanProcess): void {
  setNotes(t, task, { [noteKey]: asJson(process) });
  t.open.derivedInputs.delete(task);
  if (!isTerminalTask(task.status)) t.open.arm(task);
}

export function moveBy(t: Transition, task: Task, actedBy: string): MoveBy {
  let count = 0;
  const stem = `${t.execution.id}|${task.number}|${t.execution.state.outboxCounter}|${t.now}`;
  return { now: t.now, actedBy, logId: () => derivedId(`${stem}|${count++}`) };
}

export function tellIndex(t: Transition, task: Task): void {
  addMessage(t, { kind: 'human-task-changed', taskNumber: task.number });
}

/** It has another state, assignee or claimant: status listeners are told. */
function tellListeners(t: Transition, task: Task): void {
  if (t.context.listeners?.isEmpty === false) tellHumanTask(t, task, entryOf(t.open, task));
}

/** The task has ended, by any way, or is being removed. */
export function humanTaskClosed(t: Transition, task: Task): void {
  if (task.status === 'COMPLETED') fire(t, task, ['COMPLETED']);
  else if (task.status === 'TIMED_OUT') fire(t, task, ['TIMED_OUT']);
  tellIndex(t, task);
  if (isTerminalTask(task.status)) tellListeners(t, task);
}

/** Starts the workflows of the triggers; what becomes of them does not touch the task. */
function fire(t: Transition, task: Task, fired: readonly TriggerType[]): void {
  if (fired.length === 0) return;
  const { triggers } = humanDefinitionOf(task.input.value);
  for (const type of fired) {
    for (const { triggerType, startWorkflowRequest } of triggers) {
      if (triggerType === type) start(t, task, type, startWorkflowRequest);
    }
  }
}

function start(t: Transition, task: Task, triggerType: TriggerType, request: JsonMap): void {
  const process = processOf(task);
  const entry = entryOf(t.open, task);
  const { name, version, input, correlationId, taskToDomain, priority } = request;
  if (process === undefined || entry === undefined || typeof name !== 'string') return;
  const depth = (t.execution.attributes.depth ?? 0) + 1;
  if (depth > t.context.limits.childDepthMax) return;
  const { outboxCounter } = t.execution.state;
  const { createdBy } = t.execution.attributes;
  const startedId = derivedId(`${t.execution.id}|human|${task.number}|${outboxCounter}`);
  // A trigger hands on the members that SDKs know, without the definition.
  const ours = { humanTaskDef: undefined, dueTime: undefined, correlationId: undefined };
  const humanTask = asJson({ ...shownEntry(entry), ...ours });
  addMessage(t, {
    kind: 'start-workflow',
    isUnwatched: true,
    startedId,
    request: {
      name,
      ...(typeof version === 'number' ? { version } : {}),
      input: Payload.of({ ...(isMap(input) ? input : {}), humanTask }),
      depth,
      priority: legalPriority(priority),
      taskToDomain: isMap(taskToDomain) ? (taskToDomain as { [type: string]: string }) : {},
      ...(typeof correlationId === 'string' ? { correlationId } : {}),
      ...(createdBy === undefined ? {} : { createdBy }),
    },
  });
  setProcess(t, task, triggered(process, { triggerType, workflowId: startedId, time: t.now }));
}

/** 0 for one that no start would take. */
function legalPriority(value: Json | undefined): number {
  return typeof value === 'number' && priorityTrouble(value) === undefined ? value : 0;
}
