// Ports through which operations tell that resources come and go: who creates one owns it, and with
// it go its grants and tags (docs/access.md). The area identity keeps them.
import type { TargetType } from '../access/access-rules.js';
import type { Caller } from '../model/caller.js';
import type { RecordWrite } from '../store/record-store.js';
import type { Besides } from './records/record-table.js';

export interface Ownership {
  /** The entry that makes the caller the owner, to be stored together with the new resource. */
  creating(caller: Caller, type: TargetType, id: string): Besides;
  /**
   * The grants and tags that stand by the name of a definition now; what it gives removes them,
   * once the definition is gone. Those that others have changed meanwhile are of the next one.
   */
  leaving(type: TargetType, id: string): () => Promise<void>;
  /**
   * The removal of its grants and tags, to be stored together with that of the resource: one of the
   * name that another creates behind it keeps its own.
   */
  removing(type: TargetType, id: string): Besides;
  /**
   * Writes that make the caller the owner, for the write that creates the resource. None for a name
   * that means every resource of the type, and for callers who are no person and no application.
   */
  creationOf(caller: Caller, type: TargetType, id: string): RecordWrite[];
}

/** Types of resources that are no records. */
export type DefinitionType = Extract<TargetType, 'WORKFLOW_DEF' | 'TASK_DEF'>;

export interface Creation {
  /** Stores the grants of the names that were created; the others are the creator's no more. */
  end(created: (name: string) => boolean): Promise<void>;
}

/** Told which definitions come and go: the caller that creates one may do everything with it. */
export interface DefinitionOwnership {
  /** Puts on record that the caller is about to create; `marks` by name. */
  begin(
    caller: Caller,
    type: DefinitionType,
    marks: ReadonlyMap<string, string>,
  ): Promise<Creation>;
  /** As `Ownership.leaving`. */
  leaving(type: DefinitionType, name: string): () => Promise<void>;
  /** Reads what other nodes have stored of rights. */
  refresh(): Promise<void>;
}
