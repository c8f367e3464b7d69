// Supervises a job (job.ts): a loop that takes a turn, pauses, and takes the next one until it is
// stopped (invariants M15). A turn that fails is reported, and the loop goes on. Each loop knows
// when a turn last came through, so that the health of the process can name those of which none
// does.
import type { Clock, TimerHandle } from './clock.js';
import { enterJob, leaveJob, type Job, type JobState } from './job.js';
import type { Service } from './service.js';

/** A loop is silent when no turn has come through for so many intervals, and at least so long. */
const silentIntervals = 5;
const silentMsMin = 10_000;

export interface PeriodicLoopOptions extends Job {
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
}

export class PeriodicLoop implements Service {
  #timer: TimerHandle | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopping = AbortSignal.abort();
  #stop = new AbortController();
  /** When a turn last came through, or the loop was started. */
  #throughAt = 0;
  #runs = 0;
  #failures = 0;
  #tookMs = 0;
  #lastRunAt: number | undefined;
  #lastError: string | undefined;

  constructor(private readonly options: PeriodicLoopOptions) {}

  get isStopped(): boolean {
    return this.#stopping.aborted;
  }

  get isSilent(): boolean {
    const { clock, everyMs } = this.options;
    const silentMs = Math.max(silentMsMin, silentIntervals * everyMs);
    return clock.monotonic() - this.#throughAt > silentMs;
  }

  get state(): JobState {
    const { name, runsOn, everyMs } = this.options;
    return {
      ...{ name, runsOn, everyMs },
      ...{ runs: this.#runs, failures: this.#failures, tookMs: this.#tookMs },
      ...(this.#lastRunAt === undefined ? {} : { lastRunAt: this.#lastRunAt }),
      ...(this.#lastError === undefined ? {} : { lastError: this.#lastError }),
    };
  }

  async start(): Promise<void> {
    const { clock } = this.options;
    enterJob(clock, this);
    if (this.isStopped) this.#stop = new AbortController();
    this.#stopping = this.#stop.signal;
    this.#throughAt = clock.monotonic();
    this.#arm();
  }

  /** Waits for the turn that is under way. */
  async stop(): Promise<void> {
    this.#stop.abort();
    leaveJob(this.options.clock, this);
    this.#timer?.cancel();
    await this.#running;
  }

  #arm(): void {
    if (this.isStopped) return;
    // A job that was started again during a turn is armed already.
    this.#timer?.cancel();
    this.#timer = this.options.clock.after(this.options.everyMs, () => {
      this.#running = this.#takeTurn().finally(() => this.#arm());
    });
  }

  async #takeTurn(): Promise<void> {
    const { clock, failed } = this.options;
    const startAt = clock.monotonic();
    try {
      await this.options.runOnce(this.#stopping);
      this.#throughAt = clock.monotonic();
    } catch (error) {
      this.#failures += 1;
      this.#lastError = kindOf(error);
      failed(error);
    } finally {
      this.#runs += 1;
      this.#tookMs += clock.monotonic() - startAt;
      this.#lastRunAt = clock.now();
    }
  }
}

/** Says nothing that a stranger who asks for the health may not know. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
