// Which nodes the cluster has (architecture section 4). This node renews its own lease every second
// and reads the list of members twice a second; a node whose lease has ended is no member any more.
// A node at whose address nobody listens is counted out at once, before its lease ends: taking its
// shards is safe at any time (invariants M1, M2), so there is nothing to wait for.
//
// The lease is measured from before its renewal was sent, by the monotonic clock. When it ends
// unrenewed (the process stood still, or the store did not answer in time) the node answers nothing
// from memory, and drops it before the lease counts again: others may have taken its shards.
//
// On a Redis Cluster the server that has this node's record may be away while those of its shards
// are not. Then the node keeps a lease beside its shards as well, in the slot of each partition,
// and holds those whose lease was renewed there. Who wants a shard looks at both, the record first.
// So that nobody finds the record not written yet and the other lease ended already, the latter is
// kept for longer than a lease once the record is written again. A member whose record cannot be
// read stays as it was known, and for a lease longer: it has to write it again.
//
// Each renewal asks as well which process answers for the store. After a failover, or a restart of
// a store that does not confirm on disk, another one does, and what it had not received is gone.
// The memory of this node may be ahead of it, so it is dropped, too.
import type { ClusterNode, KnownMembers, Member, ShardStore } from '../store/shard-store.js';
import type { StoreClock } from './store-clock.js';

/** A node that has not renewed for so long is no member, ms. */
export const leaseTtlMs = 3000;
export const renewEveryMs = 1000;
/**
 * A lease that this node sent for so long ago no longer counts, ms: less than the store's, so that
 * this node stops to answer before another one begins.
 */
const leaseHoldsMs = leaseTtlMs - 200;
/** Leases beside shards are kept for so long after the last failure to write the record, ms. */
const besideMs = leaseTtlMs + 1000;
/** Between two renewals at least, ms: a turn comes sooner where a node or a shard is missing. */
const renewAgainMs = renewEveryMs - 250;
/** How often the list of members is read, ms. */
export const readEveryMs = 500;

/** `isHeld`: of which shards there is no doubt. */
export type DoubtListener = (reason: string, isHeld: (shard: number) => boolean) => void;

const noShard = (): boolean => false;

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
  #isMeasured = false;
  /** When the lease beside each shard was sent that stands there, by the clock of the lease. */
  readonly #besideAt = new Map<number, number>();
  #besideUntil = Number.NEGATIVE_INFINITY;
  /** When the record of each member could not be read last. */
  readonly #unreadAt = new Map<string, number>();

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
    return this.#holds(this.#leasedAt);
  }

  /** The same of one shard, which may have a lease beside it. */
  holdsLeaseOf(shard: number): boolean {
    return this.holdsLease || this.#holds(this.#besideAt.get(shard));
  }

  #holds(leasedAt: number | undefined): boolean {
    return leasedAt !== undefined && this.leaseClock.monotonic() - leasedAt < leaseHoldsMs;
  }

  /** Since this node last renewed a lease, ms; endless before the first time. */
  get sinceRenewalMs(): number {
    const newest = Math.max(this.#leasedAt, ...this.#besideAt.values());
    return this.leaseClock.monotonic() - newest;
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
   * Reads the members; renews the lease when that is due, or at once. `owned`: this node's shards,
   * as they are when they are asked for. Before the lease counts again `doubt` is called with the
   * reason why the memory of this node may differ from the store. Rejects without the store.
   */
  async refresh(
    owned: () => readonly number[],
    atOnce: boolean,
    doubt: DoubtListener,
  ): Promise<void> {
    const now = this.clock.monotonic();
    this.#askedAt = now;
    try {
      if (atOnce || now - this.#renewedAt >= renewAgainMs) await this.#renew(now, owned, doubt);
      else this.#know(await this.store.members(this.#members), now);
    } finally {
      this.#askedAt = undefined;
    }
  }

  async #renew(now: number, owned: () => readonly number[], doubt: DoubtListener): Promise<void> {
    const leasedAt = this.leaseClock.monotonic();
    await this.#measure(now);
    const renewal = await this.store.renew(this.self, leaseTtlMs, this.#members);
    this.#know(renewal, now);
    if (!renewal.isRenewed) this.#besideUntil = now + besideMs;
    await this.#renewBeside(now, owned(), doubt);
    if (!renewal.isRenewed) {
      if (renewal.failure !== undefined && !this.#holdsAnyBeside) throw renewal.failure;
      return;
    }
    const process = await this.store.process();
    const isOther = this.#process !== undefined && process !== this.#process;
    this.#process = process;
    if (isOther) doubt('Another Redis answers: what it had not received is lost', noShard);
    // The former lease may have ended while the renewal was on its way.
    else if (!this.holdsLease) {
      const isHeld = (shard: number): boolean => this.holdsLeaseOf(shard);
      doubt('The lease of this node has ended before it was renewed', isHeld);
    }
    this.#renewedAt = now;
    this.#leasedAt = leasedAt;
  }

  get #holdsAnyBeside(): boolean {
    return [...this.#besideAt.values()].some((at) => this.#holds(at));
  }

  /** Any server tells the time; one that is away costs a measurement, but for the first one. */
  async #measure(now: number): Promise<void> {
    try {
      const storeAt = await this.store.now();
      this.clock.measured(storeAt, now, this.clock.monotonic());
      this.#isMeasured = true;
    } catch (error) {
      if (!this.#isMeasured) throw error;
    }
  }

  async #renewBeside(now: number, owned: readonly number[], doubt: DoubtListener): Promise<void> {
    if (now >= this.#besideUntil) return this.#besideAt.clear();
    const at = this.leaseClock.monotonic();
    const isDue = (shard: number): boolean =>
      at - (this.#besideAt.get(shard) ?? Number.NEGATIVE_INFINITY) >= renewAgainMs;
    const renewed = await this.store.renewBeside(this.self, owned.filter(isDue), leaseTtlMs);
    const ended = new Set(renewed.filter((shard) => !this.holdsLeaseOf(shard)));
    if (ended.size > 0) {
      const reason = 'The lease beside shards of this node has ended before it was renewed';
      doubt(reason, (shard) => !ended.has(shard));
    }
    for (const shard of renewed) this.#besideAt.set(shard, at);
  }

  /** Shards that this node will take have a lease before their owner record names it. */
  async cover(shards: readonly number[]): Promise<void> {
    if (this.holdsLease) return;
    const at = this.leaseClock.monotonic();
    const renewed = await this.store.renewBeside(this.self, shards, leaseTtlMs);
    for (const shard of renewed) this.#besideAt.set(shard, at);
  }

  #know({ members, unread }: KnownMembers, now: number): void {
    for (const nodeId of unread) this.#unreadAt.set(nodeId, now);
    const read = new Set(members.map(({ nodeId }) => nodeId));
    const writesAgain = this.#members.filter(({ nodeId }) => {
      const unreadAt = this.#unreadAt.get(nodeId);
      return !read.has(nodeId) && unreadAt !== undefined && now - unreadAt < leaseTtlMs;
    });
    this.#members = [...members, ...writesAgain];
    for (const [nodeId, at] of this.#unreadAt) {
      if (now - at >= leaseTtlMs) this.#unreadAt.delete(nodeId);
    }
  }

  /** Tells the others that this node takes no more shards and gives its own away. */
  async announceLeaving(owned: () => readonly number[]): Promise<void> {
    this.#isLeaving = true;
    // This node is stopping: it drops its memory whatever the answer is.
    await this.refresh(owned, true, () => undefined);
  }

  /** Ends the lease. */
  async leave(): Promise<void> {
    await this.store.leave(this.node);
  }
}
