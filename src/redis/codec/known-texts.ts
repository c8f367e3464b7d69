// The texts of an execution's fields with the numbers of these fields. Few are compared one by one,
// which needs no hash of each; many are looked up.

/** So many are compared one by one. */
const comparedMax = 16;

export class KnownTexts {
  readonly #texts: string[] = [];
  readonly #fields: number[] = [];
  #byText: Map<string, number> | undefined;

  /** The field that has this text; undefined: none has, and `field` is known from now on. */
  find(text: string, field: number): number | undefined {
    if (this.#byText !== undefined) return this.#lookUp(this.#byText, text, field);
    // From the newest on: a task's input is mostly the output of the one before.
    for (let i = this.#texts.length - 1; i >= 0; i--) {
      if (this.#texts[i] === text) return this.#fields[i];
    }
    if (this.#texts.length === comparedMax) {
      this.#byText = new Map(this.#texts.map((known, i) => [known, this.#fields[i] as number]));
      return this.#lookUp(this.#byText, text, field);
    }
    this.#texts.push(text);
    this.#fields.push(field);
    return undefined;
  }

  #lookUp(byText: Map<string, number>, text: string, field: number): number | undefined {
    const known = byText.get(text);
    if (known === undefined) byText.set(text, field);
    return known;
  }
}
