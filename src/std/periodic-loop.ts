// A loop that takes a turn, pauses, and takes the next one until it is stopped (invariants M15). A
// turn that fails is reported, and the loop goes on. Each loop remembers when a turn last came
// through, so that the health of the process can name those of which none does.
import type { Clock, TimerHandle } from './clock.js';
import type { Service } from './service.js';

/** A loop is silent when no turn has come through for so many intervals, and at least so long. */
const silentIntervals = 5;
const silentMsMin = 10_000;

/** The loops that are not stopped, by their clock: a node that is gone takes its own with it. */
const running = new WeakMap<Clock, Set<PeriodicLoop>>();

/**
 * Names of the running loops on a clock of which no turn has come through for several of their
 * intervals.
 */
export function silentLoops(clock: Clock): string[] {
  return [...(running.get(clock) ?? [])].filter((loop) => loop.isSilent).map(({ name }) => name);
}

export interface PeriodicLoopOptions {
  /** For people. */
  readonly name: string;
  readonly clock: Clock;
  /** From the end of a turn to the next one, ms. */
  readonly everyMs: number;
  readonly turn: () => Promise<unknown>;
  readonly failed: (error: unknown) => void;
}

export class PeriodicLoop implements Service {
  #timer: TimerHandle | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = true;
  /** When a turn last came through, or the loop was started. */
  #throughAt = 0;

  constructor(private readonly options: PeriodicLoopOptions) {}

  get isStopped(): boolean {
    return this.#isStopped;
  }

  get name(): string {
    return this.options.name;
  }

  get isSilent(): boolean {
    const { clock, everyMs } = this.options;
    const silentMs = Math.max(silentMsMin, silentIntervals * everyMs);
    return clock.monotonic() - this.#throughAt > silentMs;
  }

  async start(): Promise<void> {
    const { clock } = this.options;
    this.#isStopped = false;
    this.#throughAt = clock.monotonic();
    if (!running.has(clock)) running.set(clock, new Set());
    running.get(clock)?.add(this);
    this.#arm();
  }

  /** Waits for the turn that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    running.get(this.options.clock)?.delete(this);
    this.#timer?.cancel();
    await this.#running;
  }

  #arm(): void {
    if (this.#isStopped) return;
    this.#timer = this.options.clock.after(this.options.everyMs, () => {
      this.#running = this.#takeTurn().finally(() => this.#arm());
    });
  }

  async #takeTurn(): Promise<void> {
    try {
      await this.options.turn();
      this.#throughAt = this.options.clock.monotonic();
    } catch (error) {
      this.options.failed(error);
    }
  }
}
