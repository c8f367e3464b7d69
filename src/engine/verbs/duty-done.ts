// duty-done: a message to another execution has been carried out, and its receiver's answer (invariants M5). What a task was waiting
// for comes in here.
import type { ExecutionId } from '../../std/ids.js';
import type { Duty, Task } from '../../model/execution.js';
import { Payload } from '../../model/payload.js';
import { isTerminalTask } from '../../model/status.js';
import type { DutyAnswer } from '../command.js';
import { taskPart } from '../decision.js';
import { addDuty, removeDuty } from '../duties.js';
import { noteFailureWorkflow } from '../ending.js';
import { endTask, setMemo } from '../records.js';
import { memoOf } from '../task-kinds.js';
import { terminateChild } from '../task-types/sub-workflow.js';
import type { Transition } from '../transition.js';
import { ok, type Verb } from './contract.js';

const orphanReason = 'Parent workflow does not wait for this sub-workflow any more';

export const dutyDone: Verb<'duty-done'> = (t, { dutyId, answer }) => {
  const duty = t.execution.duties.get(dutyId);
  if (duty === undefined) return ok;
  removeDuty(t, dutyId);
  switch (duty.kind) {
    case 'start-child':
      childStartAnswered(t, duty, answer);
      break;
    case 'start-workflow':
      if (duty.taskNumber === undefined) failureWorkflowAnswered(t, duty.request.name, answer);
      else startAnswered(t, duty, duty.taskNumber, answer);
      break;
    case 'command-other':
    case 'command-child':
    case 'terminate-child':
    case 'report-end':
    case 'revive-parent':
  }
  return ok;
};

type StartDuty = Extract<Duty, { kind: 'start-child' | 'start-workflow' }>;

/** The attempt that sent the message, if it is still the current one. */
function senderOf(t: Transition, duty: StartDuty, taskNumber: number): Task | undefined {
  const task = t.open.byNumber.get(taskNumber);
  if (task === undefined || task.revival !== duty.revival) return undefined;
  return memoOf(task)['dutyId'] === duty.id ? task : undefined;
}

function childStartAnswered(
  t: Transition,
  duty: Extract<Duty, { kind: 'start-child' }>,
  answer: DutyAnswer,
): void {
  const task = senderOf(t, duty, duty.taskNumber);
  if (answer.kind === 'refused') {
    if (task === undefined || isTerminalTask(task.status)) return;
    markStarted(t, task);
    endTask(t, task, { status: 'FAILED', reason: answer.message });
    return;
  }
  const childId = answer.kind === 'started' ? answer.id : duty.childId;
  if (task === undefined) {
    // Its end was reported before this answer.
    if (t.open.byNumber.get(duty.taskNumber)?.subWorkflowId === childId) return;
    // The attempt was removed or reset meanwhile: nobody waits for this child.
    addDuty(t, { kind: 'terminate-child', childId, reason: orphanReason });
    return;
  }
  if (!isTerminalTask(task.status)) {
    childStarted(t, task, childId);
    return;
  }
  setMemo(t, task, { dutyId: undefined });
  if (task.status === 'CANCELED' && task.subWorkflowId === undefined) {
    task.subWorkflowId = childId;
    terminateChild(t, task);
  }
}

/** The start has been tried: times and counts as after a run by a server-side worker. */
function markStarted(t: Transition, task: Task): void {
  setMemo(t, task, { dutyId: undefined });
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
}

function startAnswered(
  t: Transition,
  duty: Extract<Duty, { kind: 'start-workflow' }>,
  taskNumber: number,
  answer: DutyAnswer,
): void {
  const task = senderOf(t, duty, taskNumber);
  if (task === undefined || isTerminalTask(task.status)) return;
  markStarted(t, task);
  if (answer.kind === 'refused') {
    endTask(t, task, { status: 'FAILED', reason: answer.message });
    return;
  }
  const workflowId = answer.kind === 'started' ? answer.id : duty.startedId;
  endTask(t, task, { status: 'COMPLETED', output: Payload.of({ workflowId }) });
}

/** A failure workflow that could not start leaves its error in the output (semantics 2.9). */
function failureWorkflowAnswered(t: Transition, name: string, answer: DutyAnswer): void {
  if (answer.kind === 'refused') {
    noteFailureWorkflow(t, `Error workflow ${name} failed to start.  reason: ${answer.message}`);
  } else if (answer.kind === 'started') noteFailureWorkflow(t, answer.id);
}
