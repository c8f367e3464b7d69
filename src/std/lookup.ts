// Things that are found by their names, where one that is known by its name may not be here.

export class Lookup<T> {
  constructor(
    readonly all: readonly T[],
    private readonly namesOf: (one: T) => readonly string[],
    /** Why one that is known is not here; undefined: it is not known. */
    readonly absence: (name: string) => string | undefined,
  ) {}

  find(name: string): T | undefined {
    return this.all.find((one) => this.namesOf(one).includes(name));
  }
}
