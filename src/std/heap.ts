// Binary min-heap.

export class Heap<T> {
  readonly #items: T[] = [];

  constructor(private readonly compare: (a: T, b: T) => number) {}

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] as T;
      if (this.compare(item, above) >= 0) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    this.#sink(last);
    return first;
  }

  #sink(item: T): void {
    const items = this.#items;
    const half = items.length >> 1;
    let at = 0;
    while (at < half) {
      let child = 2 * at + 1;
      const right = child + 1;
      if (right < items.length && this.compare(items[right] as T, items[child] as T) < 0) {
        child = right;
      }
      const below = items[child] as T;
      if (this.compare(below, item) >= 0) break;
      items[at] = below;
      at = child;
    }
    items[at] = item;
  }
}
