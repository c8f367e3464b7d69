// One connection between two nodes after or during its handshake: frames in, frames out, bounds and
// signs of life. Its user decides the meaning of a frame.
//
// Frames of one turn of the event loop leave in one write: under load a system call for each of
// them costs more than what they say.
//
// Bounds: a frame longer than `frameBytesMax` or anything that is no frame ends the connection.
// More than `unsentBytesMax` waiting for the other node ends it too: it reads too slowly to be of
// use, and what waits must not grow without end. A connection that stays silent for `silenceMs`
// although it is pinged every `pingEveryMs` is taken for dead.
import type { Socket } from 'node:net';
import type { Clock, TimerHandle } from '../../std/clock.js';
import { AppError } from '../../model/errors.js';
import { whyUnwritable } from '../../model/unwritable.js';
import { FrameReader, frameKind, packFrame, type Frame } from './frames.js';

export interface PeerLimits {
  /** Bytes of one frame. */
  readonly frameBytesMax: number;
  /** Bytes that wait to be sent to one node. */
  readonly unsentBytesMax: number;
  /** Calls of one node that are carried out at a time; its further frames wait. */
  readonly callsAtOnceMax: number;
  readonly pingEveryMs: number;
  readonly silenceMs: number;
  /** A handshake that takes longer is given up. */
  readonly handshakeMs: number;
}

export const defaultPeerLimits: PeerLimits = {
  frameBytesMax: 64 * 1024 * 1024,
  unsentBytesMax: 64 * 1024 * 1024,
  callsAtOnceMax: 10_000,
  pingEveryMs: 500,
  silenceMs: 2_500,
  handshakeMs: 2_000,
};

/** Before the other side has proved who it is, it may send no more than a greeting. */
const helloBytesMax = 2048;

export class PeerSocket {
  readonly #reader = new FrameReader(helloBytesMax);
  #heardAt: number;
  /** Frames of this turn. */
  #unsent: Buffer[] = [];
  #unsentBytes = 0;
  #pinging: TimerHandle | undefined;
  #closed = false;

  constructor(
    private readonly socket: Socket,
    private readonly clock: Clock,
    private readonly limits: PeerLimits,
    private readonly received: (frame: Frame) => void,
    /** Called once; undefined: closed in order. */
    private readonly closed: (error: Error | undefined) => void,
  ) {
    this.#heardAt = clock.monotonic();
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#hear(chunk));
    socket.on('error', (error) => this.close(error));
    socket.on('close', () => this.close(undefined));
  }

  /** The other side is known: frames may be long from now on, and silence ends the connection. */
  trust(): void {
    this.#reader.frameBytesMax = this.limits.frameBytesMax;
    this.#armPing();
  }

  /**
   * False when the connection has ended. Throws AppError 'too-large' for what cannot be a frame or
   * would be one that the other side refuses: that concerns its sender, not the connection.
   */
  send(frame: Frame): boolean {
    if (this.#closed || this.socket.writableEnded) return false;
    const bytes = this.#packed(frame);
    this.#unsent.push(bytes);
    this.#unsentBytes += bytes.length;
    if (this.#unsent.length === 1) setImmediate(() => this.#flush());
    const waitingBytes = this.socket.writableLength + this.#unsentBytes;
    if (waitingBytes > this.limits.unsentBytesMax) {
      this.close(new Error(`The peer has not read ${waitingBytes} bytes`));
      return false;
    }
    return true;
  }

  #packed(frame: Frame): Buffer {
    let bytes: Buffer;
    try {
      bytes = packFrame(frame);
    } catch (error) {
      throw cannotTravel(whyUnwritable(error));
    }
    const { frameBytesMax } = this.limits;
    if (bytes.length <= frameBytesMax) return bytes;
    throw cannotTravel(`it has ${bytes.length} bytes, ${frameBytesMax} are the most`);
  }

  #flush(): void {
    const [first, ...more] = this.#unsent;
    this.#unsent = [];
    this.#unsentBytes = 0;
    if (first === undefined || this.#closed) return;
    this.socket.write(more.length === 0 ? first : Buffer.concat([first, ...more]));
  }

  /** Stops reading until `resume`: what the other side sends waits there. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /** Ends the connection once the other side has been sent what waits for it. */
  finish(): void {
    this.#flush();
    if (!this.#closed) this.socket.end(() => this.close(undefined));
  }

  close(error: Error | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#pinging?.cancel();
    this.socket.destroy();
    this.closed(error);
  }

  #hear(chunk: Buffer): void {
    this.#heardAt = this.clock.monotonic();
    try {
      for (const frame of this.#reader.read(chunk)) {
        if (this.#closed) return;
        if (frame[0] !== frameKind.ping) this.received(frame);
      }
    } catch (error) {
      this.close(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #armPing(): void {
    if (this.#closed) return;
    this.#pinging = this.clock.after(this.limits.pingEveryMs, () => {
      const silentMs = this.clock.monotonic() - this.#heardAt;
      // A reader that was paused here has heard nothing by its own doing.
      if (silentMs > this.limits.silenceMs && !this.socket.isPaused()) {
        this.close(new Error(`The peer was silent for ${Math.round(silentMs)} ms`));
        return;
      }
      this.send([frameKind.ping]);
      this.#armPing();
    });
  }
}

function cannotTravel(why: string): AppError {
  return new AppError('too-large', `What was asked or answered cannot go between nodes: ${why}`);
}
