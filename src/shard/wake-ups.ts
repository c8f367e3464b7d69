// Timers of executions (invariants I11, M11). The durable truth is one wake-up per execution in its
// shard's sorted set, written with its commits. A node arms what is due within the horizon in a
// heap of its own: from commits as they are decided, and from the store by a rolling look at each
// shard. So an execution that is not in memory costs nothing until it is due.
import type { Clock, TimerHandle } from '../std/clock.js';
import { DueTimes } from '../std/due-times.js';
import type { ExecutionId } from '../std/ids.js';
import { PeriodicLoop } from '../std/periodic-loop.js';
import type { Service } from '../std/service.js';
import type { ExecutionStore } from '../store/execution-store.js';

export const horizonMs = 60_000;
const lookEveryMs = 30_000;
const looksPerRound = 30;
const wakeUpsPerLookMax = 20_000;

export interface WakeUpsParts {
  clock: Clock;
  store: ExecutionStore;
  shards: () => readonly number[];
  /** Wakes an execution; concurrency is the callee's. */
  wake: (id: ExecutionId) => void;
  failed: (error: unknown) => void;
}

export class WakeUps implements Service {
  readonly #armed = new DueTimes<ExecutionId>();
  readonly #looking: PeriodicLoop;
  #timer: TimerHandle | undefined;
  #timerAt = 0;
  #nextShard = 0;

  constructor(private readonly parts: WakeUpsParts) {
    const { clock, failed } = parts;
    this.#looking = new PeriodicLoop({
      clock,
      everyMs: lookEveryMs / looksPerRound,
      turn: () => this.#lookAtNext(),
      failed,
    });
  }

  get armed(): number {
    return this.#armed.size;
  }

  async start(): Promise<void> {
    await this.#looking.start();
    // Shards that were taken before have armed theirs already.
    this.#armTimer();
    await this.lookAt(this.parts.shards());
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#looking.stop();
  }

  /** Arms a wake-up if it is within the horizon; later ones come with a look at the shard. */
  arm(id: ExecutionId, at: number): void {
    if (at > this.parts.clock.now() + horizonMs) return;
    const armed = this.#armed.timeOf(id);
    if (armed !== 0 && armed <= at) return;
    this.#armed.arm(id, at);
    this.#armTimer();
  }

  /** Arms what the store says is due in these shards within the horizon. */
  async lookAt(shards: readonly number[]): Promise<void> {
    const until = this.parts.clock.now() + horizonMs;
    await Promise.all(
      shards.map(async (shard) => {
        for (const due of await this.parts.store.dueWakeUps(shard, until, wakeUpsPerLookMax)) {
          this.arm(due.id, due.at);
        }
      }),
    );
  }

  async #lookAtNext(): Promise<void> {
    const shards = this.parts.shards();
    const some: number[] = [];
    const perLook = Math.ceil(shards.length / looksPerRound);
    for (let i = 0; i < perLook; i += 1) {
      some.push(shards[this.#nextShard % shards.length] as number);
      this.#nextShard += 1;
    }
    await this.lookAt(some);
  }

  #armTimer(): void {
    const firstAt = this.#armed.nextAt;
    if (firstAt === 0 || this.#looking.isStopped) return;
    if (this.#timer !== undefined && this.#timerAt <= firstAt) return;
    this.#timer?.cancel();
    this.#timerAt = firstAt;
    this.#timer = this.parts.clock.after(firstAt - this.parts.clock.now(), () => this.#fire());
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.parts.clock.now();
    for (let id = this.#armed.popDue(now); id !== undefined; id = this.#armed.popDue(now)) {
      this.parts.wake(id);
    }
    this.#armTimer();
  }
}
