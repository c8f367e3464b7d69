// A command on its way to its reply: what came with it, and who waits for the reply.
import type { Trace } from '../telemetry/trace.js';
import type { Control } from '../model/caller.js';
import type { Command } from '../engine/command.js';
import { isTold } from '../engine/control-history.js';
import type { Reply } from '../engine/decision.js';
import type { HeldPayload } from './admission.js';
import type { QueuedCommand } from './execution-actor.js';
import type { CommandOptions } from './executions.js';

export interface SubmitOptions {
  readonly trace?: Trace | undefined;
  /** Released with the reply. */
  readonly payload?: HeldPayload | undefined;
  /** The sender and the reason, when the execution's history is to tell of it. */
  readonly control?: Control | undefined;
}

/** A command on its way to its reply. */
export class SubmittedCommand implements QueuedCommand {
  reply: Reply | undefined;

  readonly trace: Trace | undefined;
  readonly control: Control | undefined;
  readonly #payload: HeldPayload | undefined;

  constructor(
    readonly command: Command,
    { trace, payload, control }: SubmitOptions,
    private readonly resolve: (reply: Reply) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.trace = trace;
    this.control = control;
    this.#payload = payload;
  }

  pass(): void {
    const { reply } = this;
    if (reply === undefined) return;
    if (reply.kind === 'refused') return this.fail(reply.error);
    this.#payload?.release();
    this.resolve(reply);
  }

  fail(error: Error): void {
    this.#payload?.release();
    this.reject(error);
  }
}

/** The control that the execution's history is to tell of; undefined when it is none. */
export function controlOf(
  command: Command,
  { caller, reason }: CommandOptions,
): Control | undefined {
  return isTold(command, { caller }) ? { caller, reason } : undefined;
}
