// Compares what searches find with the executions themselves, while both move. An execution that
// has the same status before and after a search has had it all the while (pauses aside), so the
// index must name it under that status and no other. Where it does not, the time until it does is
// measured.
import type { ApiClient } from '../../testkit/api-client.js';

/** The longest page of a search. */
const pageSize = 1000;
const readsAtOnce = 8;

export class IndexAgreement {
  /** Comparisons that were equal. */
  agreed = 0;
  /** Longest time that an entry differed from its execution, which stood still; ms. */
  longestMs = 0;
  /** Executions that differ now, with what was seen. */
  readonly differing = new Map<string, { since: number; text: string }>();
  readonly #ids = new Set<string>();

  constructor(
    private readonly workflow: string,
    private readonly statuses: readonly string[],
    /** A word of all executions: the index of texts is asked as well. */
    private readonly word = '*',
  ) {}

  add(id: string): void {
    this.#ids.add(id);
  }

  get size(): number {
    return this.#ids.size;
  }

  /** Compares all executions once. Rejects when the service is away; then nothing counts. */
  async look(reader: ApiClient, searcher: ApiClient): Promise<void> {
    const ids = [...this.#ids];
    const before = await this.#read(reader, ids);
    const lookedAt = performance.now();
    const found = await this.#search(searcher);
    const after = await this.#read(reader, ids);
    for (const id of ids) {
      const status = before.get(id);
      if (status !== after.get(id)) this.differing.delete(id);
      else this.#compare(id, status, [...(found.get(id) ?? [])].join(), lookedAt);
    }
    // What only the index knows is read the next time.
    for (const id of found.keys()) this.add(id);
  }

  /** Time while the service is away does not count. */
  reset(): void {
    this.differing.clear();
  }

  #compare(id: string, status: string | undefined, found: string, lookedAt: number): void {
    if (found === (status ?? '')) {
      this.differing.delete(id);
      this.agreed += 1;
      return;
    }
    const text = `${id} is ${status}, the index says ${found}`;
    const since = this.differing.get(id)?.since ?? lookedAt;
    this.differing.set(id, { since, text });
    this.longestMs = Math.max(this.longestMs, lookedAt - since);
  }

  async #read(client: ApiClient, ids: readonly string[]): Promise<Map<string, string>> {
    const statuses = new Map<string, string>();
    const left = ids[Symbol.iterator]();
    const readOn = async (): Promise<void> => {
      for (const id of left) {
        const path = `/api/workflow/${id}?includeTasks=false`;
        const { status, body, text } = await client.request('GET', path);
        if (status === 200) statuses.set(id, (body as { status: string }).status);
        else if (status !== 404) throw new Error(`${path} answered ${status}: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: readsAtOnce }, readOn));
    return statuses;
  }

  /** The statuses under which each execution is found. */
  async #search(client: ApiClient): Promise<Map<string, Set<string>>> {
    const found = new Map<string, Set<string>>();
    for (const status of this.statuses) {
      for (let start = 0, total = 1; start < total; start += pageSize) {
        const query = new URLSearchParams({
          query: `workflowType = '${this.workflow}' AND status = ${status}`,
          ...{ freeText: this.word, start: String(start), size: String(pageSize) },
        });
        const { body } = await client.ask('GET', `/api/workflow/search?${query}`);
        const page = body as { totalHits: number; results: { workflowId: string }[] };
        total = page.totalHits;
        for (const { workflowId } of page.results) {
          found.set(workflowId, (found.get(workflowId) ?? new Set()).add(status));
        }
      }
    }
    return found;
  }
}
