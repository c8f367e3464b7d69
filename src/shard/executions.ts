// What the rest of the server may do with executions; implemented by `shard/shards.ts`. Operations
// use only this, so that a later cluster can put forwarding behind it.
import type { ExecutionId } from '../std/ids.js';
import type { Command } from '../engine/command.js';
import type { Reply } from '../engine/decision.js';
import type { Caller } from '../model/caller.js';
import type { Execution, DefinitionSnapshot, ExecutionAttributes } from '../model/execution.js';
import type { OpenExecution } from '../engine/open-execution.js';
import type { Payload } from '../model/payload.js';

export interface StartRequest {
  /** Chosen by the caller for derived ids; absent: drawn at random. */
  readonly id?: ExecutionId;
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

export interface Executions {
  /**
   * Starts and runs the first decide; resolves when it is durable. With idempotency a conflict is
   * an AppError 'conflict' that names the existing execution, RETURN_EXISTING resolves with its id.
   */
  start(request: StartRequest): Promise<ExecutionId>;
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

export type { Execution };
