// A queue whose sources take turns by what they have cost, not by how much they ask for (start-time
// fair queueing). A source is a path, such as caller and definition: callers share evenly, and
// within one caller its definitions. Each source has a virtual time, which grows by what its items
// have cost, divided by the weight of its outermost name; the one that is furthest behind goes
// next. A source that had nothing to do starts where the others are, so it saves nothing up.
import { evenWeights, type WeightOf } from './weights.js';

/** Names a source, from the outermost share on; all paths of a queue have the same length. */
export type Path = readonly string[];

/** Whether the source at this path is passed over now. */
export type IsHeld = (path: Path) => boolean;

/** Sources without items that are remembered because they are ahead of the others. */
const idleSourcesMax = 10_000;

export class FairQueue<Item> {
  readonly #root = new Source<Item>();

  /** `weightOf`: of the outermost names. */
  constructor(private readonly weightOf: WeightOf = evenWeights) {}

  get size(): number {
    return this.#root.size;
  }

  push(path: Path, item: Item): void {
    this.#root.push(path, 0, item);
  }

  /**
   * The next item, of the source that is furthest behind; undefined when there is none. `isHeld`:
   * sources, at any depth, that are passed over.
   */
  take(isHeld?: IsHeld): Item | undefined {
    return this.#root.size === 0 ? undefined : this.#root.take(isHeld, []);
  }

  /** Adds to the cost of a source's items, in any unit that the queue keeps to. */
  charge(path: Path, cost: number): void {
    this.#root.charge(path, 0, cost / this.weightOf(path[0] ?? ''));
  }

  /** Takes everything out. */
  removeAll(): Item[] {
    const all: Item[] = [];
    for (let item = this.take(); item !== undefined; item = this.take()) all.push(item);
    return all;
  }
}

class Source<Item> {
  size = 0;
  /** Virtual time up to which it has been served, as its parent counts. */
  servedTo = 0;
  /** Virtual time of its parts: that of the one served last. */
  #now = 0;
  #items: Item[] = [];
  #head = 0;
  readonly #parts = new Map<string, Source<Item>>();
  #sweepAt = 64;

  push(path: Path, depth: number, item: Item): void {
    this.size += 1;
    const name = path[depth];
    if (name === undefined) this.#items.push(item);
    else this.#part(name).push(path, depth + 1, item);
  }

  /** Only while `size` is above 0; undefined when all of it is held. */
  take(isHeld: IsHeld | undefined, path: Path): Item | undefined {
    if (this.#head < this.#items.length) {
      this.size -= 1;
      return this.#takeOwn();
    }
    const passed = new Set<Source<Item>>();
    for (;;) {
      const [name, next] = this.#furthestBehind(passed);
      if (next === undefined) return undefined;
      const inner = isHeld === undefined ? path : [...path, name];
      const item = isHeld?.(inner) === true ? undefined : next.take(isHeld, inner);
      if (item === undefined) {
        passed.add(next);
        continue;
      }
      this.size -= 1;
      this.#now = Math.max(this.#now, next.servedTo);
      if (this.#parts.size > this.#sweepAt) this.#sweep();
      return item;
    }
  }

  #furthestBehind(passed: ReadonlySet<Source<Item>>): [string, Source<Item> | undefined] {
    let name = '';
    let next: Source<Item> | undefined;
    for (const [each, part] of this.#parts) {
      if (part.size === 0 || (next !== undefined && part.servedTo >= next.servedTo)) continue;
      if (passed.has(part)) continue;
      name = each;
      next = part;
    }
    return [name, next];
  }

  charge(path: Path, depth: number, cost: number): void {
    const name = path[depth];
    if (name === undefined) return;
    const part = this.#part(name);
    part.servedTo += cost;
    part.charge(path, depth + 1, cost);
  }

  #takeOwn(): Item {
    const item = this.#items[this.#head++] as Item;
    if (this.#head === this.#items.length) {
      this.#items = [];
      this.#head = 0;
    } else if (this.#head > 1000 && 2 * this.#head > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  #part(name: string): Source<Item> {
    let part = this.#parts.get(name);
    if (part === undefined) this.#parts.set(name, (part = new Source()));
    if (part.size === 0) part.servedTo = Math.max(part.servedTo, this.#now);
    return part;
  }

  /** Forgets sources that have nothing to do and are not ahead. */
  #sweep(): void {
    const all = this.#parts.size > idleSourcesMax;
    for (const [name, part] of this.#parts) {
      if (part.size === 0 && (all || part.servedTo <= this.#now)) this.#parts.delete(name);
    }
    this.#sweepAt = 64 + 2 * this.#parts.size;
  }
}
