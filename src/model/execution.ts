// One run of a workflow definition and its tasks, as the engine keeps them in memory and the store
// keeps them on disk. The wire form (`Workflow` and `Task` of contract-core 7) is made from these
// by workflow-json.ts and task-json.ts. All moments are epoch ms, 0 = not set.
import type { ExecutionId } from '../std/ids.js';
import type { HistoryEntry } from './history.js';
import type { JsonMap, Json } from './json.js';
import type { Payload } from './payload.js';
import type { TaskStatus, WorkflowStatus } from './status.js';
import type { TraceContext } from '../telemetry/trace-context.js';
import type { NameOwner } from './name-registration.js';
import type { WorkflowDef, WorkflowTask } from './workflow-def.js';

/**
 * A workflow definition as an execution keeps it: every task configuration carries its task
 * definition (semantics 0.4). Snapshots are shared by content: equal snapshots are one object per
 * process, `hash` names the content in the store.
 */
export interface DefinitionSnapshot {
  readonly hash: string;
  readonly def: WorkflowDef;
}

/**
 * Fixed when the execution starts; changed only by restart, rerun and upgrade. Stored as one
 * record.
 */
export interface ExecutionAttributes {
  correlationId?: string;
  priority: number;
  taskToDomain: { [taskType: string]: string };
  parentWorkflowId?: ExecutionId;
  /** Number of the parent's SUB_WORKFLOW task. */
  parentTaskNumber?: number;
  event?: string;
  createdBy?: string;
  /** Absent: an earlier version started it. */
  nameOwner?: NameOwner;
  idempotencyKey?: string;
  externalInputPayloadStoragePath?: string;
  /**
   * Variables that the embedded definition shows instead of its own; set by the first transition
   * only (set-variable.ts).
   */
  definitionVariables?: Payload;
  /** How many executions above this one started each other; absent = 0 (invariants S18). */
  depth?: number;
  /**
   * Id of the failed execution when this is a failure workflow, of the starter for START_WORKFLOW.
   */
  triggeredBy?: ExecutionId;
  /** Absent: nobody traces it. */
  trace?: ExecutionTrace;
  /** Set for one that ended at another server: it is read and never changed. */
  imported?: ImportMark;
}

/** Where an imported execution comes from. */
export interface ImportMark {
  /** Its id there. */
  readonly id: string;
  /** Address of the other server, as who imported it gave it. */
  readonly from: string;
  /** When it was imported, epoch ms. */
  readonly at: number;
}

/** The rest of an execution that ended at another server, beside the parts of a start. */
export interface EndedPart {
  readonly state: ExecutionProgress;
  readonly output: Payload;
  readonly variables: Payload;
  /** All of them have ended. */
  readonly tasks: readonly Task[];
}

/** The trace of an execution, fixed at its start: it outlives the node (docs/tracing.md). */
export interface ExecutionTrace extends TraceContext {
  /**
   * Set when the server tells spans of it: `traceparent` names the span of the execution then, and
   * this is the id of the span above it ('' = none). Absent: the context is the caller's and is
   * only passed on.
   */
  readonly parentSpanId?: string;
}

/** The permit of an execution to run beside others of its pool (contract-admin 9.7). */
export interface PermitState {
  /** The pool: the workflow with one value of its key. */
  readonly room: string;
  /** It waits for a permit: none of its tasks has been scheduled. */
  readonly isHeld: boolean;
}

/** The parts that change while it runs. Stored as one small record that every commit rewrites. */
export interface ExecutionProgress {
  status: WorkflowStatus;
  previousStatus?: WorkflowStatus;
  createTime: number;
  updateTime: number;
  endTime: number;
  lastRetriedTime: number;
  reasonForIncompletion?: string;
  failedTaskNumber?: number;
  failedReferenceTaskNames: string[];
  failedTaskNames: string[];
  reRunFromWorkflowId?: ExecutionId;
  /** Set while the workflow limits how many of its executions run at the same time. */
  room?: PermitState;
  /** Highest task number given so far; never resets, not even by restart (invariants M6). */
  taskCounter: number;
  /** Highest seq given so far in this generation. */
  seqCounter: number;
  /** Number of the next outbox message (see OutboxMessage). */
  outboxCounter: number;
  /** Run number: retry, restart and rerun by a user open the next one (semantics 1.5). */
  generation: number;
  /**
   * The last transition stopped at its budget: it must go on as soon as the execution is loaded.
   */
  unsettled: boolean;
}

