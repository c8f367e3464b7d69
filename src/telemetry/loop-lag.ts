// How long the event loop kept others waiting since the last reading.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 5;

export class LoopLag {
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });

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
      Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e6 - resolutionMs) : 0;
    const seen = {
      p50: toMs(this.#delay.percentile(50)),
      p99: toMs(this.#delay.percentile(99)),
      max: toMs(this.#delay.max),
    };
    this.#delay.reset();
    return seen;
  }
}
