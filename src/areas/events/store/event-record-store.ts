// Stores the records of messages that event handlers were given: the newest of each handler and
// event.
import type { EventExecution, EventMessageRecord } from '../event-record.js';

/** A record together with the key under which it is found again when its message comes again. */
export interface KeptExecution {
  /** Unique per handler: the attempt that published the message, and the position of the action. */
  readonly key: string;
  readonly execution: EventExecution;
}

export interface EventRecordStore {
  /** The records under `keys` of a handler, in their order; undefined where there is none. */
  find(handler: string, keys: readonly string[]): Promise<(EventExecution | undefined)[]>;
  /** Adds or replaces records of a handler. */
  keep(handler: string, records: readonly KeptExecution[]): Promise<void>;
  /** Adds the record of a message, unless `key` has one. */
  keepMessage(key: string, message: EventMessageRecord): Promise<void>;
  /** Newest first, created at `from` (epoch ms) or later. */
  executions(handler: string, from: number): Promise<EventExecution[]>;
  /** Newest first, created at `from` (epoch ms) or later. */
  messages(event: string, from: number): Promise<EventMessageRecord[]>;
  /** How many messages created at `from` (epoch ms) or later are kept of each event. */
  messageCounts(events: readonly string[], from: number): Promise<number[]>;
  /** Removes the records of a handler that is gone. */
  forget(handler: string): Promise<void>;
}
