// Decides whether a request is accepted (invariants section 6): the payloads that wait for their
// commit must fit a bound, which callers share, and, for a start, the store must have room.
import { AppError } from '../model/errors.js';
import { SharedQuota } from '../std/shared-quota.js';
import type { StoreCapacity } from './executions.js';
import { plainId } from '../model/subject.js';

export class Admission {
  readonly #bytes: SharedQuota;

  constructor(
    private readonly capacity: StoreCapacity,
    /** Bytes of reported payloads that may wait for their commit; then 503. */
    private readonly uncommittedBytesMax: number,
    /** A payload was refused because its caller has too many under way. */
    private readonly countRefusal: () => void,
  ) {
    this.#bytes = new SharedQuota(uncommittedBytesMax);
  }

  get uncommittedBytes(): number {
    return this.#bytes.taken;
  }

  /** Throws AppError 'unavailable'. */
  admit(): void {
    if (this.#bytes.taken > this.uncommittedBytesMax) {
      throw new AppError('unavailable', 'Too many bytes wait for the store', {
        retryAfterSeconds: 1,
      });
    }
  }

  /** Throws AppError 'unavailable'. */
  admitStart(): void {
    this.admit();
    refuseWithoutCapacity(this.capacity);
  }

  /**
   * A payload of so many bytes waits from now on; its `release` follows, once. `caller`: who
   * started the execution. Throws AppError 'too-many' where that caller has too many under way.
   */
  hold(caller: string, bytes: number): HeldPayload {
    const quota = this.#bytes;
    if (caller !== '' && !quota.allows(caller, bytes)) {
      this.countRefusal();
      throw new AppError(
        'too-many',
        `Too many bytes of ${plainId(caller)} wait for the store (uncommittedBytesMax is shared by callers)`,
        { retryAfterSeconds: 1 },
      );
    }
    quota.take(caller, bytes);
    return { release: () => quota.release(caller, bytes) };
  }
}

/** Throws AppError 'unavailable' where no start is taken. */
export function refuseWithoutCapacity(capacity: StoreCapacity | undefined): void {
  const refused = capacity?.refusal();
  if (refused !== undefined) throw new AppError('unavailable', refused, { retryAfterSeconds: 5 });
}

/** A payload that waits for its commit. */
export interface HeldPayload {
  /** It is committed, or never will be. */
  release(): void;
}
