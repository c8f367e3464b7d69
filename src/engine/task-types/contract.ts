// What a task type has to say (semantics 4). One file per type, one entry in list.ts. A type makes
// its records, carries them out and says what follows; it never schedules another task itself: it
// names nodes, and the hub schedules them.
import type { Task } from '../../model/execution.js';
import type { Payload } from '../../model/payload.js';
import type { WorkflowTask } from '../../model/workflow-def.js';
import type { GraphNode } from '../compile.js';
import type { ExecutionState, Transition } from '../transition.js';

/** Where a configuration is to get a record. */
export interface Site {
  readonly node: GraphNode;
  /** As the record will show it: the node's, or with the name a DYNAMIC resolved. */
  readonly config: WorkflowTask;
  /** With the suffix of the iteration. */
  readonly ref: string;
  readonly iteration: number;
}

export interface TaskType {
  /**
   * Types of configurations, or (for records of another type) of records, that this file is for.
   */
  readonly types: readonly string[];
  /**
   * Makes the record of a configuration and starts it. Whatever cannot be mapped ends the execution
   * (semantics 2.6); then there is no record.
   */
  map(t: Transition, site: Site): void;
  /**
   * Carries out a record that is SCHEDULED again: a new attempt, or one reset in place by a control
   * operation.
   */
  begin(t: Transition, task: Task): void;
  /**
   * In-line run, or another look at what the record waits for. May park on a script before it
   * changes anything.
   */
  execute?(t: Transition, task: Task): ExecutionState;
  /** A delayed start has come (`runAt` in the notes). */
  start?(t: Transition, task: Task): void;
  /** What follows the consumed record, when it is not simply the next node. */
  successor?(t: Transition, task: Task, node: GraphNode): GraphNode | undefined;
  /**
   * Consumes the terminal record in its own way instead of the rule of semantics 2.3.6; true when
   * it did.
   */
  settle?(t: Transition, task: Task): boolean;
  /** The record has been cancelled with its execution: take back what runs elsewhere. */
  cancel?(t: Transition, task: Task): void;
  /**
   * Input of a new attempt when it is not the evaluated parameters over the old input (semantics
   * 2.7.1).
   */
  attemptInput?(t: Transition, task: Task): Payload;
}
