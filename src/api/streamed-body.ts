// A response body that its producer writes piece by piece, as long as it likes: events, exports.
// Bytes that the reader does not take yet wait here, in slices, so that the library below never
// holds more than a slice or two. A reader that is too slow is cut off: when more than
// `bytesUnsentMax` wait and another piece comes, the connection is closed and the producer is told.
//
// States: open (slices go to the library), blocked (the library has told that its buffer is full;
// slices wait for `writable`), ending (the producer has ended; what waits is still sent), closed.
import type { BodySink } from './http-server.js';

/** The functions of a library that a body uses. */
export interface BodyPort {
  /** Takes the bytes in any case. False: its buffer is full, `writable` will be called. */
  write(bytes: Uint8Array): boolean;
  /** Sends on what its buffer still holds. */
  flush(): void;
  /** Ends the body and the answer. */
  end(): void;
  /** Closes the connection. */
  close(): void;
}

/** Bytes handed to the library at once; less than a socket takes when it becomes writable. */
const sliceBytes = 16 * 1024;

export class StreamedBody implements BodySink {
  readonly #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #blocked = false;
  #ending = false;
  #closed = false;
  #closeListeners: (() => void)[] = [];
  #drainListeners: (() => void)[] = [];

  constructor(
    private readonly port: BodyPort,
    private readonly bytesUnsentMax: number,
  ) {}

  write(piece: string | Uint8Array): boolean {
    if (this.#closed || this.#ending) return false;
    if (this.#queuedBytes > this.bytesUnsentMax) {
      this.port.close();
      this.closed();
      return false;
    }
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    // A piece without bytes would end the body.
    for (let first = 0; first < bytes.length; first += sliceBytes) {
      this.#queue.push(bytes.subarray(first, first + sliceBytes));
    }
    this.#queuedBytes += bytes.length;
    if (!this.#blocked) this.#send();
    return true;
  }

  end(): void {
    if (this.#closed || this.#ending) return;
    this.#ending = true;
    if (this.#queue.length === 0) this.#finish();
  }

  drained(): Promise<void> {
    if (this.#closed || this.#queue.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drainListeners.push(resolve));
  }

  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#closeListeners.push(listener);
  }

  /** The library can take more. */
  writable(): void {
    if (this.#closed) return;
    this.#blocked = false;
    if (this.#queue.length === 0) this.port.flush();
    else this.#send();
  }

  /** The connection has gone. */
  closed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    const listeners = [...this.#closeListeners, ...this.#drainListeners];
    this.#closeListeners = [];
    this.#drainListeners = [];
    for (const listener of listeners) listener();
  }

  #send(): void {
    let sent = 0;
    for (const slice of this.#queue) {
      sent++;
      this.#queuedBytes -= slice.length;
      if (this.port.write(slice)) continue;
      this.#blocked = true;
      break;
    }
    this.#queue.splice(0, sent);
    if (this.#queue.length > 0) return;
    for (const listener of this.#drainListeners.splice(0)) listener();
    if (this.#ending) this.#finish();
  }

  /** The end counts as a close for the producer: its listeners release what they hold. */
  #finish(): void {
    this.port.end();
    this.closed();
  }
}
