// Timers of executions (invariants I11, M11). The durable truth is one wake-up per execution in its
// shard's sorted set, written with its commits. A node arms what is due within the horizon in a
// heap of its own: from commits as they are decided, and from the store by a rolling check of each
// shard. So an execution that is not in memory costs nothing until it is due.
import type { Clock, TimerHandle } from '../std/clock.js';
import { DueTimes } from '../std/due-times.js';
import type { ExecutionId } from '../std/ids.js';
import { PeriodicLoop } from '../std/periodic-loop.js';
import type { Service } from '../std/service.js';
import type { ExecutionStore } from '../store/execution-store.js';
import type { ShardMonitor } from './executions.js';
import { OverdueTimers, type DueWakeUp } from './overdue-timers.js';
import type { OwnedShards } from './owned-shards.js';

export const horizonMs = 60_000;
const roundMs = 30_000;
const checksPerRound = 30;
const wakeUpsPerCheckMax = 20_000;

export class ExecutionTimers implements Service {
  readonly #armed = new DueTimes<ExecutionId>();
  readonly #overdue = new OverdueTimers();
  readonly #checking: PeriodicLoop;
  #timer: TimerHandle | undefined;
  #timerAt = 0;
  #nextShard = 0;
  #due: (id: ExecutionId) => void = () => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly store: Pick<ExecutionStore, 'dueWakeUps'>,
    private readonly owned: OwnedShards,
    monitor: Pick<ShardMonitor, 'failed'>,
  ) {
    this.#checking = new PeriodicLoop({
      name: 'ExecutionTimers',
      clock,
      everyMs: roundMs / checksPerRound,
      turn: () => this.#checkNext(),
      failed: (error) => monitor.failed(error),
    });
  }

  /** Who wakes executions that are due; one listener, which bounds how many at a time. */
  onDue(listener: (id: ExecutionId) => void): void {
    this.#due = listener;
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
    // Shards that were taken before have armed theirs already.
    this.#armTimer();
    await this.check(this.owned.all);
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#checking.stop();
  }

  /**
   * Arms a wake-up (0: none) within the horizon; a later one is armed by a check of its shard.
   */
  arm(id: ExecutionId, at: number): void {
    if (at === 0 || at > this.clock.now() + horizonMs) return;
    const armed = this.#armed.timeOf(id);
    if (armed !== 0 && armed <= at) return;
    this.#armed.arm(id, at);
    this.#armTimer();
  }

  /** Arms what the store says is due in these shards within the horizon. */
  async check(shards: readonly number[]): Promise<void> {
    const until = this.clock.now() + horizonMs;
    await Promise.all(
      shards.map(async (shard) => {
        const found = await this.store.dueWakeUps(shard, until, wakeUpsPerCheckMax);
        this.#overdue.seen(shard, found, this.clock.now());
        for (const due of found) this.arm(due.id, due.at);
      }),
    );
  }

  async #checkNext(): Promise<void> {
    const shards = this.owned.all;
    const some: number[] = [];
    const perCheck = Math.ceil(shards.length / checksPerRound);
    for (let i = 0; i < perCheck; i += 1) {
      some.push(shards[this.#nextShard % shards.length] as number);
      this.#nextShard += 1;
    }
    for (const shard of this.#overdue.shards) {
      if (!this.owned.has(shard)) this.#overdue.forget(shard);
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
    this.#timer = this.clock.after(firstAt - this.clock.now(), () => this.#fire());
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.clock.now();
    for (let id = this.#armed.popDue(now); id !== undefined; id = this.#armed.popDue(now)) {
      this.#due(id);
    }
    this.#armTimer();
  }
}
