// Spreads work that comes in a crowd over turns of the event loop, so that requests get in between
// (no step is to block the node for more than 20 ms).

/** At most `perTurn` callers go on in one turn of the event loop; the others follow in order. */
export class Turns {
  #left: number;
  #waiting: (() => void)[] = [];
  #scheduled = false;

  constructor(private readonly perTurn: number) {
    this.#left = perTurn;
  }

  /** Resolves when the caller may go on. */
  async take(): Promise<void> {
    this.#schedule();
    if (this.#left > 0 && this.#waiting.length === 0) {
      this.#left -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const released = this.#waiting.splice(0, this.perTurn);
      this.#left = this.perTurn - released.length;
      for (const resolve of released) resolve();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}
