// Whether a request is taken on at all (invariants, section 6): the shards are served here, the
// payloads that wait for their commit fit the bound, and, for starts, the store has room.
import { AppError } from '../model/errors.js';
import { unavailable } from './refusals.js';

export interface AdmissionParts {
  serving: () => boolean;
  /** Bytes of reported payloads that may wait for their commit; then 503. */
  uncommittedBytesMax: number;
  /** Why starts are refused now (memory of the store), undefined when they are not. */
  startsRefused: () => string | undefined;
}

export class Admission {
  #uncommittedBytes = 0;

  constructor(private readonly parts: AdmissionParts) {}

  get uncommittedBytes(): number {
    return this.#uncommittedBytes;
  }

  /** Throws AppError 'unavailable'. */
  admit(): void {
    if (!this.parts.serving()) throw unavailable();
    if (this.#uncommittedBytes > this.parts.uncommittedBytesMax) {
      throw new AppError('unavailable', 'Too many bytes wait for the store', {
        retryAfterSeconds: 1,
      });
    }
  }

  /** Throws AppError 'unavailable'. */
  admitStart(): void {
    this.admit();
    const refused = this.parts.startsRefused();
    if (refused !== undefined) {
      throw new AppError('unavailable', refused, { retryAfterSeconds: 5 });
    }
  }

  /** A payload of so many bytes waits from now on; `letGo` follows. */
  hold(bytes: number): void {
    this.#uncommittedBytes += bytes;
  }

  letGo(bytes: number): void {
    this.#uncommittedBytes -= bytes;
  }
}
