// Measures of how long something takes that say the same on a busy machine: the other work that was
// done meanwhile, and how the time grows with the size.

/**
 * How many calls of `work`, one after the other, ended before `pending` did. Both meet the same
 * machine, so the count says how long `pending` took, in calls. Rejects as they do.
 */
export async function workMeanwhile<T>(
  pending: Promise<T>,
  work: () => Promise<unknown>,
): Promise<{ result: T; count: number }> {
  let isPending = true;
  const settle = (): void => void (isPending = false);
  pending.then(settle, settle);
  let count = 0;
  while (isPending) {
    await work();
    count++;
  }
  return { result: await pending, count: count - 1 };
}

/** Milliseconds of processor time of this process that `work` took. */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * How many times as much processor time `work` takes for four times the size: the best of three
 * tries each, after one that compiles it. About 4 where the time grows with the size, 16 with its
 * square.
 */
export function growthOf(work: (size: number) => unknown, size: number): number {
  const best = (of: number): number =>
    Math.min(...Array.from({ length: 3 }, () => processorMs(() => work(of))));
  work(size);
  return best(4 * size) / best(size);
}
