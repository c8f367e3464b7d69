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
 * How many times as much processor time `work` takes for four times the size: the best of five
 * tries each, in turns, after one that compiles it. About 4 where the time grows with the size, 16
 * with its square.
 */
export function growthOf(work: (size: number) => unknown, size: number): number {
  work(4 * size);
  const tries = Array.from({ length: 5 }, () =>
    [4 * size, size].map((of) => processorMs(() => work(of))),
  );
  const [large, small] = [0, 1].map((at) => Math.min(...tries.map((each) => each[at] as number)));
  return (large as number) / (small as number);
}
