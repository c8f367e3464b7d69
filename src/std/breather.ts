// Pauses by time of a loop whose steps wait for nothing but promises: between those no timer and no
// request gets a turn, so a loop over thousands of them would stop the process.
import { performance } from 'node:perf_hooks';

/** Others get their turn after so long, ms. */
const turnMsMax = 4;

export class Breather {
  #since = performance.now();

  /** Between two steps; undefined where no pause is due, so that most steps wait for nothing. */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.#since < turnMsMax) return undefined;
    return new Promise<void>((resume) => setImmediate(resume)).then(() => {
      this.#since = performance.now();
    });
  }
}
