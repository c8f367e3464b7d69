// Names of the definitions whose limits the queues of a task type count. The keys of slots and
// rate windows carry these names, and a script must be told all keys that it touches beforehand:
// the store of queues tells it the names known here, and learns those that the script met besides.
import type { Keys } from './keys.js';

export class LimitedDefinitions {
  readonly #names = new Map<string, Set<string>>();

  constructor(private readonly keyspace: Keys) {}

  names(taskType: string): string[] {
    return [...(this.#names.get(taskType) ?? [])];
  }

  /** True when there was any name to learn. */
  learn(taskType: string, names: readonly string[]): boolean {
    if (names.length === 0) return false;
    const known = this.#names.get(taskType);
    if (known) for (const name of names) known.add(name);
    else this.#names.set(taskType, new Set(names));
    return true;
  }

  /** Two keys for each name: its slots and its rate window. */
  keys(taskType: string, names: readonly string[]): string[] {
    const { keyspace } = this;
    return names.flatMap((name) => [keyspace.slots(taskType, name), keyspace.rate(taskType, name)]);
  }
}
