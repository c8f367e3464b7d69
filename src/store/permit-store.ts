// Permits of workflows that limit how many of their executions run at the same time (contract-admin
// 9.7): counted in one key for the whole cluster, per pool. A pool is a workflow with one value of
// its key; keys and messages call it `room`.
import type { ExecutionId } from '../std/ids.js';

/** A message of an execution about its permit; the newest number of an execution counts. */
export interface PermitMessage {
  readonly room: string;
  readonly id: ExecutionId;
  /** Rises with each message of the execution. */
  readonly number: number;
}

export interface PermitRequest extends PermitMessage {
  /** Start of the execution, epoch ms: the order of those that wait. */
  readonly startedAt: number;
  /** Permits of the pool. */
  readonly places: number;
  /** Takes a permit even when none is left. */
  readonly isForced: boolean;
}

export interface PermitAnswer {
  /** The execution has a permit; else it waits for one. */
  readonly hasPlace: boolean;
  /** Executions that got a permit while they waited, and have not been told. */
  readonly untold: readonly ExecutionId[];
}

/** The holders of permits of a pool. */
export interface PermitHolders {
  /** Some of them, drawn. */
  readonly holders: readonly ExecutionId[];
  /** Other executions wait for a place. */
  readonly isWaitedFor: boolean;
}

/** Every call may be repeated. */
export interface PermitStore {
  take(request: PermitRequest): Promise<PermitAnswer>;
  /** Gives the place back, or waits no longer; those that wait move up. */
  leave(message: PermitMessage): Promise<PermitAnswer>;
  /** The execution knows that it has a place. */
  told(room: string, id: ExecutionId): Promise<PermitAnswer>;
  /** At most `max` of the executions that have a place. */
  holders(room: string, max: number): Promise<PermitHolders>;
  /** Executions with a place, and which of the given ones have asked, or have left since. */
  look(room: string, ids: readonly ExecutionId[]): Promise<{ taken: number; known: boolean[] }>;
}
