// A connection over which another node asks this one: its calls are carried out by the handlers of
// their operations, each answered once. While too many are under way nothing more is read, so a
// flood waits at its sender.
import { AppError } from '../../model/errors.js';
import { StoreError } from '../../store/execution-store.js';
import { frameKind, packError, type Frame } from './frames.js';
import type { PeerHandler, PeerOperation } from './peers.js';
import type { PeerLimits, PeerSocket } from './peer-socket.js';

export class PeerSession {
  readonly #running = new Map<number, AbortController>();

  constructor(
    readonly nodeId: string,
    private readonly socket: PeerSocket,
    private readonly handlers: ReadonlyMap<PeerOperation, PeerHandler>,
    private readonly limits: PeerLimits,
    /** A notice could not be handled. */
    private readonly failed: (error: unknown) => void,
  ) {}

  received(frame: Frame): void {
    switch (frame[0]) {
      case frameKind.call:
        void this.#carryOut(frame[1] as number, frame[2] as PeerOperation, frame[3]);
        return;
      case frameKind.cancel:
        this.#running.get(frame[1] as number)?.abort();
        return;
      case frameKind.notice:
        this.#note(frame[1] as PeerOperation, frame[2]);
        return;
      default:
        throw new Error(`A frame of kind ${frame[0]} from a node that asks`);
    }
  }

  /** The connection has ended: nobody waits for the answers. */
  lost(): void {
    for (const running of this.#running.values()) running.abort();
  }

  async #carryOut(number: number, operation: PeerOperation, body: unknown): Promise<void> {
    const running = new AbortController();
    this.#running.set(number, running);
    if (this.#running.size === this.limits.callsAtOnceMax) this.socket.pause();
    try {
      const answer = await this.#handle(operation, body, running.signal);
      this.socket.send([frameKind.answer, number, answer]);
    } catch (error) {
      const isDefect = !(error instanceof AppError || error instanceof StoreError);
      if (isDefect || (error instanceof AppError && error.kind === 'internal')) this.failed(error);
      this.socket.send([frameKind.failure, number, packError(error)]);
    }
    this.#running.delete(number);
    if (this.#running.size === this.limits.callsAtOnceMax - 1) this.socket.resume();
  }

  async #handle(operation: PeerOperation, body: unknown, signal: AbortSignal): Promise<unknown> {
    const handler = this.handlers.get(operation);
    if (handler === undefined) {
      throw new AppError('unavailable', `This node does not know the call ${operation}`);
    }
    return await handler(body, { nodeId: this.nodeId, signal });
  }

  #note(operation: PeerOperation, body: unknown): void {
    const { signal } = new AbortController();
    this.#handle(operation, body, signal).catch(this.failed);
  }
}
