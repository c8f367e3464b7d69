// Names of workflows and task types as values of labels. They come from outside, and each is a time
// series for as long as the process runs, so only so many are told apart.

/** All further names. */
const others = 'other';
const charsMax = 200;

export class BoundedNames {
  readonly #known = new Set<string>();

  constructor(private readonly namesMax: number) {}

  /** The value of the label: the name, or `other` for one that comes when there are enough. */
  of(name: string): string {
    const shown = name.slice(0, charsMax).replaceAll('\n', ' ');
    if (this.#known.has(shown)) return shown;
    if (this.#known.size >= this.namesMax) return others;
    this.#known.add(shown);
    return shown;
  }
}
