// Which shards this node owns (architecture section 4, invariants M1). Every node computes the same
// placement from the same members (hash-ring.ts). A node takes what is placed on it and free: not
// owned, owned by a node whose lease has ended or whose boot id is gone, or by one at whose address
// nobody listens. It hands over what is placed on another node that it can reach (hand-over.ts).
// Safety comes from the fence in every write, never from the lease.
//
// Losing a shard, or a write for it whose outcome is unclear, ends in one way: everything in memory
// of that shard is dropped, and the shard is taken again if it is placed here (invariants M3).
// While the store is away this is tried until it answers. Nodes tell each other what they own when
// they take it and when a link comes up; each piece of news carries the epoch (shard-map.ts).
import { sleep, within } from '../std/clock.js';
import type { Service } from '../std/service.js';
import type { Fence } from '../store/execution-store.js';
import { BoundedStep } from './bounded-step.js';
import { DoubtfulOwners } from './doubtful-owners.js';
import { ForgottenShards } from './forgotten-shards.js';
import { HandOver } from './hand-over.js';
import { placeShards } from './hash-ring.js';
import { readEveryMs } from './membership.js';
import type { PlacementParts } from './placement-parts.js';
import type { OwnershipNews } from './shard-map.js';
import { shardNotices } from './shard-notices.js';
import { describeStoreTrouble } from './store-trouble.js';

/** A store that has not renewed this node's lease for so long is in trouble, ms. */
const silentMs = 2500;
/** Between two tries while shards are missing or the store is away, ms. */
const retryEveryMs = 50;
/** The same while some of several servers are away, ms: the others have work to do. */
const retryPartMs = 200;
/** A node that starts waits so long for owners that it cannot ask, ms: longer than any lease. */
const startWaitMs = 6000;
/** How long a node that stops tries to hand its shards over, ms. */
const leaveMs = 3000;

export class Placement implements Service {
  readonly #self: string;
  /** Node id per shard. */
  #target: readonly string[] = [];
  /**
   * How often each shard was lost; a taking compares it, because the shard may be lost meanwhile.
   */
  readonly #losses: number[];
  readonly #handOver: HandOver;
  readonly #forgotten: ForgottenShards;
  readonly #doubtful: DoubtfulOwners;
  readonly #settling: BoundedStep;
  readonly #taking: BoundedStep;
  /** Some of the store's servers could not be reached when shards were taken last. */
  #isPartlyAway = false;
  #turn: Promise<boolean> | undefined;
  #isHurried = false;
  #wake: () => void = () => undefined;
  #loop: Promise<void> = Promise.resolve();
  #isServing = false;
  #isStopped = true;
  #isLeaving = false;
  #lastFailure = '';

