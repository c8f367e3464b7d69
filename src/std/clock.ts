// Time, injected everywhere. Only this file and the tests' virtual clock touch the platform's
// timers, so that every component can be driven by a test without sleeping.

/** A running timer; `cancel` may be called any number of times, also after it has fired. */
export interface TimerHandle {
  cancel(): void;
}

export interface Clock {
  /**
   * Wall time, epoch milliseconds. Inside a node it is the node's estimate of store time
   * (invariants M11).
   */
  now(): number;
  /** Milliseconds on a clock that never steps; only differences mean anything. */
  monotonic(): number;
  /** Calls `fire` once after `delayMs` milliseconds. Does not keep the process alive. */
  after(delayMs: number, fire: () => void): TimerHandle;
}

const timeoutMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, fire) {
    const timer = setTimeout(fire, Math.min(Math.max(0, delayMs), timeoutMsMax));
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Resolves after `delayMs` milliseconds of `clock`. */
export function sleep(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => clock.after(delayMs, resolve));
}

/** The outcome of a wait that was over before the work was. */
export const late = Symbol('late');

/**
 * The one bounded wait: settles as `work` does, or resolves with `late` after `ms`. The work goes
 * on then; its rejection is handled, so nobody need see it.
 */
export async function within<T>(
  clock: Clock,
  work: Promise<T>,
  ms: number,
): Promise<T | typeof late> {
  let timer: TimerHandle | undefined;
  const over = new Promise<typeof late>((resolve) => {
    timer = clock.after(ms, () => resolve(late));
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    timer?.cancel();
  }
}

/** Waits until `work` has settled, at most so long; a rejection is somebody else's to see. */
export async function settledWithin(
  clock: Clock,
  work: Promise<unknown>,
  ms: number,
): Promise<void> {
  await within(clock, work, ms).catch(() => undefined);
}
