// Frames between nodes: four bytes of length, then MessagePack. A frame is a list whose first
// element says what it is. Payloads travel as their text, so that no node parses what it only
// passes on; errors travel as kind, message and details.
import { addExtension, Packr } from 'msgpackr';
import { AppError, type ErrorKind } from '../../model/errors.js';
import { Payload } from '../../model/payload.js';
import { StoreError } from '../../store/execution-store.js';

/** The first element of a frame, which tells its kind. */
export const frameKind = {
  /** [kind, version, node id, boot id, nonce, cluster] */
  hello: 1,
  /** [kind, proof] */
  proof: 2,
  /** [kind, call number, operation, body] */
  call: 3,
  /** [kind, call number, answer] */
  answer: 4,
  /** [kind, call number, error] */
  failure: 5,
  /** [kind, call number]: nobody waits for the answer any more */
  cancel: 6,
  /** [kind, operation, body] */
  notice: 7,
  /** [kind] */
  ping: 8,
} as const;

export type Frame = readonly [number, ...unknown[]];

const lengthBytes = 4;

addExtension({
  Class: Payload,
  type: 0x50,
  pack: (payload: unknown) => Buffer.from((payload as Payload).text),
  unpack: (bytes: Uint8Array) => Payload.ofText(Buffer.from(bytes).toString()),
});

const packr = new Packr({ useRecords: false, useBigIntExtension: true, moreTypes: true });

/** The bytes of a frame, its length in front. */
export function packFrame(frame: Frame): Buffer {
  const body = packr.pack(frame);
  const bytes = Buffer.allocUnsafe(lengthBytes + body.length);
  bytes.writeUInt32BE(body.length, 0);
  body.copy(bytes, lengthBytes);
  return bytes;
}

/** A peer speaks something else than this protocol, or beyond its bounds. */
export class FrameError extends Error {
  override name = 'FrameError';
}

/** Cuts a stream of bytes into frames. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Body length of the frame under way; -1 before its length is known. */
  #wanted = -1;

  /** Longer frames are refused before their body is kept. */
  constructor(public frameBytesMax: number) {}

  /** The frames that are complete with these bytes. Throws FrameError for what is no frame. */
  *read(chunk: Buffer): Generator<Frame> {
    this.#pieces.push(chunk);
    this.#bytes += chunk.length;
    for (;;) {
      if (this.#wanted < 0) {
        if (this.#bytes < lengthBytes) return;
        this.#wanted = this.#take(lengthBytes).readUInt32BE(0);
        if (this.#wanted > this.frameBytesMax) {
          throw new FrameError(`A frame of ${this.#wanted} bytes is longer than accepted`);
        }
      }
      if (this.#bytes < this.#wanted) return;
      const body = this.#take(this.#wanted);
      this.#wanted = -1;
      yield unpackFrame(body);
    }
  }

  #take(count: number): Buffer {
    const whole =
      this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.#bytes -= count;
    this.#pieces = this.#bytes === 0 ? [] : [whole.subarray(count)];
    return whole.subarray(0, count);
  }
}

function unpackFrame(body: Buffer): Frame {
  let frame: unknown;
  try {
    frame = packr.unpack(body);
  } catch (cause) {
    throw new FrameError('A frame is not MessagePack', { cause });
  }
  if (!Array.isArray(frame) || typeof frame[0] !== 'number') {
    throw new FrameError('A frame does not say what it is');
  }
  return frame as [number, ...unknown[]];
}

/**
 * Packs an error for another node: a refusal as it is, a failure of the store by its meaning for
 * the caller; any other error is a defect of this node.
 */
export function packError(error: unknown): unknown[] {
  if (error instanceof AppError) {
    const { violations, retryAfterSeconds, plainText } = error.details;
    return [error.kind, error.message, { violations, retryAfterSeconds, plainText }];
  }
  if (error instanceof StoreError) {
    const kind: ErrorKind = error.outcome === 'unclear' ? 'unknown-outcome' : 'unavailable';
    return [kind, 'The store did not take it, please repeat', { retryAfterSeconds: 1 }];
  }
  const message = error instanceof Error ? error.message : String(error);
  return ['internal', `The owner of the execution failed: ${message}`, {}];
}

export function unpackError(value: unknown): AppError {
  const [kind, message, details] = value as [ErrorKind, string, Record<string, unknown>];
  const given = Object.entries(details).filter(([, each]) => each !== undefined && each !== null);
  return new AppError(kind, message, Object.fromEntries(given));
}
