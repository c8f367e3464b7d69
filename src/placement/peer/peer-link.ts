// A connection over which this node asks another one: its calls, its notices, and the answers. Lost
// connections fail every call that waits for an answer: whether it was carried out is not known.
import { AppError } from '../../model/errors.js';
import type { Clock, TimerHandle } from '../../std/clock.js';
import { frameKind, unpackError, type Frame } from './frames.js';
import { PeerError, type PeerCallOptions, type PeerOperation } from './peers.js';
import type { PeerSocket } from './peer-socket.js';

/** Calls that wait for an answer of one node; more are refused. */
const waitingCallsMax = 50_000;

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: TimerHandle;
  readonly signal: AbortSignal | undefined;
  readonly aborted: () => void;
}

export class PeerLink {
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #isRetired = false;

  constructor(
    readonly nodeId: string,
    readonly bootId: string,
    private readonly socket: PeerSocket,
    private readonly clock: Clock,
  ) {}

  call(operation: PeerOperation, body: unknown, options: PeerCallOptions): Promise<unknown> {
    if (this.#waiting.size >= waitingCallsMax) {
      throw new AppError('unavailable', `Too many calls wait for node ${this.nodeId}`, {
        retryAfterSeconds: 1,
      });
    }
    const number = (this.#calls += 1);
    if (!this.socket.send([frameKind.call, number, operation, body])) {
      return Promise.reject(new PeerError('not-sent', `The link to ${this.nodeId} is lost`));
    }
    return new Promise((resolve, reject) => {
      const aborted = (): void => this.#giveUp(number, 'The caller has gone');
      const timer = this.clock.after(options.timeoutMs, () =>
        this.#giveUp(number, `Node ${this.nodeId} did not answer in ${options.timeoutMs} ms`),
      );
      this.#waiting.set(number, { resolve, reject, timer, signal: options.signal, aborted });
      options.signal?.addEventListener('abort', aborted, { once: true });
      if (options.signal?.aborted === true) aborted();
    });
  }

  /** Nothing is asked over it any more: it ends when the calls that wait are answered. */
  retire(): void {
    this.#isRetired = true;
    if (this.#waiting.size === 0) this.socket.finish();
  }

  notify(operation: PeerOperation, body: unknown): boolean {
    return this.socket.send([frameKind.notice, operation, body]);
  }

  /** An answer or failure of the other node; others are passed over: their caller has given up. */
  answered(frame: Frame): void {
    const waiting = this.#take(frame[1] as number);
    if (waiting === undefined) return;
    if (frame[0] === frameKind.answer) waiting.resolve(frame[2]);
    else waiting.reject(unpackError(frame[2]));
  }

  /** The connection has ended. */
  lost(): void {
    for (const number of [...this.#waiting.keys()]) {
      this.#take(number)?.reject(new PeerError('unknown', `The link to ${this.nodeId} was lost`));
    }
  }

  #giveUp(number: number, why: string): void {
    const waiting = this.#take(number);
    if (waiting === undefined) return;
    this.socket.send([frameKind.cancel, number]);
    waiting.reject(new PeerError('unknown', why));
  }

  #take(number: number): Waiting | undefined {
    const waiting = this.#waiting.get(number);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(number);
    if (this.#isRetired && this.#waiting.size === 0) this.socket.finish();
    waiting.timer.cancel();
    waiting.signal?.removeEventListener('abort', waiting.aborted);
    return waiting;
  }
}
