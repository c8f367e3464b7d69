// Finds the differences between two executions: members of JSON values, and tasks by their
// reference.
import type { Outline, TaskRow } from './outline';

export interface Difference {
  /** Such as `order.items[2].price`; '' for the whole. */
  readonly path: string;
  /** undefined: not there. */
  readonly here: unknown;
  readonly there: unknown;
}

/** Differences of one comparison that are listed. */
const differencesMax = 200;

export function differencesOf(here: unknown, there: unknown): readonly Difference[] {
  const found: Difference[] = [];
  compare(here, there, '', found);
  return found;
}

function compare(here: unknown, there: unknown, path: string, found: Difference[]): void {
  if (found.length >= differencesMax || Object.is(here, there)) return;
  if (!isBranch(here) || !isBranch(there) || Array.isArray(here) !== Array.isArray(there)) {
    found.push({ path, here, there });
    return;
  }
  const names = new Set([...Object.keys(here), ...Object.keys(there)]);
  for (const name of names) {
    const below = Array.isArray(here) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    compare(here[name], there[name], below, found);
  }
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

export interface TaskPair {
  readonly ref: string;
  readonly here: TaskRow | undefined;
  readonly there: TaskRow | undefined;
  readonly differs: boolean;
}

/** The newest attempt of each reference in both, in the order of this execution, then the other. */
export function taskPairs(here: Outline, there: Outline): readonly TaskPair[] {
  const ours = newestByRef(here);
  const theirs = newestByRef(there);
  return [...new Set([...ours.keys(), ...theirs.keys()])].map((ref) => {
    const [a, b] = [ours.get(ref), theirs.get(ref)];
    const differs = a?.status !== b?.status || a?.retryCount !== b?.retryCount;
    return { ref, here: a, there: b, differs };
  });
}

function newestByRef({ tasks }: Outline): ReadonlyMap<string, TaskRow> {
  return new Map(tasks.map((task) => [task.referenceTaskName, task]));
}
