// Decides whether a request is accepted (invariants section 6): the payloads that wait for their
// commit must fit a bound, which callers share, and, for a start, the store must have room.
import { AppError } from '../model/errors.js';
import { SharedRoom } from '../std/shared-room.js';
import type { StoreRoom } from './executions.js';

export class Admission {
  readonly #bytes: SharedRoom;

  constructor(
    private readonly room: StoreRoom,
    /** Bytes of reported payloads that may wait for their commit; then 503. */
    private readonly uncommittedBytesMax: number,
    /** A payload was refused because its caller has too many under way. */
    private readonly countRefusal: () => void,
  ) {
    this.#bytes = new SharedRoom(uncommittedBytesMax);
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
    refuseWithoutRoom(this.room);
  }

  /**
   * A payload of so many bytes waits from now on; its `release` follows, once. `caller`: who
   * started the execution. Throws AppError 'too-many' where that caller has too many under way.
   */
  hold(caller: string, bytes: number): HeldPayload {
    const room = this.#bytes;
    if (caller !== '' && !room.hasRoom(caller, bytes)) {
      this.countRefusal();
      throw new AppError(
        'too-many',
        `Too many bytes of ${caller} wait for the store (uncommittedBytesMax is shared by callers)`,
        { retryAfterSeconds: 1 },
      );
    }
    room.take(caller, bytes);
    return { release: () => room.release(caller, bytes) };
  }
}

/** Throws AppError 'unavailable' where no start is taken. */
export function refuseWithoutRoom(room: StoreRoom | undefined): void {
  const refused = room?.refusal();
  if (refused !== undefined) throw new AppError('unavailable', refused, { retryAfterSeconds: 5 });
}

/** A payload that waits for its commit. */
export interface HeldPayload {
  /** It is committed, or never will be. */
  release(): void;
}
