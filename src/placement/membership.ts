// Which nodes the cluster has (architecture section 4). This node renews its own lease every second
// and reads the list of members twice a second; a node whose lease has ended is no member any more.
// A node at whose address nobody listens is counted out at once, before its lease ends: taking its
// shards is safe at any time (invariants M1, M2), so there is nothing to wait for.
//
// The lease is measured from before its renewal was sent, by the monotonic clock. When it ends
// unrenewed (the process stood still, or the store did not answer in time) the node answers nothing
// from memory, and drops it before the lease counts again: others may have taken its shards.
//
// Each renewal asks as well which process answers for the store. After a failover, or a restart of
// a store that does not confirm on disk, another one does, and what it had not received is gone.
// The memory of this node may be ahead of it, so it is dropped, too.
import type { ClusterNode, Member, ShardStore } from '../store/shard-store.js';
import type { StoreClock } from './store-clock.js';

/** A node that has not renewed for so long is no member, ms. */
export const leaseTtlMs = 3000;
export const renewEveryMs = 1000;
/**
 * A lease that this node sent for so long ago no longer counts, ms: less than the store's, so that
 * this node stops to answer before another one begins.
 */
const leaseHoldsMs = leaseTtlMs - 200;
/** How often the list of members is read, ms. */
export const readEveryMs = 500;

export class Membership {
  #members: readonly Member[] = [];
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** The same moment by the clock of the lease. */
  #leasedAt = Number.NEGATIVE_INFINITY;
  /** When the turn began that is under way. */
  #askedAt: number | undefined;
  /** Boot ids by node id of members whose listener refused a connection. */
  readonly #refused = new Map<string, string>();
  #isLeaving = false;
  /** The store's process at the last renewal; undefined: not known. */
  #process: string | undefined;

  constructor(
    private readonly store: ShardStore,
    private readonly clock: StoreClock,
    private readonly node: ClusterNode,
    /** Measures how old the lease is. */
    private readonly leaseClock: Pick<StoreClock, 'monotonic'> = clock,
  ) {}

  get self(): ClusterNode {
    return this.#isLeaving ? { ...this.node, state: 'leaving' } : this.node;
  }

  /** Whether nobody can have taken this node's shards for want of its lease. */
  get holdsLease(): boolean {
    return this.leaseClock.monotonic() - this.#leasedAt < leaseHoldsMs;
  }

  /** Since this node last renewed its lease, ms; endless before the first time. */
  get sinceRenewalMs(): number {
    return this.leaseClock.monotonic() - this.#leasedAt;
  }

  /** For how long the store has not answered this node's turn, ms; 0: nothing was asked. */
  get waitingMs(): number {
    return this.#askedAt === undefined ? 0 : this.clock.monotonic() - this.#askedAt;
  }

  /** All that have a lease, this node too. */
  get members(): readonly Member[] {
    return this.#members;
  }

  /** Ids of the members that shards are placed on: alive, listening, not leaving. */
  get placeable(): string[] {
    return this.#members
      .filter((member) => member.state === 'serving' && !this.isRefused(member))
      .map(({ nodeId }) => nodeId);
  }

  /** Ids of members at whose address nobody listens. */
  get refusedIds(): ReadonlySet<string> {
    const ids = this.#members.filter((member) => this.isRefused(member));
    return new Set(ids.map(({ nodeId }) => nodeId));
  }

  /** Whether somebody listens at its address, as far as this node knows. */
  isRefused({ nodeId, bootId }: Pick<Member, 'nodeId' | 'bootId'>): boolean {
    return this.#refused.get(nodeId) === bootId;
  }

  /** Nobody listens at the node's address. */
  refused(nodeId: string): void {
    const member = this.#members.find((each) => each.nodeId === nodeId);
    if (member !== undefined && nodeId !== this.node.nodeId) {
      this.#refused.set(nodeId, member.bootId);
    }
  }

  /** The node answers (again). */
  answers(nodeId: string): void {
    this.#refused.delete(nodeId);
  }

  /**
   * Reads the members; renews the lease when that is due, or at once. Before the lease counts again
   * `doubt` is called with the reason why the memory of this node may differ from the store.
   * Rejects without the store.
   */
  async refresh(atOnce: boolean, doubt: (reason: string) => void): Promise<void> {
    const now = this.clock.monotonic();
    this.#askedAt = now;
    try {
      if (atOnce || now - this.#renewedAt >= renewEveryMs - readEveryMs / 2)
        await this.#renew(now, doubt);
      else this.#members = await this.store.members();
    } finally {
      this.#askedAt = undefined;
    }
  }

  async #renew(now: number, doubt: (reason: string) => void): Promise<void> {
    const leasedAt = this.leaseClock.monotonic();
    const storeAt = await this.store.now();
    this.clock.measured(storeAt, now, this.clock.monotonic());
    this.#members = await this.store.renew(this.self, leaseTtlMs);
    const process = await this.store.process();
    const isOther = this.#process !== undefined && process !== this.#process;
    this.#process = process;
    if (isOther) doubt('Another Redis answers: what it had not received is lost');
    // The former lease may have ended while the renewal was on its way.
    else if (!this.holdsLease) {
      doubt('The lease of this node has ended before it was renewed');
    }
    this.#renewedAt = now;
    this.#leasedAt = leasedAt;
  }

  /** Tells the others that this node takes no more shards and gives its own away. */
  async announceLeaving(): Promise<void> {
    this.#isLeaving = true;
    // This node is stopping: it drops its memory whatever the answer is.
    await this.refresh(true, () => undefined);
  }

  /** Ends the lease. */
  async leave(): Promise<void> {
    await this.store.leave(this.node);
  }
}
