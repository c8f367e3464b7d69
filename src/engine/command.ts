// Everything an execution can be told. One command is one transition; a file of command-handlers
// carries each out. Commands are plain data, so that a history can be written down, replayed and
// simulated.
import type { ExecutionId } from '../std/ids.js';
import type { Json, JsonMap } from '../model/json.js';
import type {
  DefinitionSnapshot,
  EndedPart,
  ExecutionAttributes,
  TaskResult,
} from '../model/execution.js';
import type { HumanAssignment, HumanUser } from '../model/human/human-definition.js';
import type { Claim } from '../model/human/human-process.js';
import type { Payload } from '../model/payload.js';
import type { WorkflowStatus } from '../model/status.js';
import type { ScriptResult } from './script.js';

/**
 * How an update finds its task: by number, or by reference name (semantics 5.4, "By reference").
 */
export type TaskSelector = { taskNumber: number } | { ref: string; iteration?: number };

/** In a later generation it has been carried out (`Control` of model/caller.ts). */
interface OfGeneration {
  generation?: number;
}

export type Command =
  /**
   * First command of every execution; the state is empty before it (semantics 1.5.1). Ignored if
   * already started.
   */
  | {
      kind: 'start';
      snapshot: DefinitionSnapshot;
      attributes: ExecutionAttributes;
      input: Payload;
    }
  /** First and only command of an execution that has ended at another server. */
  | {
      kind: 'import';
      snapshot: DefinitionSnapshot;
      attributes: ExecutionAttributes;
      input: Payload;
      ended: EndedPart;
    }
  /**
   * A worker's or caller's report. `mergeOutput`: the given keys win over the stored ones instead
   * of replacing all.
   */
  | { kind: 'update-task'; task: TaskSelector; result: TaskResult; mergeOutput: boolean }
  /**
   * A poll wants this attempt. Reply `claimed`, or `not-wanted` when it is no longer SCHEDULED with
   * this reopenCount. With `lease` the lease stands in this execution's commit (sync match);
   * without it the queue keeps it and nothing is written.
   */
  | {
      kind: 'claim-task';
      taskNumber: number;
      reopenCount: number;
      workerId: string | undefined;
      lease?: { number: number };
    }
  /**
   * The lease of an attempt as the queue remembers it, told to a freshly loaded execution before it
   * trusts SCHEDULED (architecture section 1.5).
   */
  | {
      kind: 'restore-lease';
      taskNumber: number;
      reopenCount: number;
      workerId: string | undefined;
      startAt: number;
      pollCount: number;
    }
  /** The queue saw a lease end: response timeout (semantics 2.5). */
  | { kind: 'end-lease'; taskNumber: number; reopenCount: number }
  /**
   * The direct hand-over did not reach its worker: give up the lease in the commit and queue the
   * task again.
   */
  | { kind: 'release-lease'; taskNumber: number; reopenCount: number; leaseNumber: number }
  /** A moment promised by `nextWakeAt` has come. */
  | { kind: 'wake' }
  /** Goes on with a transition that stopped at its budget. */
  | { kind: 'continue' }
  /** Answer to an `evaluate` output; a parked transition goes on. */
  | { kind: 'evaluated'; key: string; result: ScriptResult }
  /** The server begins to run a task that does I/O (HTTP, EVENT ...). */
  | { kind: 'system-task-started'; taskNumber: number; reopenCount: number; startedAt: number }
  /** The server has run a task that does I/O. */
  | {
      kind: 'system-task-result';
      taskNumber: number;
      reopenCount: number;
      result: TaskResult;
      /** When the run began, epoch ms. */
      startedAt?: number;
    }
  /** The execution has a permit: its work that was held back goes on. */
  | { kind: 'place-given'; room: string }
  /** The execution may have a permit, or wait for one: its new owner asks again. */
  | { kind: 'ask-place' }
  // Between executions (outbox messages of model/execution.ts, seen from the receiver)
  | { kind: 'message-delivered'; messageId: number; answer: DeliveryAnswer }
  | {
      kind: 'child-ended';
      taskNumber: number;
      childId: ExecutionId;
      status: WorkflowStatus;
      reason?: string;
      output: Payload;
      nameVersionId: string;
    }
  | {
      kind: 'child-reopened';
      taskNumber: number;
      childId: ExecutionId;
      operation: 'RESTARTED' | 'RETRIED' | 'RERAN';
    }
  /** The parent has ordered this child again: if it has ended, the parent is told once more. */
  | { kind: 'report-end-again' }
  // Controls (semantics 1.5)
  | { kind: 'pause' }
  | { kind: 'resume' }
  | ({ kind: 'restart'; snapshot?: DefinitionSnapshot } & OfGeneration)
  | ({
      kind: 'retry';
      resumeSubworkflowTasks: boolean;
      /**
       * Set between parent and child; nothing is refused then. `descend`: the parent looks for the
       * deepest failure (semantics 1.5.6 form B); `stop`: the child has none, so the parent retries
       * its own; `repair`: the reopened parent counts this child as running (1.6 step 4), which
       * goes on in place or reports its end again.
       */
      asked?: 'descend' | 'stop' | 'repair';
      /** Inputs that callers give for new attempts, by reference name; form A only. */
      taskInputs?: { [ref: string]: JsonMap };
    } & OfGeneration)
  | ({
      kind: 'rerun';
      taskNumber?: number;
      taskInput?: JsonMap;
      workflowInput?: JsonMap;
      correlationId?: string;
    } & OfGeneration)
  /** One of its descendants is about to run again from a task: what the rerun replaces here. */
  | { kind: 'rerun-below'; workflowInput?: JsonMap; correlationId?: string }
  | {
      kind: 'skip-task';
      ref: string;
      taskInput?: JsonMap;
      taskOutput?: JsonMap;
      /** Whether a task that is open is skipped too. */
      evenIfOpen?: boolean;
      reason?: string;
    }
  | {
      kind: 'terminate';
      reason?: string;
      triggerFailureWorkflow: boolean;
      /** Set when the parent asks: the reason is the parent's text and nothing is refused. */
      byParent: boolean;
    }
  /** The server ends it as FAILED, because what it decided could not be written. */
  | { kind: 'abandon'; reason: string }
  | { kind: 'reset-callbacks' }
  | { kind: 'decide' }
  | {
      kind: 'upgrade';
      snapshot: DefinitionSnapshot;
      taskOutput: { [ref: string]: JsonMap };
      workflowInput?: JsonMap;
    }
  | { kind: 'jump'; ref: string; taskInput: JsonMap }
  | {
      kind: 'update-variables';
      variables: JsonMap;
      /** Lists get the new items at their end. */ appendArray?: boolean;
    }
  /**
   * First non-terminal WAIT, HUMAN or YIELD (semantics 1.7); reply `no-blocked-task` when there is
   * none here.
   */
  | { kind: 'signal'; status: TaskResult['status']; output: Payload }
  | { kind: 'push-message'; id: string; payload: JsonMap }
  /** Somebody does something with a human task (contract-admin 10.4). */
  | {
      kind: 'human-action';
      taskNumber: number;
      actedBy: string;
      action: HumanAction;
      /** Absent: the caller may act on the task of anybody. */
      standing?: HumanStanding;
    };

/**
 * As what the caller may act, checked before the command was sent: refused when somebody else is
 * that by the time the action is carried out.
 */
export interface HumanStanding {
  readonly as: 'assignee' | 'claimant';
  readonly user: HumanUser;
  /** Of a claimant (model/human/human-process.ts). */
  readonly claimedBy?: string;
}

export type HumanAction =
  | ({ kind: 'claim' } & Claim)
  | { kind: 'release' }
  | { kind: 'skip'; reason: string | undefined }
  | { kind: 'reassign'; assignments: readonly HumanAssignment[] }
  /** The values are merged over those entered before; with `isWhole` they are in it. */
  | { kind: 'update'; output: JsonMap; complete: boolean; isWhole?: boolean }
  /** Forgets the record; the task itself goes on. */
  | { kind: 'delete' };

/** The answer of the receiver of an outbox message. */
export type DeliveryAnswer =
  | { kind: 'done'; value?: Json }
  /** start-child, start-workflow: it runs (or ran) under this id and has this status. */
  | { kind: 'started'; id: ExecutionId; status: WorkflowStatus }
  /** For good; `message` becomes the reason. */
  /** `isForbidden`: the starter of the execution has no right to it. */
  | { kind: 'refused'; message: string; isForbidden?: boolean };