  constructor(private readonly parts: PlacementParts) {
    const { owned, peers, membership, store } = parts;
    this.#handOver = new HandOver(parts);
    this.#forgotten = new ForgottenShards(store, membership, owned);
    this.#doubtful = new DoubtfulOwners(parts, this.#forgotten);
    this.#self = membership.self.nodeId;
    this.#losses = new Array<number>(parts.shards).fill(0);
    const failed = (error: unknown): void => this.#report(error);
    this.#settling = new BoundedStep(parts.clock, failed);
    this.#taking = new BoundedStep(parts.clock, failed);
    peers.handle(shardNotices.owned, (body, { nodeId }) =>
      this.#heard(nodeId, body as OwnershipNews),
    );
    peers.handle(shardNotices.released, (body) => this.#areReleased(body as readonly number[]));
    peers.handle(shardNotices.named, (body) => this.#isNamed(body as readonly number[]));
    peers.handle(shardNotices.members, () => this.#hurry());
    peers.onUp((nodeId) => {
      membership.answers(nodeId);
      peers.notify(nodeId, shardNotices.owned, this.#news(owned.all));
      void this.#hurry();
    });
    peers.onDown((nodeId, isRefused) => {
      if (!isRefused) return;
      membership.refused(nodeId);
      void this.#hurry();
    });
  }

  /** One sentence about what keeps this node from serving; undefined while nothing does. */
  get trouble(): string | undefined {
    if (this.#isLeaving) return 'This node is leaving the cluster';
    const { membership } = this.parts;
    if (membership.sinceRenewalMs < silentMs && this.#isServing) return undefined;
    return describeStoreTrouble(this.#lastFailure, membership);
  }

  /** Shards that are being handed over now. */
  get moving(): readonly number[] {
    return this.#handOver.leaving;
  }

  /**
   * Joins the cluster; resolves when this node serves: it has what is placed on it and free.
   * Rejects when the store refuses this node.
   */
  async start(): Promise<void> {
    this.#isStopped = false;
    await this.#takeTurn(true);
    const giveUpAt = this.parts.clock.monotonic() + startWaitMs;
    while (this.#waitsForOwners() && this.parts.clock.monotonic() < giveUpAt) {
      await sleep(this.parts.clock, retryEveryMs);
      await this.#takeTurn(false).catch((error: unknown) => this.#report(error));
    }
    this.#tellAll(shardNotices.members, null);
    this.#serve(true);
    this.#loop = this.#run();
  }

  /** This node will stop: its health says so from now on, before anything of it ends. */
  prepareToLeave(): void {
    this.#isLeaving = true;
  }

  /** Hands all shards over and leaves the cluster. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#wake();
    await this.#loop;
    await this.#turn?.catch(() => undefined);
    await this.#taking.ended(leaveMs).catch(() => undefined);
    const { owned, membership, clock } = this.parts;
    try {
      await membership.announceLeaving(() => owned.all);
      this.#tellAll(shardNotices.members, null);
      this.#target = placeShards(membership.placeable, this.parts.shards);
      await within(clock, this.#handOver.giveAway(this.#target), leaveMs);
      await this.#handOver.release(owned.all);
      await membership.leave();
      this.#tellAll(shardNotices.members, null);
    } catch (cause) {
      const text = 'Left without the store: its shards are free when its lease has ended';
      this.parts.monitor.failed(new Error(text, { cause }));
    }
  }

  /**
   * These shards were lost (default: all, as with the store): drops what is in memory of them and
   * takes them again if they are placed here.
   */
  lost(error: unknown, shards: readonly number[] = [...this.#losses.keys()]): void {
    if (this.#isStopped) return;
    this.#drop(shards);
    this.#report(error);
    if (this.parts.owned.all.length === 0) this.#serve(false, error);
    void this.#hurry();
  }

  /** Also shards that are being taken: what was loaded since must not wait for lost commits. */
  #drop(shards: readonly number[]): void {
    const { owned, executions, map } = this.parts;
    for (const shard of shards) {
      this.#losses[shard] = (this.#losses[shard] as number) + 1;
      map.forget(shard, this.#self);
    }
    owned.drop(shards);
    executions.drop(shards);
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      let isSettled = false;
      let hasFailed = false;
      try {
        isSettled = await this.#takeTurn(false);
        this.#lastFailure = '';
        this.#serve(true);
      } catch (error) {
        hasFailed = true;
        this.#report(error);
      }
      const againMs = this.#isPartlyAway ? retryPartMs : retryEveryMs;
      // A turn that fails at once and hurries the next one would let nothing else happen.
      if (hasFailed || !this.#isHurried) await this.#pause(isSettled ? readEveryMs : againMs);
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isStopped) return;
    const woken = new Promise<void>((resolve) => (this.#wake = resolve));
    await within(this.parts.clock, woken, ms);
  }

  /** The next turn comes at once. */
  #hurry(): Promise<undefined> {
    this.#isHurried = true;
    this.#wake();
    return Promise.resolve(undefined);
  }

  /** One turn at a time; true when nothing is left to take. */
  #takeTurn(isFirst: boolean): Promise<boolean> {
    this.#turn = this.#carryOut(isFirst);
    return this.#turn;
  }

  async #carryOut(isFirst: boolean): Promise<boolean> {
    const isHurried = this.#isHurried;
    this.#isHurried = false;
    const { membership, owned, peers, map } = this.parts;
    const isHeld = (shard: number): boolean => membership.holdsLeaseOf(shard);
    this.#dropUnheld('The lease of this node has ended unrenewed', isHeld);
    await membership.refresh(
      () => owned.all,
      isFirst || isHurried,
      (reason, held) => this.#dropUnheld(reason, held),
    );
    peers.follow(membership.members);
    await this.#settling.run(() => this.#settle());
    this.#forgetGone();
    this.#target = placeShards(membership.placeable, this.parts.shards);
    void this.#handOver.giveAway(this.#target).catch((error: unknown) => this.#report(error));
    // A start has nothing to renew its lease for while it waits.
    await this.#taking.run(() => this.#takeWanted(), isFirst ? startWaitMs : undefined);
    return this.#wanted().every((shard) => this.#hasLiveOwner(map.ownerOf(shard)?.nodeId));
  }

  async #settle(): Promise<void> {
    const forgotten = await this.#doubtful.settle(this.#target);
    if (forgotten.length > 0) this.lost(new Error('The store has forgotten owners'), forgotten);
  }

  async #takeWanted(): Promise<void> {
    this.#isPartlyAway = false;
    const freed = await this.#forgotten.giveBack(this.#target);
    for (const shard of freed) this.#doubtful.add(shard);
    if (freed.length > 0) void this.#hurry();
    const wanted = this.#wanted();
    if (wanted.length > 0) await this.#take(wanted);
  }

  #forgetGone(): void {
    const { map, membership } = this.parts;
    const placeable = new Set(membership.members.map(({ nodeId }) => nodeId));
    const refused = membership.refusedIds;
    for (const nodeId of map.owners) {
      if (nodeId === this.#self) continue;
      if (!placeable.has(nodeId) || refused.has(nodeId)) map.forgetNode(nodeId);
    }
  }

  /** Placed here and not owned. */
  #wanted(): number[] {
    const { owned } = this.parts;
    return this.#target.flatMap((nodeId, shard) =>
      nodeId === this.#self && !owned.has(shard) ? [shard] : [],
    );
  }

  #hasLiveOwner(nodeId: string | undefined): boolean {
    const { membership } = this.parts;
    if (nodeId === undefined || nodeId === this.#self) return false;
    if (membership.refusedIds.has(nodeId)) return false;
    return membership.members.some((member) => member.nodeId === nodeId);
  }

  /** A start goes on without shards that a node which can be asked still serves. */
  #waitsForOwners(): boolean {
    const { map, peers } = this.parts;
    return this.#wanted().some((shard) => {
      const nodeId = map.ownerOf(shard)?.nodeId;
      return nodeId === undefined || !peers.connected.includes(nodeId);
    });
  }

  /** Takes those of the shards that may be taken. Rejects when the store is away. */
  async #take(wanted: readonly number[]): Promise<void> {
    const losses = [...this.#losses];
    const { owned, executions, store, membership, map, peers } = this.parts;
    const isCurrent = ({ shard }: Fence): boolean =>
      losses[shard] === this.#losses[shard] && membership.holdsLeaseOf(shard);
    await membership.cover(wanted);
    const acquired = await store.acquire(membership.self, wanted, membership.refusedIds);
    const { fences, abandoned, owners } = acquired;
    this.#isPartlyAway = acquired.unreached.length > 0;
    for (const { shard, nodeId, epoch } of owners) map.set(shard, nodeId, epoch);
    for (const { shard, nodeId } of owners) peers.notify(nodeId, shardNotices.named, [shard]);
    const taken = fences.filter(isCurrent);
    if (taken.length === 0) return;
    const shards = taken.map(({ shard }) => shard);
    owned.take(taken);
    try {
      await executions.takeOver(shards, abandoned);
    } catch (error) {
      this.#drop(taken.filter(isCurrent).map(({ shard }) => shard));
      throw error;
    }
    for (const { shard, epoch } of taken) map.set(shard, this.#self, epoch);
    this.#tellAll(shardNotices.owned, this.#news(shards));
  }

  /** Where this node believes to own one of them, it has lost it without hearing of it. */
  #areReleased(shards: readonly number[]): Promise<undefined> {
    for (const shard of shards) if (this.parts.owned.has(shard)) this.#doubtful.add(shard);
    return this.#hurry();
  }

  #isNamed(shards: readonly number[]): Promise<undefined> {
    return this.#forgotten.named(shards) ? this.#hurry() : Promise.resolve(undefined);
  }

