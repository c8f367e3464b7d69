// Timers of executions (invariants I11, M11). The durable truth is one wake-up per execution in its
// shard's sorted set, written with its commits. A node arms what is due within the horizon in a
// heap of its own: from commits as they are decided, and from the store by visits of its shards. So
// an execution that is not in memory costs nothing until it is due.
//
// A shard is visited when a wake-up of it comes near, by what its owner knows (shard-outlook.ts),
// and now and then all the same: an entry that was put there behind the owner's back is found then.
import type { Clock, TimerHandle } from '../std/clock.js';
import { addDueSource, removeDueSource, type DueSource } from '../std/due-sources.js';
import { DueTimes } from '../std/due-times.js';
import type { ExecutionId } from '../std/ids.js';
import { PeriodicLoop } from '../std/periodic-loop.js';
import type { Service } from '../std/service.js';
import type { ExecutionStore } from '../store/execution-store.js';
import type { ShardMonitor } from './executions.js';
import { OverdueTimers, type DueWakeUp } from './overdue-timers.js';
import type { OwnedShards } from './owned-shards.js';
import { ShardVisits } from './shard-visits.js';
import type { ShardOutlook } from './shard-outlook.js';

export const horizonMs = 60_000;
const visitEveryMs = 1000;
/** Where all shards want a visit, one round over them takes so many turns. */
const visitsPerRound = 30;
/** A shard is visited so long before its next wake-up, ms: half again as long as a round. */
const leadMs = 45_000;
/** Between two visits of a shard that has wake-ups within the horizon, ms. */
const againMs = 15_000;
/** Between two visits of a shard that has none, ms. */
export const quietMs = 60_000;
/** The same where failovers go unnoticed: one may have put wake-ups back. */
export const unnoticedQuietMs = 30_000;
const wakeUpsPerVisitMax = 20_000;

export interface ExecutionTimersParts {
  readonly clock: Clock;
  readonly store: Pick<ExecutionStore, 'firstOpenAt' | 'dueWakeUps' | 'noticesFailovers'>;
  readonly owned: OwnedShards;
  readonly outlook: ShardOutlook;
  readonly monitor: Pick<ShardMonitor, 'failed'>;
  /** Wakes an execution that is due; bounds how many at a time. */
  readonly due: (id: ExecutionId) => void;
}

export class ExecutionTimers implements Service, DueSource {
  readonly #armed = new DueTimes<ExecutionId>();
  readonly #overdue = new OverdueTimers();
  readonly #visits: ShardVisits;
  readonly #checking: PeriodicLoop;
  #timer: TimerHandle | undefined;
  #timerAt = 0;

  constructor(private readonly parts: ExecutionTimersParts) {
    const { clock, store, owned, outlook, monitor } = parts;
    this.#visits = new ShardVisits({
      ...{ clock, owned },
      everyMsMin: againMs,
      everyMsMax: store.noticesFailovers ? quietMs : unnoticedQuietMs,
      wantedAt: (shard) => outlook.of(shard).wakeAt - leadMs,
    });
    this.#checking = new PeriodicLoop({
      name: 'ExecutionTimers',
      clock,
      everyMs: visitEveryMs,
      runsOn: 'owner',
      runOnce: () => this.#checkNext(),
      failed: (error) => monitor.failed(error),
    });
  }

  get armed(): number {
    return this.#armed.size;
  }

  /** Those of this node's shards that are late, oldest first. */
  get overdue(): DueWakeUp[] {
    return this.#overdue.list();
  }

  async start(): Promise<void> {
    await this.#checking.start();
    addDueSource(this.parts.clock, this);
    // Shards that were taken before have armed theirs already.
    this.#armTimer();
    await this.check(this.parts.owned.all);
  }

  async stop(): Promise<void> {
    removeDueSource(this.parts.clock, this);
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#checking.stop();
  }

  /** For test servers (due-sources.ts). */
  async nextDueAt(): Promise<number> {
    return Math.min(this.#armed.nextAt || Infinity, await this.drawsAt());
  }

  /** Of the store alone: what has ended may still be armed. */
  async drawsAt(): Promise<number> {
    const { owned, store } = this.parts;
    const stored = await Promise.all(owned.all.map((shard) => store.firstOpenAt(shard)));
    return Math.min(Infinity, ...stored.map((at) => at ?? Infinity));
  }

  async timeMoved(): Promise<void> {
    await this.check(this.parts.owned.all);
    this.#timer?.cancel();
    this.#fire();
  }

  /**
   * Arms a wake-up (0: none) within the horizon; a later one is armed by a visit of its shard.
   */
  arm(id: ExecutionId, at: number): void {
    if (at === 0 || at > this.parts.clock.now() + horizonMs) return;
    const armed = this.#armed.timeOf(id);
    if (armed !== 0 && armed <= at) return;
    this.#armed.arm(id, at);
    this.#armTimer();
  }

  /** Visits these shards: arms what the store says is due in them within the horizon. */
  async check(shards: readonly number[]): Promise<void> {
    await Promise.all(shards.map((shard) => this.#visit(shard)));
  }

  async #visit(shard: number): Promise<void> {
    const { clock, store, outlook } = this.parts;
    const visit = this.#visits.begin(shard);
    const reading = outlook.begin(shard);
    const until = clock.now() + horizonMs;
    const firstAt = await store.firstOpenAt(shard);
    const isDue = firstAt !== undefined && firstAt <= until;
    const found = isDue ? await store.dueWakeUps(shard, until, wakeUpsPerVisitMax) : [];
    this.#overdue.seen(shard, found, clock.now());
    for (const due of found) this.arm(due.id, due.at);
    outlook.learn(reading, { wakeAt: firstAt ?? Infinity, isEmpty: firstAt === undefined });
    this.#visits.visited(visit);
  }

  async #checkNext(): Promise<void> {
    const { owned } = this.parts;
    const visitsMax = Math.ceil(owned.all.length / visitsPerRound);
    const some = this.#visits.due(visitsMax);
    for (const shard of this.#overdue.shards) {
      if (!owned.has(shard)) this.#overdue.forget(shard);
      else if (!some.includes(shard)) some.push(shard);
    }
    await this.check(some);
  }

  #armTimer(): void {
    const firstAt = this.#armed.nextAt;
    if (firstAt === 0 || this.#checking.isStopped) return;
    if (this.#timer !== undefined && this.#timerAt <= firstAt) return;
    this.#timer?.cancel();
    this.#timerAt = firstAt;
    this.#timer = this.parts.clock.after(firstAt - this.parts.clock.now(), () => this.#fire());
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.parts.clock.now();
    for (let id = this.#armed.popDue(now); id !== undefined; id = this.#armed.popDue(now)) {
      this.parts.due(id);
    }
    this.#armTimer();
  }
}
