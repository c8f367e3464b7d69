// Queues of events inside the server (semantics 4.12): what EVENT tasks publish on `conductor`
// sinks is kept here until an event handler takes it, bounded by number and age.
import type { TraceContext } from '../../../telemetry/trace-context.js';

export interface EventMessage {
  /** Shown to handlers (semantics 4.12: the id of the task that published). */
  readonly id: string;
  /** Names the attempt that published; publishing it again changes nothing. */
  readonly attemptKey: string;
  /** JSON text. */
  readonly payload: string;
  /** Epoch ms. */
  readonly publishedAt: number;
  /** Of what published it, if that is traced. */
  readonly trace?: TraceContext | undefined;
}

export interface EventQueueLimits {
  /** Messages kept per queue; the oldest are dropped. */
  readonly messagesMax: number;
  /** How long a message waits for a handler, ms. */
  readonly ageMsMax: number;
}

export interface EventQueueStore {
  /** Adds a message unless one of the same attempt waits already. */
  publish(queue: string, message: EventMessage): Promise<void>;
  /** Up to `limit` waiting messages, oldest first; they stay until `remove`. */
  read(queue: string, limit: number): Promise<EventMessage[]>;
  /** Takes messages out that have been handled. */
  remove(queue: string, messages: readonly EventMessage[]): Promise<void>;
  /** Takes back what an attempt published, if it still waits. */
  withdraw(queue: string, attemptKey: string): Promise<void>;
  /** Which of `queues` have got a message since they were unmarked. */
  marked(queues: readonly string[]): Promise<string[]>;
  unmark(queue: string): Promise<void>;
  /** Tells of each message that is published through this object, once it is stored. */
  onPublished(listener: (queue: string) => void): void;
  size(queue: string): Promise<number>;
}
