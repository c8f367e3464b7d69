// How long the event loop kept others waiting since the last reading.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Between two samples, ms: each wakes the process, an idle one too. */
export const lagResolutionMs = 20;

export class LoopLag {
  readonly #delay = monitorEventLoopDelay({ resolution: lagResolutionMs });

  start(): void {
    this.#delay.enable();
  }

  stop(): void {
    this.#delay.disable();
  }

  /**
   * Milliseconds beyond the sampling interval: median, 99th percentile and maximum since the last
   * call.
   */
  take(): { p50: number; p99: number; max: number } {
    const toMs = (nanoseconds: number): number =>
      Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e6 - lagResolutionMs) : 0;
    const seen = {
      p50: toMs(this.#delay.percentile(50)),
      p99: toMs(this.#delay.percentile(99)),
      max: toMs(this.#delay.max),
    };
    this.#delay.reset();
    return seen;
  }
}
