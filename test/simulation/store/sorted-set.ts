// A sorted set of the store: members by score, then by their bytes.

export class SortedSet {
  readonly #scores = new Map<string, number>();
  /** In order; undefined after a change. */
  #order: [string, number][] | undefined;

  get size(): number {
    return this.#scores.size;
  }

  score(member: string): number | undefined {
    return this.#scores.get(member);
  }

  /** True when the member is new. */
  add(member: string, score: number): boolean {
    const isNew = !this.#scores.has(member);
    this.#scores.set(member, score);
    this.#order = undefined;
    return isNew;
  }

  remove(member: string): boolean {
    const wasThere = this.#scores.delete(member);
    if (wasThere) this.#order = undefined;
    return wasThere;
  }

  entries(): readonly [string, number][] {
    this.#order ??= [...this.#scores].sort(
      ([a, scoreA], [b, scoreB]) => scoreA - scoreB || (a < b ? -1 : 1),
    );
    return this.#order;
  }

  between(from: number, until: number): [string, number][] {
    return this.entries().filter(([, score]) => score >= from && score <= until);
  }
}
