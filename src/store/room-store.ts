// The places of workflows that limit how many of their executions run at the same time
// (contract-admin 9.7): counted in one place for the whole cluster, per room. A room is a workflow
// with one value of its key.
import type { ExecutionId } from '../std/ids.js';

/** A message of an execution about its place; the newest number of an execution counts. */
export interface RoomMessage {
  readonly room: string;
  readonly id: ExecutionId;
  /** Rises with each message of the execution. */
  readonly number: number;
}

export interface PlaceRequest extends RoomMessage {
  /** Start of the execution, epoch ms: the order of those that wait. */
  readonly startedAt: number;
  /** Places of the room. */
  readonly places: number;
  /** Takes a place even when there is none left. */
  readonly isForced: boolean;
}

export interface RoomAnswer {
  /** The execution has a place; else it waits for one. */
  readonly hasPlace: boolean;
  /** Executions that got a place while they waited, and have not been told. */
  readonly untold: readonly ExecutionId[];
}

/** The holders of places in a room. */
export interface RoomHolders {
  /** Some of them, drawn. */
  readonly holders: readonly ExecutionId[];
  /** Other executions wait for a place. */
  readonly isWaitedFor: boolean;
}

/** Every call may be repeated. */
export interface RoomStore {
  take(request: PlaceRequest): Promise<RoomAnswer>;
  /** Gives the place back, or waits no longer; those that wait move up. */
  leave(message: RoomMessage): Promise<RoomAnswer>;
  /** The execution knows that it has a place. */
  told(room: string, id: ExecutionId): Promise<RoomAnswer>;
  /** At most `max` of the executions that have a place. */
  holders(room: string, max: number): Promise<RoomHolders>;
  /** Executions with a place, and which of the given ones have asked, or have left since. */
  look(room: string, ids: readonly ExecutionId[]): Promise<{ taken: number; known: boolean[] }>;
}