export interface Execution {
  readonly id: ExecutionId;
  snapshot: DefinitionSnapshot;
  attributes: ExecutionAttributes;
  state: ExecutionProgress;
  input: Payload;
  output: Payload;
  variables: Payload;
  /**
   * Ordered by seq; skipped tasks have seq 0 and come first. Attempts of one reference stand in
   * attempt order.
   */
  tasks: Task[];
  /** Messages to others that are not yet confirmed, by id, in order of creation. */
  outbox: Map<number, OutboxMessage>;
  /** Waiting messages for PULL_WORKFLOW_MESSAGES, oldest first (semantics 1.8). */
  messages: WorkflowMessage[];
  /** The controls of callers, oldest first; absent while there are none. */
  history?: HistoryEntry[];
}

export interface WorkflowMessage {
  id: string;
  payload: JsonMap;
  /** Epoch ms. */
  receivedAt: number;
}

/**
 * The right of one worker to one attempt, when it was handed over inside a commit (invariants M7,
 * M8).
 */
export interface TaskLease {
  number: number;
  /** Epoch ms; 0 = no end. */
  endAt: number;
}

/**
 * One attempt at a workflow task. Records made by the engine and the codec have all fields, in one
 * order, absent ones as undefined: the hot path then meets one shape.
 */
export interface Task {
  readonly number: number;
  /** With `__N` inside loops. */
  ref: string;
  /**
   * Configuration; shared object of the snapshot, of a fork's expansion or, for skipped tasks, a
   * minimal one.
   */
  config: WorkflowTask;
  /** Run-time type: the task name for SIMPLE and DYNAMIC, FORK for both forks (semantics 0.7). */
  taskType: string;
  defName: string;
  status: TaskStatus;
  seq: number;
  retryCount: number;
  /**
   * Rises each time this record is reopened in place; names the attempt together with the number
   * (invariants section 1).
   */
  reopenCount: number;
  retried: boolean;
  executed: boolean;
  retriedTaskNumber?: number | undefined;
  iteration: number;
  scheduledAt: number;
  firstScheduledAt: number;
  startAt: number;
  firstStartAt: number;
  endAt: number;
  updateAt: number;
  startDelaySeconds: number;
  callbackAfterSeconds: number;
  /**
   * Queue delay when > 0, exact to the ms (retry delay with jitter); else callbackAfterSeconds
   * counts.
   */
  callbackAfterMs: number;
  responseTimeoutSeconds: number;
  rateLimitPerFrequency: number;
  rateLimitFrequencyInSeconds: number;
  pollCount: number;
  workerId?: string | undefined;
  domain?: string | undefined;
  reason?: string | undefined;
  subWorkflowId?: ExecutionId | undefined;
  subworkflowChanged: boolean;
  /** End of a WAIT with timer. */
  waitUntilAt: number;
  lease?: TaskLease | undefined;
  input: Payload;
  /**
   * The stored output. A JOIN's, FORK's or DO_WHILE's visible output may be derived: ask the
   * engine's `outputOf`.
   */
  output: Payload;
  /**
   * Private to the task type, stored with the record (for example what a JOIN refers to). Small.
   */
  notes?: Json | undefined;
  executionMetadata?: JsonMap | undefined;
  externalOutputPayloadStoragePath?: string | undefined;
}

/**
 * A message to another execution that must not be lost (invariants M5): written in the commit that
 * decides it, delivered by the outbox until the other side has confirmed behind its own barrier,
 * then deleted by the command `message-delivered`. Every kind is idempotent at its receiver.
 */
