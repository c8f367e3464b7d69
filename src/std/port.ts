// A part that is built after what uses it, because each needs the other: the one that is built
// first takes a port and looks through it when it works. A node has two
// (test/structure/ports.test.ts): what executions give work to, and the partners of its queues.

export class Port<T> {
  #part: T | undefined;

  /** `name` says what is missing when it is used too early. */
  constructor(private readonly name: string) {}

  /** Before the first use. */
  connect(part: T): void {
    this.#part = part;
  }

  /** Throws before it is connected. */
  get part(): T {
    if (this.#part === undefined) throw new Error(`Nothing is connected to: ${this.name}`);
    return this.#part;
  }
}
