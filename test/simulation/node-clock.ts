// The clock of one node of a simulation: its wall time may be wrong, it stands still while the node
// is paused (its timers come late then, as after SIGSTOP), and ends with the node.
import type { Clock, TimerHandle } from '../../src/std/clock.js';
import { startOfTime, type Scheduler } from './scheduler.js';

export class NodeClock implements Clock {
  /** What happens once the node goes on; undefined: it is not paused. */
  #held: (() => void)[] | undefined;
  #isOver = false;

  constructor(
    readonly scheduler: Scheduler,
    private readonly skewMs: number,
  ) {}

  now(): number {
    return Math.floor(this.scheduler.now) + this.skewMs;
  }

  monotonic(): number {
    return this.scheduler.now - startOfTime;
  }

  after(delayMs: number, fire: () => void): TimerHandle {
    let isCancelled = false;
    const event = this.scheduler.after(delayMs, () =>
      this.happen(() => {
        if (!isCancelled) fire();
      }),
    );
    return {
      cancel: () => {
        isCancelled = true;
        event.cancel();
      },
    };
  }

  /** Something reaches the node: now, once it goes on, or never. */
  happen(fire: () => void): void {
    if (this.#isOver) return;
    if (this.#held) this.#held.push(fire);
    else fire();
  }

  get isPaused(): boolean {
    return this.#held !== undefined;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  pause(): void {
    this.#held ??= [];
  }

  proceed(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const fire of held) this.scheduler.after(0, () => this.happen(fire));
  }

  end(): void {
    this.#isOver = true;
    this.#held = undefined;
  }
}
