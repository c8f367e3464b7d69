// The owner's knowledge of a shard's part of the due set, without reading it (invariants M17): when
// the next wake-up is due, when the next finished execution expires, whether any execution is open.
// The owner is the only writer, so what a read has shown holds until one of the owner's commits
// changes it. Each commit is noted when it has landed, and a read that a commit has overtaken
// teaches nothing. Whatever was known ends with the ownership: a fence is a new object at every
// acquisition.
//
// A repair (fsck), or a failover that went unnoticed, may put entries there behind the owner's
// back. So those that rely on this read the store after a while all the same.
import type { Commit, Fence } from '../store/execution-store.js';
import type { OwnedShards } from './owned-shards.js';

/** Moments are epoch ms; 0: not known; Infinity: there is none. */
export interface Outlook {
  /** No execution of the shard wakes up before. */
  readonly wakeAt: number;
  /** No finished execution of the shard expires before. */
  readonly expiresAt: number;
  /** True: the shard has no open execution. False: it may have. */
  readonly isEmpty: boolean;
}

interface Known extends Outlook {
  readonly fence: Fence;
  commits: number;
  wakeAt: number;
  expiresAt: number;
  isEmpty: boolean;
}

/** A read of the due set that is under way. */
export interface Reading {
  readonly known: Known;
  readonly commits: number;
}

const unknown: Outlook = { wakeAt: 0, expiresAt: 0, isEmpty: false };

export class ShardOutlook {
  readonly #known: (Known | undefined)[] = [];

  constructor(private readonly owned: Pick<OwnedShards, 'fenceOf'>) {}

  of(shard: number): Outlook {
    return this.#of(shard) ?? unknown;
  }

  /** Before a read of the shard's entries is sent; undefined when the shard is not this node's. */
  begin(shard: number): Reading | undefined {
    const known = this.#of(shard);
    return known && { known, commits: known.commits };
  }

  /** Takes in the result of a read; ignores it when a commit has landed meanwhile. */
  learn(reading: Reading | undefined, shown: Partial<Outlook>): void {
    if (reading === undefined || reading.commits !== reading.known.commits) return;
    Object.assign(reading.known, shown);
  }

  /** A commit is stored. */
  landed(shard: number, commit: Pick<Commit, 'wakeAt' | 'compactUntilAt' | 'remove'>): void {
    const known = this.#of(shard);
    if (known === undefined || commit.remove) return;
    known.commits += 1;
    const { wakeAt = 0, compactUntilAt } = commit;
    if (compactUntilAt !== undefined) {
      known.expiresAt = Math.min(known.expiresAt, compactUntilAt);
      return;
    }
    known.isEmpty = false;
    if (wakeAt !== 0) known.wakeAt = Math.min(known.wakeAt, wakeAt);
  }

  #of(shard: number): Known | undefined {
    const fence = this.owned.fenceOf(shard);
    if (fence === undefined) return undefined;
    const known = this.#known[shard];
    if (known?.fence === fence) return known;
    return (this.#known[shard] = { fence, commits: 0, ...unknown });
  }
}
