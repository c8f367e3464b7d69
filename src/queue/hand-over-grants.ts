// Leases that this node has taken for polls of other nodes, until those nodes have told the outcome
// (invariants M7). A node numbers its requests and tells with each one which earlier ones are over;
// those that it gave up without an answer it tells apart (placement/task-requests.ts).
import type { Clock } from '../std/clock.js';
import type { QueueName } from '../engine/decision.js';
import type { Popped } from '../store/queue-store.js';

/** Names a request for tasks. */
export interface RequestName {
  /** Of the process that asks. */
  readonly bootId: string;
  /** Counts the requests of that process. */
  readonly number: number;
}

export interface PeerRequest extends RequestName {
  /** All requests of the process below it are over: answered, or known here as given up. */
  readonly openFrom: number;
}

/** Leased for one request. */
export interface Grant {
  readonly queue: QueueName;
  readonly leases: readonly Popped[];
}

/** The requests of one process. */
interface Asker {
  openFrom: number;
  readonly givenUp: Set<number>;
  readonly grants: Map<number, Grant>;
  /** Last heard of, ms of the monotonic clock. */
  heardAt: number;
}

/** Both sides forget the requests of a node that they have not heard of for so long, ms. */
export const requestsKeptMs = 600_000;

export class HandOverGrants {
  readonly #askers = new Map<string, Asker>();

  constructor(private readonly clock: Clock) {}

  /** A request came in: what it says to be over is forgotten. */
  heard({ bootId, openFrom }: PeerRequest): void {
    const asker = this.#asker(bootId);
    // A request that arrives late knows of fewer ends than a later one that came before it.
    if (openFrom <= asker.openFrom) return;
    asker.openFrom = openFrom;
    for (const number of asker.grants.keys()) if (number < openFrom) asker.grants.delete(number);
    for (const number of asker.givenUp) if (number < openFrom) asker.givenUp.delete(number);
  }

  /** False: its node has given it up, an answer would be dropped. */
  isWanted({ bootId, number }: RequestName): boolean {
    const asker = this.#asker(bootId);
    return number >= asker.openFrom && !asker.givenUp.has(number);
  }

  keep({ bootId, number }: RequestName, grant: Grant): void {
    this.#asker(bootId).grants.set(number, grant);
  }

  /** Returns what was leased for a request that its node has given up. */
  giveUp({ bootId, number }: RequestName): Grant | undefined {
    const asker = this.#asker(bootId);
    // Its answer may still be in the making, or the request itself under way.
    if (number >= asker.openFrom) asker.givenUp.add(number);
    return asker.grants.get(number);
  }

  /** The leases of a request have been given back. */
  returned({ bootId, number }: RequestName): void {
    this.#asker(bootId).grants.delete(number);
  }

  #asker(bootId: string): Asker {
    let asker = this.#askers.get(bootId);
    const now = this.clock.monotonic();
    if (asker === undefined) {
      this.#forgetSilent(now);
      asker = { openFrom: 0, givenUp: new Set(), grants: new Map(), heardAt: now };
      this.#askers.set(bootId, asker);
    }
    asker.heardAt = now;
    return asker;
  }

  #forgetSilent(now: number): void {
    for (const [bootId, { heardAt }] of this.#askers) {
      if (now - heardAt > requestsKeptMs) this.#askers.delete(bootId);
    }
  }
}
