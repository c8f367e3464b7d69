// Warnings that strangers can cause as often as they like: the first is logged at once, the next
// ones are counted and stand in one line each some seconds.

export interface SummedLogParts {
  readonly log: { warn(fields: object, message: string): void };
  readonly monotonic: () => number;
}

/** One line of a message in this time, ms. */
const everyMs = 10_000;

export class SummedLog {
  #nextAt = Number.NEGATIVE_INFINITY;
  #unsaid = 0;

  constructor(
    private readonly parts: SummedLogParts,
    private readonly message: string,
  ) {}

  /** `fields` of the line, if there is one: of the newest. */
  warn(fields: object): void {
    const now = this.parts.monotonic();
    if (now < this.#nextAt) {
      this.#unsaid++;
      return;
    }
    const more = this.#unsaid === 0 ? {} : { more: this.#unsaid };
    this.#unsaid = 0;
    this.#nextAt = now + everyMs;
    this.parts.log.warn({ ...fields, ...more }, this.message);
  }
}
