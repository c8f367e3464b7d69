// Tells the log, in the words of the health answer, when this node can no longer serve, why, and
// when it can again.
import type { Clock } from './std/clock.js';
import { PeriodicLoop } from './std/periodic-loop.js';
import type { Service } from './std/service.js';
import type { Logger } from './telemetry/logger.js';

const everyMs = 250;

export class HealthLog implements Service {
  readonly #loop: PeriodicLoop;
  #told: string | undefined;

  constructor(
    /** One sentence about what is wrong now; undefined: nothing. */
    private readonly trouble: () => string | undefined,
    private readonly log: Logger,
    clock: Clock,
  ) {
    this.#loop = new PeriodicLoop({
      clock,
      everyMs,
      turn: () => Promise.resolve(this.tell()),
      failed: (error) => log.warn({ err: error }, 'the health could not be asked'),
    });
  }

  async start(): Promise<void> {
    await this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Asked from time to time, and to be called when something has happened. */
  tell(): void {
    const why = withoutTimes(this.trouble());
    if (why === this.#told) return;
    this.#told = why;
    if (why === undefined) this.log.info('healthy again');
    else this.log.warn(`not healthy: ${why}`);
  }
}

/** A time that goes on is no news. */
function withoutTimes(sentence: string | undefined): string | undefined {
  return sentence?.replace(/ for [\d.]+ s$/, ' for seconds');
}
