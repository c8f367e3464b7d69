// The contracts between executions and the rest of the server. Operations, system tasks and
// placement know executions only through these, so that a cluster can put forwarding behind them.
import type { Durable } from '../std/durable.js';
import type { ExecutionId } from '../std/ids.js';
import type { Command } from '../engine/command.js';
import type { Reply } from '../engine/decision.js';
import { systemCaller, type Caller } from '../model/caller.js';
import type {
  ChildStart,
  DefinitionSnapshot,
  EndedPart,
  ExecutionAttributes,
  Task,
} from '../model/execution.js';
import type { OpenExecution } from '../engine/open-execution.js';
import type { JsonMap } from '../model/json.js';
import type { NamedWait, View } from './named-views.js';
import type { Payload } from '../model/payload.js';
import type { WorkflowStatus } from '../model/status.js';
import type { TraceContext } from '../telemetry/trace-context.js';

export interface StartRequest {
  readonly snapshot: DefinitionSnapshot;
  readonly attributes: ExecutionAttributes;
  readonly input: Payload;
  readonly idempotency?: {
    readonly key: string;
    readonly strategy: 'FAIL' | 'RETURN_EXISTING' | 'FAIL_ON_RUNNING';
  };
  /**
   * Absent: a request of a caller causes the start, whose trace is the current one. Else the trace
   * of what causes it; without `parent` that is not traced, and nor is the execution.
   */
  readonly traced?: { readonly parent?: TraceContext };
  /** It ended at another server: it is stored and nothing of it runs. */
  readonly ended?: EndedPart;
}

export interface CommandOptions {
  /** The sender of the command. */
  caller: Caller;
  /** Why, in the caller's words. */
  reason?: string | undefined;
  awaitDelivery?: boolean;
  awaitStarts?: boolean;
}

/** The server itself sends it: executions to each other, and what follows from time and events. */
export const bySystem: CommandOptions = { caller: systemCaller };

export interface WatchOptions<Args, T> {
  readonly id: string;
  readonly wait: NamedWait<Args, T>;
  readonly args: Args;
  readonly timeoutMs: number;
  /** Nobody waits any more: the watch rejects. */
  readonly signal?: AbortSignal;
}

/** The operations of the server on executions. */
export interface Executions {
  /**
   * Starts and runs the first decide; resolves when it is durable. With idempotency a conflict is
   * an AppError 'conflict' that names the existing execution, RETURN_EXISTING resolves with its id.
   */
  start(request: StartRequest): Promise<ExecutionId>;
  /**
   * Starts under an id that the caller derived, or finds the execution that has it already.
   * Resolves with its status when that is durable. `isFirst`: nothing was ever started under the
   * id, so it is not looked for first; if that is wrong, the commit is refused.
   */
  startAs(id: ExecutionId, request: StartRequest, isFirst?: boolean): Promise<WorkflowStatus>;
  /**
   * Sends a command to an execution's single writer; resolves behind the output gate. Refusals are
   * thrown as AppError (also 'not-found' "No such workflow found by id: X"). `awaitDelivery`: also
   * waits (up to a named limit) until the messages to parents and children that the command caused
   * have been carried out, recursively (semantics 9.7: callers see terminated children);
   * `awaitStarts`: the starts of children too, which otherwise take their time.
   */
  command(id: string, command: Command, options: CommandOptions): Promise<Reply>;
  /**
   * Reads an execution in its newest committed state; `view` runs synchronously on the live state
   * and must copy what it returns. The answer leaves behind the gate of what it showed. undefined
   * when there is none.
   */
  read<T>(id: string, view: View<T>): Promise<T | undefined>;
  /**
   * The state that this node has in memory, at once and before it is durable: for facts that never
   * change, such as the name of the definition. undefined: not in memory here, or no such
   * execution; `read` knows.
   */
  peek<T>(id: string, view: View<T>): T | undefined;
  /** Resolves when the wait is reached, with its late answer after `timeoutMs`. */
  watch<Args, T>(options: WatchOptions<Args, T>): Promise<T>;
  /**
   * Lets an execution be loaded again that is in quarantine (invariants M13), and loads it. False
   * when it is not.
   */
  release(id: string): Promise<boolean>;
  /** Removes an execution and all its records; the caller has checked that it may. */
  remove(id: string): Promise<void>;
  /**
   * One sentence about why commands for the execution do not reach its owner from this node;
   * undefined while they do.
   */
  ownerTrouble(id: string): string | undefined;
}

