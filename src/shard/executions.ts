// The contracts between executions and the rest of the server. Operations, system tasks and
// placement know executions only through these, so that a cluster can put forwarding behind them.
import type { ExecutionId } from '../std/ids.js';
import type { Command } from '../engine/command.js';
import type { Reply } from '../engine/decision.js';
import type { Caller } from '../model/caller.js';
import type {
  ChildStart,
  DefinitionSnapshot,
  ExecutionAttributes,
  Task,
} from '../model/execution.js';
import type { OpenExecution } from '../engine/open-execution.js';
import type { Payload } from '../model/payload.js';
import type { WorkflowStatus } from '../model/status.js';

export interface StartRequest {
  readonly snapshot: DefinitionSnapshot;
  readonly attributes: ExecutionAttributes;
  readonly input: Payload;
  readonly idempotency?: {
    readonly key: string;
    readonly strategy: 'FAIL' | 'RETURN_EXISTING' | 'FAIL_ON_RUNNING';
  };
}

export interface CommandOptions {
  /** Who sends the command; absent: the server itself. */
  caller?: Caller;
  /** Why, in the caller's words. */
  reason?: string | undefined;
  awaitDelivery?: boolean;
  awaitStarts?: boolean;
}

/** What the server may do with executions. */
export interface Executions {
  /**
   * Starts and runs the first decide; resolves when it is durable. With idempotency a conflict is
   * an AppError 'conflict' that names the existing execution, RETURN_EXISTING resolves with its id.
   */
  start(request: StartRequest): Promise<ExecutionId>;
  /**
   * Starts under an id that the caller derived, or finds the execution that has it already.
   * Resolves with its status when that is durable.
   */
  startAs(id: ExecutionId, request: StartRequest): Promise<WorkflowStatus>;
  /**
   * Sends a command to an execution's single writer; resolves behind the output gate. Refusals are
   * thrown as AppError (also 'not-found' "No such workflow found by id: X"). `awaitDelivery`: also
   * waits (up to a named limit) until the messages to parents and children that the command caused
   * have been carried out, recursively (semantics 9.7: callers see terminated children);
   * `awaitStarts`: the starts of children too, which otherwise take their time.
   */
  command(id: string, command: Command, options?: CommandOptions): Promise<Reply>;
  /**
   * Reads an execution in its newest committed state; `view` runs synchronously on the live state
   * and must copy what it returns. The answer leaves behind the gate of what it showed. undefined
   * when there is none.
   */
  read<T>(id: string, view: (open: OpenExecution) => T): Promise<T | undefined>;
  /**
   * Resolves with the view of the first committed state for which `until` holds, or with the state
   * at `deadlineMs` from now. Costs nothing while it waits; checked after each transition.
   */
  watch<T>(options: {
    id: string;
    until: (open: OpenExecution) => boolean;
    timeoutMs: number;
    view: (open: OpenExecution, timedOut: boolean) => T;
  }): Promise<T>;
  /** Removes an execution and all its records; the caller has checked that it may. */
  remove(id: string): Promise<void>;
}

/** What placement does with the executions of shards. */
export interface ShardExecutions {
  /** The shards are this node's: resolves once what is due or half done in them is under way. */
  takeOver(shards: readonly number[]): Promise<void>;
  /** They are not, or nothing in memory may be believed: callers learn 'unknown-outcome'. */
  drop(shards: readonly number[]): void;
}

/** Runs tasks that do I/O. */
export interface SystemTasks {
  /**
   * Runs the attempt unless that is under way; its result comes back as a command. Resolves when
   * the run has ended; does not reject.
   */
  run(open: OpenExecution, task: Task): Promise<void>;
  cancel(open: OpenExecution, task: Task): void;
}

/** A start that an execution orders. */
export interface DerivedStart {
  readonly id: ExecutionId;
  readonly request: ChildStart;
  readonly sender: OpenExecution;
  /** The sender's task that ordered it; undefined for a failure workflow. */
  readonly taskNumber: number | undefined;
  /** Linked to the sender as its parent. */
  readonly isChild: boolean;
}

export interface DerivedStarts {
  /**
   * Starts under the derived id, or finds the execution that is there. Rejects with AppError
   * 'not-found' or 'bad-request' when it can never start, 'conflict' when its idempotency key is
   * taken.
   */
  start(order: DerivedStart): Promise<{ id: ExecutionId; status: WorkflowStatus }>;
}

/** Whether the store has room for new executions. */
export interface StoreRoom {
  /** Why starts are refused now, undefined when they are not. */
  refusal(): string | undefined;
}

/** What executions tell the people who run the server. */
export interface ShardMonitor {
  /** An error that no caller sees. */
  failed(error: unknown): void;
  count(metric: string, label: string): void;
  /** A batch was confirmed: its commits, and the time from the write to that, ms. */
  batch(size: number, gateMs: number): void;
}
