// Human tasks that ended leave their index after the retention of executions.
import type { Clock, TimerHandle } from '../../std/clock.js';
import type { Service } from '../../std/service.js';
import type { HumanTaskStore } from '../../store/human-task-store.js';

const everyMs = 60_000;

export class HumanTaskExpiry implements Service {
  #timer: TimerHandle | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = true;

  constructor(
    private readonly parts: {
      readonly store: HumanTaskStore;
      readonly clock: Clock;
      readonly lifeMs: number;
      readonly failed: (error: unknown) => void;
    },
  ) {}

  async start(): Promise<void> {
    this.#isStopped = false;
    this.#arm();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  async runOnce(): Promise<void> {
    const { store, clock, lifeMs } = this.parts;
    while (!this.#isStopped && (await store.expire(clock.now() - lifeMs)));
  }

  #arm(): void {
    if (this.#isStopped) return;
    this.#timer = this.parts.clock.after(everyMs, () => {
      this.#running = this.runOnce()
        .catch(this.parts.failed)
        .finally(() => this.#arm());
    });
  }
}
