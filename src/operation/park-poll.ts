// Parks a poll for a caller. While it waits the caller must keep the right to it: when that ends,
// the poll ends as if its client had gone, so what was on its way goes back to the queue.
import type { Caller } from '../model/caller.js';
import type { PollRequest, TaskText } from '../queue/task-queues.js';
import type { OperationContext } from './context.js';
import type { Waiting, WaitingCallers } from './waiting-callers.js';

/** Rejects as `requireRight` throws when the right to the poll ends, else as TaskQueues.poll. */
export function parkPoll(
  { taskQueues, waiting: callers }: Pick<OperationContext, 'taskQueues' | 'waiting'>,
  caller: Caller,
  request: PollRequest,
  requireRight: (caller: Caller) => void,
): Promise<TaskText[]> {
  if (callers === undefined) return taskQueues.poll(request);
  const waiting = new WaitingPoll(callers, caller, requireRight);
  const onAbort = waiting.abortedBy(request.onAbort);
  callers.add(waiting);
  return waiting.settled(taskQueues.poll({ ...request, onAbort }));
}

/** Thousands may wait: it keeps nothing of the request. */
class WaitingPoll implements Waiting {
  #refusal: unknown;
  #giveUp: (() => void) | undefined;

  constructor(
    private readonly callers: WaitingCallers,
    readonly caller: Caller,
    readonly requireRight: (caller: Caller) => void,
  ) {}

  end(why: unknown): void {
    this.#refusal = why;
    this.#giveUp?.();
  }

  abortedBy(onAbort: PollRequest['onAbort']): PollRequest['onAbort'] {
    return (listener) => {
      this.#giveUp = listener;
      onAbort(listener);
    };
  }

  settled(polled: Promise<TaskText[]>): Promise<TaskText[]> {
    return polled.then(
      (tasks) => {
        this.callers.remove(this);
        if (this.#refusal !== undefined) throw this.#refusal;
        return tasks;
      },
      (error: unknown) => {
        this.callers.remove(this);
        throw error;
      },
    );
  }
}
