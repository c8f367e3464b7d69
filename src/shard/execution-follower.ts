// Tells the followers of executions, such as a stream of changes, what commits have stored. It is
// read when the commit is planned, and told when the commit has landed: nothing that is not stored
// leaves the process (invariants M4). While nobody follows, a commit pays the test of one flag.
import type { Changes } from '../engine/decision.js';
import type { OpenExecution } from '../engine/open-execution.js';

export interface ExecutionFollower {
  /** False: nobody follows any execution, and nothing else is called. */
  readonly isFollowing: boolean;
  /**
   * A commit of `changes` is being planned; `open` is as it will be stored. Copies what it needs
   * and returns what is called once the commit has landed; undefined when nobody follows this one.
   */
  planned(open: OpenExecution, changes: Changes): (() => void) | undefined;
  /** The execution has been removed from the store. */
  removed(open: OpenExecution): void;
}

/** Follows nothing. */
export const noFollower: ExecutionFollower = {
  isFollowing: false,
  planned: () => undefined,
  removed: () => undefined,
};
