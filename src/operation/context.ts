// The context of every operation: the executions and queues of the node, the stores behind them,
// and limits. An operation knows nothing of HTTP and is called by endpoints, schedules and event
// handlers alike. Its arguments are this context, who asks, and the request:
//
//   getWorkflow(context, caller, request)      reads and reports take the caller
//   pauseWorkflow(context, control, id)        controls take a `Control`: the caller and a reason
//
// The operation checks what the caller may (access.ts) and passes caller and reason on with its
// command. An act of the server on behalf of a definition has the caller `systemCaller`.
import type { AccessRules } from '../access/access-rules.js';
import type { ExecutionId } from '../std/ids.js';
import type { Clock } from '../std/clock.js';
import type { DefinitionLookup, SecretRules } from '../engine/context.js';
import type { DefinitionSnapshot } from '../model/execution.js';
import type { JsonMap } from '../model/json.js';
import type { NameOwner } from '../model/name-registration.js';
import { defaultValueLimits, type ValueLimits } from '../model/value-limits.js';
import type { WorkflowDef } from '../model/workflow-def.js';
import type { QueueName } from '../engine/decision.js';
import type { TaskQueues } from '../queue/task-queues.js';
import type { WorkerNotes } from '../queue/worker-notes.js';
import type { ScriptShare } from '../sandbox/script-share.js';
import type { Executions } from '../shard/executions.js';
import type { SharedLimiter } from '../std/shared-limiter.js';
import type { ExecutionStore } from '../store/execution-store.js';
import type { PollData, QueueStore } from '../store/queue-store.js';
import type { MinuteCounts } from '../store/statistics-store.js';
import type { TaskLogStore } from '../store/task-log-store.js';
import type { Tracing } from '../telemetry/tracing.js';
import type { TaskUse } from './definitions/task-use.js';
import type { StartPermits } from './start-permits.js';
import type { ParkedPolls } from './parked-polls.js';
import type { HeldQuotas } from './held-quotas.js';
import type { OpenQuotas } from './open-executions.js';
import type { StartQuotas } from './start-quotas.js';
import type { ExecutionArchive } from './archive.js';
import type { WaitingCallers } from './waiting-callers.js';

/** The counts of the nodes, minute by minute. */
export interface CountedMinutes {
  /** Since when events are counted, epoch ms. */
  readonly since: number;
  /** Of the minutes that begin in the span; both ends epoch ms. */
  read(fromAt: number, untilAt: number): Promise<MinuteCounts[]>;
}

/** Registered definitions as operations use them. */
export interface KnownDefinitions extends DefinitionLookup {
  /**
   * The definition that a start asks for: exactly this version, 0 too (recorded: 0 does not mean
   * the latest there); the latest when absent.
   */
  exactDef(name: string, version?: number): WorkflowDef | undefined;
  /**
   * The definition with every task definition and sub-workflow version embedded (semantics 0.4).
   * Throws AppError 'bad-request' when a sub-workflow's definition is missing.
   */
  snapshot(def: WorkflowDef): DefinitionSnapshot;
  /**
   * Makes a snapshot that is still to be made, with pauses for others; undefined when there is
   * nothing to do. Rejects as `snapshot` throws.
   */
  prepareSnapshot(def: WorkflowDef): Promise<unknown> | undefined;
  /**
   * The owner of the name of an execution that starts now (docs/access.md). `isInline`: its
   * definition came with the start.
   */
  nameOwner(name: string, starter: string, isInline: boolean): NameOwner;
  /** Reads changes of other nodes now; resolves once they are known here. */
  refresh(): Promise<void>;
}

/** The polls of queues at all nodes; those of the last second may be missing. */
export interface PollDataSource {
  /** All types when `taskType` is undefined. */
  list(taskType: string | undefined): Promise<readonly PollData[]>;
  /** Epoch ms of the last poll of each queue, 0 = never. */
  lastPolls(queues: readonly QueueName[]): Promise<readonly number[]>;
}

/** Indexes of executions. */
export type ExecutionIndex = Pick<ExecutionStore, 'running' | 'correlated' | 'startedBetween'>;

