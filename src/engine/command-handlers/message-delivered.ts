// message-delivered: a message to another execution has been carried out, and its receiver's answer
// (invariants M5). The event that a task was waiting for comes in here.
import type { ExecutionId } from '../../std/ids.js';
import type { OutboxMessage, Task } from '../../model/execution.js';
import { Payload } from '../../model/payload.js';
import { isTerminalTask, type TaskStatus } from '../../model/status.js';
import type { DeliveryAnswer } from '../command.js';
import { addRefusedEvent } from '../control-history.js';
import { taskPart } from '../decision.js';
import { addMessage, removeMessage } from '../outbox-messages.js';
import { noteFailureWorkflow } from '../ending.js';
import { endTask, setNotes } from '../records.js';
import { notesOf } from '../notes.js';
import { takeUpPlace } from '../permits.js';
import { publishState } from '../state-changes.js';
import { terminateChild } from '../task-types/sub-workflow.js';
import type { Transition } from '../transition.js';
import { ok, type CommandHandler } from './contract.js';

const orphanReason = 'Parent workflow does not wait for this sub-workflow any more';

export const messageDelivered: CommandHandler<'message-delivered'> = (t, { messageId, answer }) => {
  const message = t.execution.outbox.get(messageId);
  if (message === undefined) return ok;
  removeMessage(t, messageId);
  switch (message.kind) {
    case 'start-child':
      childStartAnswered(t, message, answer);
      break;
    case 'start-workflow':
      if (message.isUnwatched === true) break;
      if (message.taskNumber === undefined)
        failureWorkflowAnswered(t, message.request.name, answer);
      else startAnswered(t, message, message.taskNumber, answer);
      break;
    case 'take-place': {
      const hasPlace = answer.kind === 'done' && answer.value === true;
      if (hasPlace && t.execution.state.room?.room === message.room) takeUpPlace(t);
      break;
    }
    case 'leave-place':
    case 'command-other':
    case 'command-child':
    case 'terminate-child':
    case 'report-end':
    case 'reopen-parent':
    case 'human-task-changed':
      break;
    case 'publish-event':
      // Nobody waits for it: the history says so, and the count to the people who run the server.
      if (answer.kind === 'refused') {
        const { sink } = message;
        const bound = { now: t.now, entriesMax: t.context.limits.historyEntriesMax };
        addRefusedEvent(t.execution, { sink, reason: answer.message }, bound);
        t.changes.history = true;
        t.emit({ kind: 'count', metric: 'state_event_refused', label: sink });
      }
  }
  return ok;
};

type StartMessage = Extract<OutboxMessage, { kind: 'start-child' | 'start-workflow' }>;

/** The attempt that sent the message, if it is still the current one. */
function senderOf(t: Transition, message: StartMessage, taskNumber: number): Task | undefined {
  const task = t.open.byNumber.get(taskNumber);
  if (task === undefined || task.reopenCount !== message.reopenCount) return undefined;
  return notesOf(task)['messageId'] === message.id ? task : undefined;
}

function childStartAnswered(
  t: Transition,
  message: Extract<OutboxMessage, { kind: 'start-child' }>,
  answer: DeliveryAnswer,
): void {
  const task = senderOf(t, message, message.taskNumber);
  if (answer.kind === 'refused') {
    if (task === undefined || isTerminalTask(task.status)) return;
    markStarted(t, task);
    endTask(t, task, failureOf(answer));
    return;
  }
  const childId = answer.kind === 'started' ? answer.id : message.childId;
  if (task === undefined) {
    // Its end was reported before this answer.
    if (t.open.byNumber.get(message.taskNumber)?.subWorkflowId === childId) return;
    // The attempt was removed or reset meanwhile: nobody waits for this child.
    addMessage(t, { kind: 'terminate-child', childId, reason: orphanReason });
    return;
  }
  if (!isTerminalTask(task.status)) {
    childStarted(t, task, childId);
    return;
  }
  setNotes(t, task, { messageId: undefined });
  if (task.status === 'CANCELED' && task.subWorkflowId === undefined) {
    task.subWorkflowId = childId;
    terminateChild(t, task);
  }
}

/** Another attempt would have the same rights. */
function failureOf({ message, isForbidden }: Extract<DeliveryAnswer, { kind: 'refused' }>): {
  status: TaskStatus;
  reason: string;
} {
  return { status: isForbidden ? 'FAILED_WITH_TERMINAL_ERROR' : 'FAILED', reason: message };
}

/** The start has been tried: times and counts as after a run by a server-side worker. */
function markStarted(t: Transition, task: Task): void {
  setNotes(t, task, { messageId: undefined });
  task.pollCount++;
  if (task.startAt === 0) task.startAt = t.now;
  if (task.firstStartAt === 0) task.firstStartAt = t.now;
}

function childStarted(t: Transition, task: Task, childId: ExecutionId): void {
  task.subWorkflowId = childId;
  task.status = 'IN_PROGRESS';
  markStarted(t, task);
  task.updateAt = t.now;
  task.callbackAfterMs = 0;
  task.callbackAfterSeconds = 0;
  task.output = Payload.of({ ...task.output.value, subWorkflowId: childId });
  task.reason = undefined;
  t.touch(task, taskPart.record | taskPart.output);
  t.open.arm(task);
  publishState(t, task, 'onStart');
}

function startAnswered(
  t: Transition,
  message: Extract<OutboxMessage, { kind: 'start-workflow' }>,
  taskNumber: number,
  answer: DeliveryAnswer,
): void {
  const task = senderOf(t, message, taskNumber);
  if (task === undefined || isTerminalTask(task.status)) return;
  markStarted(t, task);
  if (answer.kind === 'refused') {
    endTask(t, task, failureOf(answer));
    return;
  }
  const workflowId = answer.kind === 'started' ? answer.id : message.startedId;
  endTask(t, task, { status: 'COMPLETED', output: Payload.of({ workflowId }) });
}

/** A failure workflow that could not start leaves its error in the output (semantics 2.9). */
function failureWorkflowAnswered(t: Transition, name: string, answer: DeliveryAnswer): void {
  if (answer.kind === 'refused') {
    noteFailureWorkflow(t, `Error workflow ${name} failed to start.  reason: ${answer.message}`);
  } else if (answer.kind === 'started') noteFailureWorkflow(t, answer.id);
}
