// Timers of executions (invariants I11, M11). The durable truth is one wake-up per execution in its
// shard's sorted set, written with its commits. A node arms what is due within the horizon in a
// heap of its own: from commits as they are decided, and from the store by a rolling look at each
// shard. So an execution that is not in memory costs nothing until it is due.
import type { Clock, TimerHandle } from '../std/clock.js';
import { Heap } from '../std/heap.js';
import type { ExecutionId } from '../std/ids.js';
import type { Service } from '../std/service.js';
import type { ExecutionStore } from '../store/execution-store.js';

export const horizonMs = 60_000;
const lookEveryMs = 30_000;
const wakeUpsPerLookMax = 20_000;

export interface WakeUpsParts {
  clock: Clock;
  store: ExecutionStore;
  shards: () => readonly number[];
  /** Wakes an execution; concurrency is the callee's. */
  wake: (id: ExecutionId) => void;
  failed: (error: unknown) => void;
}

interface Armed {
  id: ExecutionId;
  at: number;
}

export class WakeUps implements Service {
  readonly #heap = new Heap<Armed>((a, b) => a.at - b.at);
  /** Earliest armed moment per execution. */
  readonly #armed = new Map<ExecutionId, number>();
  #timer: TimerHandle | undefined;
  #timerAt = 0;
  #looking: TimerHandle | undefined;
  #nextShard = 0;
  #stopped = true;

  constructor(private readonly parts: WakeUpsParts) {}

  get armed(): number {
    return this.#armed.size;
  }

  async start(): Promise<void> {
    this.#stopped = false;
    // Shards that were taken before have armed theirs already.
    this.#armTimer();
    await this.lookAt(this.parts.shards());
    this.#armLook();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#looking?.cancel();
  }

  /** Arms a wake-up if it is within the horizon; later ones come with a look at the shard. */
  arm(id: ExecutionId, at: number): void {
    if (at > this.parts.clock.now() + horizonMs) return;
    const armed = this.#armed.get(id);
    if (armed !== undefined && armed <= at) return;
    this.#armed.set(id, at);
    this.#heap.push({ id, at });
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

  #armLook(): void {
    if (this.#stopped) return;
    const shards = this.parts.shards();
    const perLook = Math.max(1, Math.ceil(shards.length / 30));
    this.#looking = this.parts.clock.after(lookEveryMs / 30, () => {
      const some: number[] = [];
      for (let i = 0; i < perLook && shards.length > 0; i += 1) {
        some.push(shards[this.#nextShard % shards.length] as number);
        this.#nextShard += 1;
      }
      void this.lookAt(some)
        .catch(this.parts.failed)
        .finally(() => this.#armLook());
    });
  }

  #armTimer(): void {
    const first = this.#heap.peek();
    if (first === undefined || this.#stopped) return;
    if (this.#timer !== undefined && this.#timerAt <= first.at) return;
    this.#timer?.cancel();
    this.#timerAt = first.at;
    this.#timer = this.parts.clock.after(first.at - this.parts.clock.now(), () => this.#fire());
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.parts.clock.now();
    for (let first = this.#heap.peek(); first !== undefined && first.at <= now;) {
      this.#heap.pop();
      if (this.#armed.get(first.id) === first.at) {
        this.#armed.delete(first.id);
        this.parts.wake(first.id);
      }
      first = this.#heap.peek();
    }
    this.#armTimer();
  }
}
