// How long the event loop kept others waiting since the last reading: how late a timer came.
//
// The timer comes every few milliseconds while the loop works. While it rests each sample doubles
// the time to the next one: waking a process that sleeps costs more than what there is to see. Such
// a sample stands for those that were left out, so percentiles mean the same in both cases.
import {
  createHistogram,
  performance,
  type EventLoopUtilization,
  type RecordableHistogram,
} from 'node:perf_hooks';

const shortestMs = 5;
const longestMs = 80;
/** A loop that works less than this share of the time rests. */
const restingShare = 0.2;

/** Milliseconds. */
export interface SeenLag {
  readonly min: number;
  readonly mean: number;
  readonly stddev: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export class LoopLag {
  /** Whole microseconds and one, since it takes no 0; one for each reader. */
  readonly #samples: RecordableHistogram[] = [];
  readonly #main = this.reader();
  #timer: NodeJS.Timeout | undefined;
  #worked: EventLoopUtilization = performance.eventLoopUtilization();

  start(): void {
    this.#sampleIn(shortestMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Of the time since the last call. */
  take(): SeenLag {
    return this.#main();
  }

  /** Reads for itself: of the time since its own last call. */
  reader(): () => SeenLag {
    const samples = createHistogram();
    this.#samples.push(samples);
    return () => this.#taken(samples);
  }

  #taken(samples: RecordableHistogram): SeenLag {
    const toMs = (recorded: number): number => Math.max(0, recorded - 1) / 1e3;
    const seen =
      samples.count === 0
        ? noLag
        : {
            min: toMs(samples.min),
            mean: toMs(samples.mean),
            stddev: samples.stddev / 1e3,
            p50: toMs(samples.percentile(50)),
            p90: toMs(samples.percentile(90)),
            p99: toMs(samples.percentile(99)),
            max: toMs(samples.max),
          };
    samples.reset();
    return seen;
  }

  #sampleIn(waitMs: number): void {
    const dueAt = performance.now() + waitMs;
    this.#timer = setTimeout(() => {
      const lagMs = Math.max(0, performance.now() - dueAt);
      for (let leftOut = waitMs / shortestMs - 1; leftOut > 0; leftOut--) this.#record(0);
      this.#record(lagMs);
      this.#sampleIn(this.#rested() ? Math.min(2 * waitMs, longestMs) : shortestMs);
    }, waitMs);
    this.#timer.unref();
  }

  #record(lagMs: number): void {
    for (const samples of this.#samples) samples.record(1 + Math.round(lagMs * 1e3));
  }

  /** Whether the loop has rested since the last call. */
  #rested(): boolean {
    const before = this.#worked;
    this.#worked = performance.eventLoopUtilization();
    return performance.eventLoopUtilization(this.#worked, before).utilization < restingShare;
  }
}

const noLag: SeenLag = { min: 0, mean: 0, stddev: 0, p50: 0, p90: 0, p99: 0, max: 0 };
