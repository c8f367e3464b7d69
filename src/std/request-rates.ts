// How often somebody may do something: a token bucket per name, in the memory of one node. It
// limits requests per access key and failed sign-ins per account and address. Names that have been
// quiet for long are forgotten: their bucket is full again. A name takes the same room however long
// it is: strangers choose it.
import { TextTable } from './text-table.js';

export interface Rate {
  /** Most at once. */
  readonly burst: number;
  /** One more each so many ms. */
  readonly refillMs: number;
}

interface Bucket {
  left: number;
  /** Until when `left` was worked out, ms. */
  at: number;
}

/** Names remembered; a name that falls out starts with a full bucket. */
const namesMax = 100_000;

export class RequestRates {
  readonly #buckets = new TextTable<Bucket>({ entriesMax: namesMax });

  constructor(private readonly rate: Rate) {}

  /**
   * Takes one, or `amount`, at `now` (ms, monotonic); undefined, or the ms until there is as much
   * again.
   */
  take(name: string, now: number, amount = 1): number | undefined {
    const waitMs = this.waitMs(name, now, amount);
    if (waitMs !== undefined) return waitMs;
    this.#bucket(name, now).left -= amount;
    return undefined;
  }

  /** Gives back one that was taken. */
  give(name: string): void {
    const bucket = this.#buckets.get(name);
    if (bucket !== undefined) bucket.left = Math.min(this.rate.burst, bucket.left + 1);
  }

  /**
   * Takes one, or `amount`, although there may be none: the ms until its turn, 0 for now. Others
   * that take or reserve come behind it.
   */
  reserve(name: string, now: number, amount = 1): number {
    const bucket = this.#bucket(name, now);
    bucket.left -= amount;
    return bucket.left >= 0 ? 0 : Math.ceil(-bucket.left * this.rate.refillMs);
  }

  /** As `take` without taking. */
  waitMs(name: string, now: number, amount = 1): number | undefined {
    const { left } = this.#bucket(name, now);
    return left >= amount ? undefined : Math.ceil((amount - left) * this.rate.refillMs);
  }

  #bucket(name: string, now: number): Bucket {
    const { burst, refillMs } = this.rate;
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) this.#buckets.set(name, (bucket = { left: burst, at: now }));
    bucket.left = Math.min(burst, bucket.left + Math.max(0, now - bucket.at) / refillMs);
    bucket.at = now;
    return bucket;
  }
}
