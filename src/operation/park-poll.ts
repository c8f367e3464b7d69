// Parks a poll for a caller. While it waits the caller must keep the right to it: when that ends,
// the poll ends as if its client had gone, so what was on its way goes back to the queue.
import type { Caller } from '../model/caller.js';
import type { PollRequest, TaskText } from '../queue/task-queues.js';
import type { OperationContext } from './context.js';
import type { Waiting } from './waiting-callers.js';

/** Rejects as `requireRight` throws when the right to the poll ends, else as TaskQueues.poll. */
export function parkPoll(
  { taskQueues, waiting: callers }: Pick<OperationContext, 'taskQueues' | 'waiting'>,
  caller: Caller,
  request: PollRequest,
  requireRight: (caller: Caller) => void,
): Promise<TaskText[]> {
  if (callers === undefined) return taskQueues.poll(request);
  let refusal: unknown;
  let giveUp = (): void => undefined;
  const end = (why: unknown): void => {
    refusal = why;
    giveUp();
  };
  const waiting: Waiting = { caller, requireRight, end };
  const settled = (tasks: TaskText[]): TaskText[] => {
    callers.remove(waiting);
    if (refusal !== undefined) throw refusal;
    return tasks;
  };
  const onAbort = (listener: () => void): void => {
    giveUp = listener;
    request.onAbort(listener);
  };
  callers.add(waiting);
  return taskQueues.poll({ ...request, onAbort }).then(settled, (error: unknown) => {
    callers.remove(waiting);
    throw error;
  });
}
