// A connection over which another node asks this one: its calls are carried out by the handlers of
// their operations, each answered once. While too many are under way nothing more is read, so a
// flood waits at its sender.
import { AppError } from '../../model/errors.js';
import { StoreError } from '../../store/execution-store.js';
import { frameKind, packError, type Frame } from './frames.js';
import type { IncomingCall, PeerHandler, PeerOperation } from './peers.js';
import type { PeerLimits, PeerSocket } from './peer-socket.js';

export class PeerSession {
  readonly #running = new Map<number, RunningCall>();

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
        this.#running.get(frame[1] as number)?.cancel();
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
    for (const running of this.#running.values()) running.cancel();
  }

  async #carryOut(number: number, operation: PeerOperation, body: unknown): Promise<void> {
    const running = new RunningCall(this.nodeId);
    this.#running.set(number, running);
    if (this.#running.size === this.limits.callsAtOnceMax) this.socket.pause();
    try {
      const answer = await this.#handle(operation, body, running);
      this.socket.send([frameKind.answer, number, answer]);
    } catch (error) {
      const isDefect = !(error instanceof AppError || error instanceof StoreError);
      if (isDefect || (error instanceof AppError && error.kind === 'internal')) this.failed(error);
      this.socket.send([frameKind.failure, number, packError(error)]);
    }
    this.#running.delete(number);
    if (this.#running.size === this.limits.callsAtOnceMax - 1) this.socket.resume();
  }

  async #handle(operation: PeerOperation, body: unknown, call: IncomingCall): Promise<unknown> {
    const handler = this.handlers.get(operation);
    if (handler === undefined) {
      throw new AppError('unavailable', `This node does not know the call ${operation}`);
    }
    return await handler(body, call);
  }

  #note(operation: PeerOperation, body: unknown): void {
    this.#handle(operation, body, new RunningCall(this.nodeId)).catch(this.failed);
  }
}

class RunningCall implements IncomingCall {
  isCancelled = false;
  #controller: AbortController | undefined;

  constructor(readonly nodeId: string) {}

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.isCancelled) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  cancel(): void {
    this.isCancelled = true;
    this.#controller?.abort();
  }
}
