// Queues that the list of queues in the store is known to name, as texts, so that it is told of
// each once. Names come from outside; one that is forgotten is told again, which changes nothing.
import { TextTable } from '../std/text-table.js';

const queuesMax = 50_000;
const bytesMax = 16 * 1024 * 1024;

export class KnownQueues {
  readonly #names = new TextTable<true>({ wholeKeys: true, entriesMax: queuesMax, bytesMax });

  has(queue: string): boolean {
    return this.#names.get(queue) !== undefined;
  }

  add(queue: string): void {
    if (!this.has(queue)) this.#names.set(queue, true);
  }

  /** Those that a list lacks: a failover has undone that it was told of them. */
  missingIn(list: readonly string[]): string[] {
    const listed = new Set(list);
    return [...this.#names.keys()].filter((queue) => !listed.has(queue));
  }
}