/** The operations of the placement on the executions of shards. */
export interface ShardExecutions {
  /**
   * The shards are this node's: resolves once what is due or half done in them is under way.
   * `abandoned`: those that their former owner did not give back, because it died or stood still.
   */
  takeOver(shards: readonly number[], abandoned: readonly number[]): Promise<void>;
  /** They are not, or nothing in memory may be believed: callers learn 'unknown-outcome'. */
  drop(shards: readonly number[]): void;
  /**
   * Takes no more commands for the shards and yields those in which what was decided is durable, as
   * they become so; the rest after a named limit. `drop` follows for what is yielded.
   */
  handOver(shards: readonly number[]): AsyncIterable<readonly number[]>;
}

/** Runs tasks that do I/O. */
export interface SystemTasks {
  /**
   * Runs the attempt unless that is under way; its result comes back as a command. Resolves when
   * the run has ended; does not reject.
   */
  run(open: OpenExecution, task: Durable<Task>): Promise<void>;
  cancel(open: OpenExecution, task: Durable<Task>): void;
  /**
   * The execution was loaded, and the outside world may reach this task of it: makes sure that it
   * can. A failover may have undone what has ended it and left what was taken away for that end.
   * Rejects while the store is away.
   */
  confirm(open: OpenExecution, task: Task): Promise<void>;
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

export interface HumanTaskFollower {
  /** Takes the task as it is now; nothing of it when it is gone. Repeatable. */
  changed(open: OpenExecution, taskNumber: number): Promise<void>;
}

/** An order that waits until a quota lets it through. */
export interface HeldOrder {
  /** Name of the setting. */
  readonly quota: string;
  readonly waitMs: number;
}

export interface DerivedStarts {
  /** Counts an order for who started the sender; undefined: it may be carried out at once. */
  hold?(sender: OpenExecution, request: ChildStart): HeldOrder | undefined;
  /** Name of the quota on open executions that leaves no room for an order, if one does. */
  full?(request: ChildStart): Promise<string | undefined>;
  /**
   * Starts under the derived id, or finds the execution that is there. Rejects with AppError
   * 'not-found' or 'bad-request' when it can never start, 'conflict' when its idempotency key is
   * taken.
   */
  start(order: DerivedStart): Promise<{ id: ExecutionId; status: WorkflowStatus }>;
}

/** An event that an execution tells of a state change (semantics 2.14). */
export interface PublishedEvent {
  readonly sink: string;
  /** In place of a sink. */
  readonly webhookId?: string | undefined;
  readonly source: { readonly workflowName: string; readonly ref: string };
  /** Subject id of who started the execution. */
  readonly startedBy: string | undefined;
  readonly taskId: string;
  /** When it happened, epoch ms; undefined: not known. */
  readonly at: number | undefined;
  /** The same for each try to publish it. */
  readonly key: string;
  readonly payload: JsonMap;
  /** Of the execution, if that is traced. */
  readonly trace?: TraceContext;
}

export interface EventPublisher {
  /** Rejects with AppError 'bad-request' or 'forbidden' when it can never be published. */
  publish(event: PublishedEvent): Promise<void>;
}

/** Whether the store has room for new executions. */
export interface StoreCapacity {
  /** Why starts are refused now, undefined when they are not. */
  refusal(): string | undefined;
}

/** Hears of events for the people who run the server. */
export interface ShardMonitor {
  /** An error that no caller sees. `about`: fields of its log line. */
  failed(error: unknown, about?: object): void;
  count(metric: string, label: string): void;
  /** A batch was confirmed: its commits, and the time from the write to that, ms. */
  batch(size: number, gateMs: number): void;
}
