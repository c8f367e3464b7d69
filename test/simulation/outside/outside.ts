// The world outside of one simulation: who visits executions (visits.ts) and the address that is
// told of them (address.ts), beside the workload that every seed has.
import type { Keys } from '../../../src/redis/keys.js';
import type { WireWorkflow } from '../../../testkit/wire.js';
import type { MemoryRedis } from '../store/memory-redis.js';
import { Address } from './address.js';
import { isOutsideQuiet, judgeOutside, staleInIndex } from './judge-outside.js';
import { Visits, type VisitsParts } from './visits.js';

export interface OutsideStore {
  readonly redis: MemoryRedis;
  /** Writes were undone. */
  readonly hasFailover: boolean;
}

const indexFollowsMs = 5000;
const lookEveryMs = 500;

export class Outside {
  readonly address: Address;
  readonly #visits: Visits;

  constructor(
    private readonly parts: VisitsParts,
    private readonly keys: Keys,
    private readonly store: () => OutsideStore,
  ) {
    this.#visits = new Visits(parts);
    this.address = new Address(parts.scheduler, this.#visits.random);
  }

  begin(withinMs: number): void {
    this.#visits.begin(withinMs);
  }

  lookAgain(): void {
    this.#visits.lookAgain();
  }

  /** No faults from now on. */
  mend(): void {
    this.address.isMoody = false;
  }

  get isDone(): boolean {
    return this.#visits.isDone && isOutsideQuiet(this.store().redis, this.keys);
  }

  /** One sentence per violation; `read`: an execution as clients see it. */
  async judge(read: (id: string) => Promise<WireWorkflow | undefined>): Promise<string[]> {
    const { scheduler, requests } = this.parts;
    const { redis, hasFailover } = this.store();
    const seen = { visits: this.#visits, address: this.address, redis, keys: this.keys, read };
    if (!this.isDone) return ['not all that came from outside has ended'];
    const found = await judgeOutside(seen, hasFailover);
    if (found.length > 0 || hasFailover) return found;
    for (const endAt = scheduler.now + indexFollowsMs; scheduler.now < endAt;) {
      if (staleInIndex(seen).length === 0) return [];
      await requests.pause(lookEveryMs);
    }
    return staleInIndex(seen);
  }
}