export type OutboxMessage =
  | {
      id: number;
      kind: 'start-child';
      /** Derived from parent, reference and attempt: a repeated start meets the same child. */
      childId: ExecutionId;
      taskNumber: number;
      reopenCount: number;
      request: ChildStart;
    }
  | {
      id: number;
      /** START_WORKFLOW tasks, failure workflows and triggers of human tasks: no parent link. */
      kind: 'start-workflow';
      /** Nobody wants to know what became of it. */
      isUnwatched?: true;
      startedId: ExecutionId;
      /** The START_WORKFLOW task that waits for the answer; absent for a failure workflow. */
      taskNumber?: number;
      reopenCount?: number;
      request: ChildStart;
    }
  | { id: number; kind: 'terminate-child'; childId: ExecutionId; reason: string }
  | {
      id: number;
      kind: 'report-end';
      parentId: ExecutionId;
      taskNumber: number;
      /** Of the child that ended. */
      status: WorkflowStatus;
      reason?: string;
      generation: number;
    }
  | {
      id: number;
      /** Walk up the parents after restart, retry or rerun of a child (semantics 1.6). */
      kind: 'reopen-parent';
      parentId: ExecutionId;
      taskNumber: number;
      operation: 'RESTARTED' | 'RETRIED' | 'RERAN';
      generation: number;
    }
  | {
      id: number;
      /**
       * Parent asks a child to retry in place or to run again from a task (semantics 1.5.6 form B,
       * 1.5.7 A, 1.6 step 4).
       */
      kind: 'command-child';
      childId: ExecutionId;
      taskNumber: number;
      operation: Json;
    }
  | {
      id: number;
      /** UPDATE_TASK and TERMINATE_WORKFLOW tasks: a command to any execution. */
      kind: 'command-other';
      targetId: ExecutionId;
      taskNumber: number;
      reopenCount: number;
      operation: Json;
    }
  /** A human task is new, has changed or is gone: the index of human tasks follows. */
  | { id: number; kind: 'human-task-changed'; taskNumber: number }
  /** A permit of a pool is asked for; `isForced`: taken, also beyond the limit. */
  | { id: number; kind: 'take-place'; room: string; places: number; isForced: boolean }
  /** A place is given back, or no longer waited for. */
  | { id: number; kind: 'leave-place'; room: string }
  | {
      id: number;
      /** An event of a state change (semantics 2.14). */
      kind: 'publish-event';
      /** As an EVENT task's, or the plain name of a queue of the workflow. */
      sink: string;
      /** In place of a sink: the outgoing webhook that is told. */
      webhookId?: string;
      /** Of the task that it is about, else of the execution. */
      taskId: string;
      /** When it happened, epoch ms; absent in messages of earlier versions. */
      at?: number;
      payload: JsonMap;
    };

/**
 * The start that an outbox message orders. `name` and `version` are looked up when the start is
 * delivered unless `def` is given.
 */
export interface ChildStart {
  name: string;
  /** Absent or 0: latest. */
  version?: number;
  def?: WorkflowDef;
  input: Payload;
  /** `attributes.depth` of what is started; absent: 0. */
  depth?: number;
  /**
   * Failure workflows: the delivery of the start adds the failed execution (contract-core 10.4) as
   * input.failedWorkflow.
   */
  failedWorkflow?: true;
  correlationId?: string;
  priority: number;
  taskToDomain: { [taskType: string]: string };
  createdBy?: string;
  idempotencyKey?: string;
  idempotencyStrategy?: 'FAIL' | 'RETURN_EXISTING' | 'FAIL_ON_RUNNING';
}

/** The report of a worker (contract-core 15.1), already checked. */
export interface TaskResult {
  status: 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR' | 'CANCELED';
  output: Payload;
  reasonForIncompletion?: string;
  callbackAfterSeconds: number;
  workerId?: string;
  subWorkflowId?: string;
  extendLease: boolean;
  externalOutputPayloadStoragePath?: string;
  executionMetadata?: JsonMap;
}