  #heard(nodeId: string, news: OwnershipNews): Promise<undefined> {
    for (const [shard, epoch] of news) {
      if (!this.parts.map.learn(shard, nodeId, epoch)) this.#doubtful.add(shard);
    }
    this.#loseTaken(news);
    if (!this.#doubtful.isEmpty) void this.#hurry();
    return Promise.resolve(undefined);
  }

  /** Of these shards those that this node had under an older epoch are no longer its own. */
  #loseTaken(news: OwnershipNews): void {
    const { owned } = this.parts;
    const lost = news.flatMap(([shard, epoch]) => {
      const fence = owned.fenceOf(shard);
      return fence !== undefined && fence.epoch < epoch ? [shard] : [];
    });
    if (lost.length > 0) this.lost(new Error('Another node has taken shards of this one'), lost);
  }

  /**
   * Others may have taken these shards of this node, or its memory is ahead of the store: all is
   * read again from what is stored. Those that are being taken count as well.
   */
  #dropUnheld(reason: string, isHeld: (shard: number) => boolean): void {
    const unheld = [...this.#losses.keys()].filter((shard) => !isHeld(shard));
    const { owned } = this.parts;
    const isTaking = unheld.length > 0 && this.#taking.isRunning;
    if (isTaking || unheld.some((shard) => owned.has(shard))) this.lost(new Error(reason), unheld);
  }

  #news(shards: readonly number[]): OwnershipNews {
    const { owned } = this.parts;
    return shards.flatMap((shard) => {
      const fence = owned.fenceOf(shard);
      return fence === undefined ? [] : [[shard, fence.epoch] as const];
    });
  }

  #tellAll(operation: string, body: unknown): void {
    const { peers } = this.parts;
    for (const nodeId of peers.connected) peers.notify(nodeId, operation, body);
  }

  #serve(isServing: boolean, why?: unknown): void {
    if (this.#isServing === isServing) return;
    this.#isServing = isServing;
    this.parts.monitor.serving(isServing, why);
  }

  /** Once per message while it stays the same. */
  #report(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== this.#lastFailure) this.parts.monitor.failed(error);
    this.#lastFailure = message;
  }
}
