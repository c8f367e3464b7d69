// Waiting for something that another process does, with a bound.

export const untilTimeoutMs = 10_000;

/** Resolves after `ms` milliseconds. For pacing what a test does, never in place of a condition. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Resolves once the clock shows `at`, epoch ms: a due time, or the end of a limit, that the test is
 * about.
 */
export async function untilMoment(at: number): Promise<void> {
  for (let left = at - Date.now(); left > 0; left = at - Date.now()) await pause(left);
}

/** Resolves when everything that is ready in this process has had its turn, a hundred times. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Asks `look` again and again, `everyMs` apart, until it answers something other than undefined or
 * false; rejects after `timeoutMs` with a text that names `what` was awaited.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  options: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const { timeoutMs = untilTimeoutMs, everyMs = 20 } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await pause(everyMs);
  }
}
