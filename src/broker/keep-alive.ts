// Tells a broker from time to time that a message is still being dealt with, where the broker would
// hand it out again otherwise.
import { systemClock, type TimerHandle } from '../std/clock.js';

/** Calls `beat` every `everyMs` while `work` runs. A beat that fails is the broker's to notice. */
export async function keptAlive<T>(
  everyMs: number,
  beat: () => unknown,
  work: () => Promise<T>,
): Promise<T> {
  let timer: TimerHandle | undefined;
  const next = (): void => {
    timer = systemClock.after(everyMs, () => {
      Promise.resolve(beat()).catch(() => undefined);
      next();
    });
  };
  next();
  try {
    return await work();
  } finally {
    timer?.cancel();
  }
}
