// Long computations in slices of the event loop, so that requests get in between. Such a
// computation is a generator that yields after every few hundred items; it stays synchronous and
// deterministic, and who runs it decides whether it pauses there.

/** A computation that may pause wherever it yields. */
export type Steps<T> = Generator<void, T, void>;

/**
 * Items between two pauses: some hundred microseconds of work that takes about ten of them an item.
 */
export const itemsPerSlice = 100;

/** Each item in turn, with a pause after every slice of them. */
export function* eachInSteps<T>(
  items: readonly T[],
  visit: (item: T, index: number) => void,
): Steps<void> {
  for (let i = 0; i < items.length; i++) {
    visit(items[i] as T, i);
    if (i % itemsPerSlice === itemsPerSlice - 1) yield;
  }
}

/** As `eachInSteps`, of items that are steps themselves; what they make, in their order. */
export function* mapInSteps<T, U>(
  items: readonly T[],
  convert: (item: T, index: number) => Steps<U>,
): Steps<U[]> {
  const results: U[] = [];
  for (let i = 0; i < items.length; i++) {
    results.push(yield* convert(items[i] as T, i));
    if (i % itemsPerSlice === itemsPerSlice - 1) yield;
  }
  return results;
}

/** Without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** With a turn of the event loop at each pause. Rejects with what the computation throws. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await new Promise((resume) => setImmediate(resume));
  }
}
