// The port by which the rest of the server uses task queues; implemented by `queue/poll-hub.ts`.
import type { QueueName } from '../engine/decision.js';

/** A task handed to a poll: the JSON text of the wire form of contract-core 7.2, complete. */
export type TaskText = string;

export interface PollRequest {
  readonly queue: QueueName;
  readonly workerId: string | undefined;
  /** 1 or more. */
  readonly count: number;
  /** Milliseconds to wait for the first task; 0 asks once. */
  readonly timeoutMs: number;
  /** Calls back when the client has gone; its tasks then go back to the queue at once. */
  readonly onAbort: (listener: () => void) => void;
  /**
   * The poll waits from now on. `leave` ends it as soon as nothing is on its way to its queue at
   * this node; what is on its way it still takes.
   */
  readonly onParked?: (leave: () => void) => void;
}

export interface TaskQueues {
  /**
   * Resolves with 1 to `count` tasks, or none when the time is over. Rejects with AppError
   * 'too-many' past the parked-poll limit.
   */
  poll(request: PollRequest): Promise<TaskText[]>;
  /**
   * Resolves when the tasks that this node holds back for a moment or is sending are in the store's
   * queues, so that a count read there shows what was acknowledged before the call.
   */
  drained(): Promise<void>;
}
