// Decides whether a request is accepted (invariants section 6): the payloads that wait for their
// commit must fit a bound, and, for a start, the store must have room.
import { AppError } from '../model/errors.js';
import type { StoreRoom } from './executions.js';

export class Admission {
  #uncommittedBytes = 0;

  constructor(
    private readonly room: StoreRoom,
    /** Bytes of reported payloads that may wait for their commit; then 503. */
    private readonly uncommittedBytesMax: number,
  ) {}

  get uncommittedBytes(): number {
    return this.#uncommittedBytes;
  }

  /** Throws AppError 'unavailable'. */
  admit(): void {
    if (this.#uncommittedBytes > this.uncommittedBytesMax) {
      throw new AppError('unavailable', 'Too many bytes wait for the store', {
        retryAfterSeconds: 1,
      });
    }
  }

  /** Throws AppError 'unavailable'. */
  admitStart(): void {
    this.admit();
    const refused = this.room.refusal();
    if (refused !== undefined) {
      throw new AppError('unavailable', refused, { retryAfterSeconds: 5 });
    }
  }

  /** A payload of so many bytes waits from now on; its `release` follows, once. */
  hold(bytes: number): HeldPayload {
    this.#uncommittedBytes += bytes;
    return { release: () => void (this.#uncommittedBytes -= bytes) };
  }
}

/** A payload that waits for its commit. */
export interface HeldPayload {
  /** It is committed, or never will be. */
  release(): void;
}
