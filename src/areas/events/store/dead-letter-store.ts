// Messages that handlers could not deal with, and how the connections to brokers stand.
import type { DeadLetter, EventSourceState } from '../dead-letter.js';

export interface DeadLetterStore {
  /** Adds or replaces; the oldest of the handler go when there are too many. */
  add(letter: DeadLetter): Promise<void>;
  /** Newest first. */
  list(handler: string, limit: number): Promise<DeadLetter[]>;
  /** Those of `ids` that are there. */
  find(handler: string, ids: readonly string[]): Promise<DeadLetter[]>;
  remove(handler: string, ids: readonly string[]): Promise<void>;
  /** Removes everything of a handler that is gone. */
  forget(handler: string): Promise<void>;
}

export interface EventSourceStore {
  keepState(state: EventSourceState): Promise<void>;
  dropState(id: string): Promise<void>;
  states(): Promise<EventSourceState[]>;
  /** Removes all states: another node begins. */
  clearStates(): Promise<void>;
}
