// The decision of one step of an execution: changes to persist, outputs to release once they are
// persisted, and either the reply to the command or what the transition needs to go on.
import type { ExecutionId } from '../std/ids.js';
import { SparseSet } from '../std/sparse.js';
import type { OutboxMessage, Task } from '../model/execution.js';
import type { AppError } from '../model/errors.js';
import type { Json } from '../model/json.js';
import type { WorkflowStatus } from '../model/status.js';
import type { ScriptRequest } from './script.js';

export type Decision = Decided & (Settled | Unsettled);

interface Decided {
  readonly changes: Changes;
  readonly outputs: readonly Output[];
}

/** The transition is at rest. */
interface Settled {
  readonly reply: Reply;
  readonly next?: undefined;
}

/** The reply comes with a later step. */
interface Unsettled {
  readonly reply?: undefined;
  readonly next: Next;
}

/**
 * The next step of an unsettled transition. It stays inside the node: nothing of it is persisted.
 */
export type Next =
  /** A script is to be evaluated; its result comes with the command `evaluated`. */
  | { readonly kind: 'evaluate'; readonly key: string; readonly request: ScriptRequest }
  /** The budget of one step is used up: the command `continue` goes on. */
  | { readonly kind: 'continue' }
  /** A script that was asked for earlier is still to be answered. */
  | { readonly kind: 'wait' };

/** Which parts of which task record changed; bits, so that merged transitions cost nothing. */
export const taskPart = { record: 1, input: 2, output: 4 } as const;

/**
 * The changed parts, by name: the new values are in the execution itself. Transitions merged into
 * one commit merge their changes. Persisting exactly these parts onto the state before gives the
 * state after (tested over random histories).
 */
export class Changes {
  /** First commit of the execution. */
  created = false;
  attributes = false;
  /** Snapshot replaced (restart with latest definitions, upgrade). Implies attributes. */
  snapshot = false;
  state = false;
  input = false;
  output = false;
  variables = false;
  messages = false;
  history = false;
  readonly tasks: Map<Task, number> = new Map();
  readonly removedTasks = new SparseSet<number>();
  readonly outboxAdded = new SparseSet<number>();
  readonly outboxRemoved = new SparseSet<number>();
  /**
   * Status before the first of the merged transitions, when it changed: the index entries follow
   * it.
   */
  statusBefore: WorkflowStatus | undefined;

  get isEmpty(): boolean {
    return (
      !this.created &&
      !this.attributes &&
      !this.snapshot &&
      !this.state &&
      !this.input &&
      !this.output &&
      !this.variables &&
      !this.messages &&
      !this.history &&
      this.tasks.size === 0 &&
      this.removedTasks.size === 0 &&
      this.outboxAdded.size === 0 &&
      this.outboxRemoved.size === 0
    );
  }

  touch(task: Task, parts: number): void {
    this.tasks.set(task, (this.tasks.get(task) ?? 0) | parts);
  }

  /** Adds the changes of a later transition. */
  merge(later: Changes): void {
    this.created ||= later.created;
    this.attributes ||= later.attributes;
    this.snapshot ||= later.snapshot;
    this.state ||= later.state;
    this.input ||= later.input;
    this.output ||= later.output;
    this.variables ||= later.variables;
    this.messages ||= later.messages;
    this.history ||= later.history;
    for (const [task, parts] of later.tasks) this.touch(task, parts);
    for (const number of later.removedTasks) this.removedTasks.add(number);
    for (const id of later.outboxAdded) this.outboxAdded.add(id);
    for (const id of later.outboxRemoved) {
      if (!this.outboxAdded.delete(id)) this.outboxRemoved.add(id);
    }
    this.statusBefore ??= later.statusBefore;
    if (this.removedTasks.size > 0) {
      for (const task of this.tasks.keys()) {
        if (this.removedTasks.has(task.number)) this.tasks.delete(task);
      }
    }
  }
}

/** Leaves the execution once its commit is through. */
export type Output =
  /**
   * A SCHEDULED worker task wants to be in its queue (or with a waiting poll). Derived from state,
   * so repeatable.
   */
  | { kind: 'schedule'; task: Task }
  /**
   * An attempt that may be queued or leased in its queue is no longer wanted (finished, cancelled,
   * removed, reopened).
   */
  | { kind: 'unschedule'; task: Task; reopenCount: number; queue: QueueName }
  /** A worker keeps its attempt longer: set the lease to its full length again. */
  | { kind: 'extend'; task: Task }
  /** A system task with I/O is to be run by the server (SCHEDULED, or due to be run again). */
  | { kind: 'run-system-task'; task: Task }
  /** A system task's run is no longer wanted. */
  | { kind: 'cancel-system-task'; task: Task }
  | { kind: 'send'; message: OutboxMessage }
  /** Counter names of telemetry, such as task_timeout (semantics 2.5, ALERT_ONLY). */
  | { kind: 'count'; metric: string; label: string };

export interface QueueName {
  taskType: string;
  domain?: string;
}

/**
 * The answer to the caller of a command. A refusal is released behind the gate as well (invariants
 * M4).
 */
export type Reply =
  | { kind: 'ok' }
  | { kind: 'refused'; error: AppError }
  /**
   * update-task: the task's number (possibly terminal before), whether it was left as it is;
   * undefined when no reference matched. The owner may be another node, so no record is in here.
   */
  | { kind: 'updated'; task: Pick<Task, 'number'> | undefined; ignored: boolean }
  | { kind: 'claimed'; task: Task }
  | { kind: 'not-wanted' }
  | {
      kind: 'no-blocked-task';
      /** Children to search next, depth first. */ children: ExecutionId[];
    }
  | { kind: 'value'; value: Json };
