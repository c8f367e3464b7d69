// Many requests at once, and what a promise of time means on a machine that also does other things.
import fs from 'node:fs';
import os from 'node:os';

/** Runs `work(0)` to `work(count - 1)`, `atOnce` at a time; resolves with the results in order. */
export async function times<T>(
  count: number,
  atOnce: number,
  work: (index: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, run));
  return results;
}

/**
 * How long something promised within `ms` on a free machine may take now: as much longer as more
 * processes want to run than there are cores.
 */
export function stretched(ms: number): number {
  const [lastMinute = 0] = os.loadavg();
  return ms * Math.max(1, lastMinute / os.availableParallelism());
}

/** Milliseconds that `work` takes, with its result. */
export async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const startAt = performance.now();
  const result = await work();
  return { ms: performance.now() - startAt, result };
}

/**
 * Milliseconds that a process's main thread, ready to run, has waited for a core since it began:
 * what others took from it. 0 where the system does not tell.
 */
export function crowdedOutMs(pid: number): number {
  try {
    const [, waited] = fs.readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waited) / 1e6;
  } catch {
    return 0; // No such file on this system, or the process has ended.
  }
}
