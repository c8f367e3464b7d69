// Which WAIT_FOR_WEBHOOK tasks wait for which values (contract-admin 12.5), so that an event finds
// its tasks by a few look-ups, however many wait.
//
// A shape is what a waiting task's `matches` has in common with others of its kind: the reference,
// the paths, and which of them compare with a fixed value. An event goes through the shapes of a
// workflow, reads the values at their paths and asks for the tasks that wait for exactly these.
import type { TaskId } from '../../std/ids.js';

export interface WaitShape {
  /** Reference name without the suffix of a loop. */
  readonly ref: string;
  /** Sorted. */
  readonly paths: readonly string[];
  /** By path: whether the definition names the value itself, which then compares without case. */
  readonly isFixed: readonly boolean[];
}

/** Names all tasks that wait for the same event. */
export interface WaitTarget {
  readonly workflowName: string;
  readonly workflowVersion: number;
  readonly shape: WaitShape;
  /** By path of the shape; canonical texts. */
  readonly values: readonly string[];
}

export interface WebhookWaitStore {
  /** Adds a task; false when its workflow has too many shapes already. Repeatable. */
  register(target: WaitTarget, taskId: TaskId): Promise<boolean>;
  isRegistered(target: WaitTarget, taskId: TaskId): Promise<boolean>;
  /** Repeatable. */
  remove(target: WaitTarget, taskIds: readonly TaskId[]): Promise<void>;
  shapes(workflowName: string, workflowVersion: number): Promise<WaitShape[]>;
  /** Tasks that wait for the same, by target. */
  waiting(targets: readonly WaitTarget[]): Promise<TaskId[][]>;
}
