// Tells the log, in the words of the health answer, when this node can no longer serve, why, and
// when it can again. A process that stood still (it was paused, or other work took the processor)
// finds old moments everywhere when it goes on: then that is what the log says, and the store is
// judged a turn later.
import type { Clock } from '../std/clock.js';
import { PeriodicService } from '../std/periodic-service.js';
import type { Logger } from '../telemetry/logger.js';

const everyMs = 250;
/** A turn that comes so late, ms, shows that the process stood still. */
const lateMsMin = 1_000;

export class HealthLog extends PeriodicService {
  #told: string | undefined;
  #turnAt: number | undefined;

  constructor(
    /** One sentence about what is wrong now; undefined: nothing. */
    private readonly trouble: () => string | undefined,
    private readonly log: Logger,
    private readonly clock: Clock,
  ) {
    const failed = (error: unknown): void =>
      log.warn({ err: error }, 'the health could not be asked');
    super({ clock, everyMs, failed, runsOn: 'node' });
  }

  override runOnce(): Promise<void> {
    this.#takeTurn();
    return Promise.resolve();
  }

  #takeTurn(): void {
    const at = this.clock.monotonic();
    const lateMs = this.#turnAt === undefined ? 0 : at - this.#turnAt - everyMs;
    this.#turnAt = at;
    if (lateMs < lateMsMin) return this.tell();
    const seconds = Math.round(lateMs / 100) / 10;
    this.log.warn(`this process stood still for ${seconds} s: paused, or without a processor`);
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

/** Removes the running time from a sentence, so that it alone is not logged as a change. */
function withoutTimes(sentence: string | undefined): string | undefined {
  return sentence?.replace(/ for [\d.]+ s$/, ' for seconds');
}
