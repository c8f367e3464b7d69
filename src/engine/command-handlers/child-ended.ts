// child-ended (semantics 2.11): a sub-workflow reports its end. Fences: the record must exist and
// still wait for this child.
import { Payload } from '../../model/payload.js';
import {
  isTerminalTask,
  isTerminalWorkflow,
  type TaskStatus,
  type WorkflowStatus,
} from '../../model/status.js';
import { outputOf } from '../derived-payloads.js';
import { endTask, setNotes } from '../records.js';
import { startedIdOf } from '../outbox-messages.js';
import { notesOf } from '../notes.js';
import { taskTypeOf } from '../task-types/list.js';
import { ok, type CommandHandler } from './contract.js';

export const childEnded: CommandHandler<'child-ended'> = (t, command) => {
  const task = t.open.byNumber.get(command.taskNumber);
  const status = taskStatusOf(command.status);
  if (task === undefined || status === undefined || isTerminalTask(task.status)) return ok;
  if (isTerminalWorkflow(t.execution.state.status)) return ok;
  // The report may come before the answer to the start.
  const awaited =
    task.subWorkflowId ??
    (notesOf(task)['messageId'] === undefined ? undefined : startedIdOf(t, task));
  if (taskTypeOf(task).role !== 'sub-workflow' || awaited !== command.childId) return ok;
  if (task.subWorkflowId === undefined) {
    task.subWorkflowId = command.childId;
    task.pollCount++;
    if (task.startAt === 0) task.startAt = t.now;
    if (task.firstStartAt === 0) task.firstStartAt = t.now;
    setNotes(t, task, { messageId: undefined });
  }
  const output = Payload.of({
    ...outputOf(t.open, task).value,
    subWorkflowId: command.childId,
    ...command.output.value,
  });
  if (status === 'COMPLETED') {
    task.reason = undefined;
    endTask(t, task, { status, output });
    return ok;
  }
  const reason = `Sub workflow ${command.nameVersionId} failure reason: ${command.reason ?? 'null'}`;
  endTask(t, task, { status, output, reason });
  return ok;
};

function taskStatusOf(status: WorkflowStatus): TaskStatus | undefined {
  switch (status) {
    case 'COMPLETED':
      return 'COMPLETED';
    case 'FAILED':
      return 'FAILED';
    case 'TERMINATED':
      return 'CANCELED';
    case 'TIMED_OUT':
      return 'TIMED_OUT';
    case 'RUNNING':
    case 'PAUSED':
      return undefined;
  }
}
