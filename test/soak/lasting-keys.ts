// Keys of a server's Redis that stand there until somebody removes them, by their kind.
import type { Redis } from 'ioredis';

/**
 * Kinds whose number may grow with what a server has ever been given, each with its reason; what
 * they take is bounded or small (docs/redis.md).
 */
const mayGrow: readonly RegExp[] = [
  // Order and lease numbers of a task type must never be used again.
  /^db:\{q\}:default:state$/,
  // Runs of a schedule are kept for some time, by its name.
  /^db:\{sched\}:/,
  // Human tasks that have ended stay to be found for a while.
  /^db:\{hu\}:/,
  // One record, which the first minute of a server brings.
  /^db:\{rec\}:default:queue-depth$/,
  // The list of changes of a kind of record begins with the first one.
  /:changes$/,
];

/** How many keys of each kind have no end of their own, without those that may grow. */
export async function lastingKeys(stores: readonly Redis[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const store of stores) {
    for await (const keys of store.scanStream({ count: 500 }) as AsyncIterable<string[]>) {
      for (const key of keys) {
        const kind = kindOf(key);
        if (mayGrow.some((pattern) => pattern.test(kind))) continue;
        if ((await store.pttl(key)) === -1) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
    }
  }
  return counts;
}

/** A key without the names in it. */
function kindOf(key: string): string {
  return key
    .replace(/\{q:[^}]*\}/, '{q}')
    .replace(/^(db:\{p\d+\}:)-.*$/, '$1EXECUTION')
    .replace(/:snap:.*$/, ':snap:HASH')
    .replace(/\{p\d+\}/, '{p}')
    .replace(/:(name|corr|idem|by|of):.*$/, ':$1:NAME')
    .replaceAll(/\d+/g, 'N');
}

/** Sentences about kinds of which there are more than before. */
export function grownKeys(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): string[] {
  return [...after]
    .filter(([kind, count]) => count > (before.get(kind) ?? 0))
    .map(([kind, count]) => `keys ${kind}: ${before.get(kind) ?? 0} before, ${count} now`);
}
