// The index of human tasks (contract-admin 10.8): entries by what people search for. It follows the
// executions, which are the truth about a task; an entry that has ended is kept for a time.
import type { HumanUser } from '../model/human/human-definition.js';
import type { HumanState, HumanTaskEntry } from '../model/human/human-entry.js';

/** Facets that are answered from sorted sets; what else is asked is looked for in their entries. */
export interface HumanTaskQuery {
  /** Empty: any. */
  readonly states: readonly HumanState[];
  readonly assignees: readonly HumanUser[];
  readonly claimants: readonly HumanUser[];
  readonly definitionNames: readonly string[];
  /** Only what one of these has been assigned or has claimed, and what nobody is assigned. */
  readonly involved?: readonly HumanUser[];
  readonly start: number;
  readonly size: number;
  /** undefined: every entry fits. */
  readonly fits: ((entry: HumanTaskEntry) => boolean) | undefined;
  /** Absent: newest change first. */
  readonly order?: 'due-first';
  /** Only these are looked at, in this order; absent: any, newest change first. */
  readonly ids?: readonly string[];
}

export interface HumanTaskPage {
  /** Newest change first, or in the order that was asked for. */
  readonly entries: HumanTaskEntry[];
  readonly total: number;
}

export interface HumanTaskStore {
  /** Adds or replaces an entry. */
  put(entry: HumanTaskEntry): Promise<void>;
  remove(taskId: string): Promise<void>;
  search(query: HumanTaskQuery): Promise<HumanTaskPage>;
  /** Ids of all entries in batches, in no order; one that changes meanwhile may come twice. */
  scan(): AsyncGenerator<string[]>;
  /** In the order of the ids; undefined for one that is not there. */
  entries(ids: readonly string[]): Promise<(HumanTaskEntry | undefined)[]>;
  /** Open tasks that were due before (epoch ms): how many, and the one that was due first. */
  dueBefore(at: number): Promise<{ count: number; first: HumanTaskEntry | undefined }>;
  /** Display names of open tasks; bounded. */
  displayNames(): Promise<string[]>;
  /** Removes entries that ended before (epoch ms); true when there may be more. */
  expire(before: number): Promise<boolean>;
}