/** Reads large payloads outside requests, which starts and results name. */
export interface PayloadSource {
  /** Throws AppError 'bad-request' naming `field` when nothing fit is stored under `path`. */
  read(path: string, field: string): Promise<JsonMap>;
}

export interface OperationContext {
  readonly access: AccessRules;
  /** Which task definitions not everybody may use; absent: none. */
  readonly taskUse?: Pick<TaskUse, 'require'>;
  readonly executions: Executions;
  /** Absent: starts are not limited. */
  readonly startPermits?: StartPermits;
  /** Searches at a time, by caller; absent: not bounded. */
  readonly searchTurns?: SharedLimiter | undefined;
  /** Long polls by caller; absent: not bounded by caller. */
  readonly parkedPolls?: ParkedPolls | undefined;
  /** Absent: callers may start as many as they like. */
  readonly startQuotas?: StartQuotas | undefined;
  readonly openQuotas?: OpenQuotas | undefined;
  readonly heldQuotas?: Pick<HeldQuotas, 'admit'> | undefined;
  /** The quota that scripts wait for now: of a caller's executions of a definition. */
  readonly scriptsHeldBy?: (share: ScriptShare) => string | undefined;
  readonly taskQueues: TaskQueues;
  /** Absent: authentication is off, so no right ends while somebody waits. */
  readonly waiting?: WaitingCallers | undefined;
  readonly executionIndex: ExecutionIndex;
  readonly queueStore: QueueStore;
  readonly pollData: PollDataSource;
  /** The workers of this node; absent: nobody asks. */
  readonly workers?: Pick<WorkerNotes, 'polled' | 'reported'>;
  readonly taskLogs: TaskLogStore;
  readonly secrets: Pick<SecretRules, 'any' | 'textsOf'>;
  readonly definitions: KnownDefinitions;
  /** The events per minute. */
  readonly minutes: CountedMinutes;
  /** Payloads that starts and results name by a path. */
  readonly payloads: PayloadSource;
  /** Absent: executions are removed for good. */
  readonly archive?: ExecutionArchive | undefined;
  /** Removes the contents of an execution's files. */
  readonly removeFiles: (id: ExecutionId) => Promise<void>;
  readonly clock: Clock;
  /** Told of the kind of error of each start that is refused; absent: nobody counts them. */
  readonly startRefused?: (kind: string) => void;
  /** Absent: nobody takes spans. */
  readonly tracing?: Tracing | undefined;
  /** Draws a UUID; for ids that nobody repeats: message ids, request ids, payload keys. */
  readonly randomId: () => string;
  readonly limits: OperationLimits;
}

export interface OperationLimits {
  /** Bytes of JSON text of a start's input (contract-core 13.3). */
  readonly workflowInputBytesMax: number;
  /** Of values that callers and platforms send. */
  readonly values: ValueLimits;
  /** Tasks per batch poll. */
  readonly pollCountMax: number;
  /** Longest wait that a batch poll may ask for, ms (contract-core 15.2). */
  readonly pollTimeoutMsMax: number;
  /** How long update-v2 waits for the next task in all, ms (contract-core 15.3). */
  readonly nextTaskWaitMs: number;
  /** How long update-v2 waits at most for what is on its way once the update is through, ms. */
  readonly nextTaskGraceMs: number;
  /** Longest wait of synchronous calls, seconds (contract-core 21.1). */
  readonly waitSecondsMax: number;
  /** Executions answered by one correlated or running call. */
  readonly listedExecutionsMax: number;
  /** Executions read at the same time for one call. */
  readonly readsAtOnceMax: number;
  /** Depth of sub-workflows that searches descend. */
  readonly childDepthMax: number;
}

export const defaultOperationLimits: OperationLimits = {
  workflowInputBytesMax: 10_240 * 1024,
  values: defaultValueLimits,
  pollCountMax: 1000,
  pollTimeoutMsMax: 5000,
  nextTaskWaitMs: 100,
  nextTaskGraceMs: 10,
  waitSecondsMax: 600,
  listedExecutionsMax: 1000,
  readsAtOnceMax: 32,
  childDepthMax: 32,
};
