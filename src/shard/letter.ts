// A command with what waits for its reply; the reply passes the output gate (invariants M4).
import type { Trace } from '../telemetry/trace.js';
import type { Command } from '../engine/command.js';
import type { Reply } from '../engine/decision.js';
import type { HeldPayload } from './admission.js';
import type { Mail } from './execution-actor.js';

/** A command on its way to its reply. */
export class Letter implements Mail {
  reply: Reply | undefined;

  constructor(
    readonly command: Command,
    readonly trace: Trace | undefined,
    private readonly payload: HeldPayload | undefined,
    private readonly resolve: (reply: Reply) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  pass(): void {
    const { reply } = this;
    if (reply === undefined) return;
    if (reply.kind === 'refused') return this.fail(reply.error);
    this.payload?.release();
    this.resolve(reply);
  }

  fail(error: Error): void {
    this.payload?.release();
    this.reject(error);
  }
}
