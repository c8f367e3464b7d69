// push-message (semantics 1.8): a message for PULL_WORKFLOW_MESSAGES. Checked and stored in one
// step, so a pause at the same time loses nothing. Those that wait are written together, and a task
// may take them all at once: they are bounded together as its output is.
import { AppError } from '../../model/errors.js';
import { excessOf } from '../expression/bounds.js';
import { taskTypeOf } from '../task-types/list.js';
import { ok, type CommandHandler } from './contract.js';

export const pushMessage: CommandHandler<'push-message'> = (t, { id, payload }) => {
  const { execution, open } = t;
  const { status } = execution.state;
  if (status !== 'RUNNING') {
    const message = `Workflow ${execution.id} is not in RUNNING state (current: ${status})`;
    return { kind: 'refused', error: new AppError('conflict', message, { plainText: true }) };
  }
  if (execution.messages.some((message) => message.id === id)) return ok;
  const { messagesMax } = t.context.limits;
  if (execution.messages.length >= messagesMax) {
    const message = `Workflow message queue for workflowId=${execution.id} has reached the maximum size of ${messagesMax}`;
    return { kind: 'refused', error: new AppError('too-many', message, { plainText: true }) };
  }
  const { limits } = t.context;
  const waiting = execution.messages.map((message) => message.payload);
  const excess = excessOf([...waiting, payload], limits.taskPayloadBytesMax, limits);
  if (excess !== undefined) {
    const message = `The messages of workflowId=${execution.id} would be ${excess}`;
    const kind = waiting.length === 0 ? 'too-large' : 'too-many';
    return { kind: 'refused', error: new AppError(kind, message, { plainText: true }) };
  }
  execution.messages.push({ id, payload, receivedAt: t.now });
  t.changes.messages = true;
  for (const task of open.openTasks) {
    if (taskTypeOf(task).takesMessages) t.push({ kind: 'execute', task });
  }
  return ok;
};
