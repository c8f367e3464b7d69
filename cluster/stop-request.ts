// Waits for what ends `npm run cluster`: q or Ctrl-C at the terminal, a signal, or output that
// nobody reads any more. The terminal is read key by key from the start, so that its Ctrl-C does
// not reach the processes of the cluster, which end in order instead. Asked for a second time by
// key, the end does not wait for that.

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Ctrl-C arrives as a key in raw mode. */
const endingKeys = ['q', '\u0003'];

export class StopRequest {
  /** Resolves when the cluster is to end. */
  readonly asked: Promise<void>;
  #isAsked = false;
  #resolve: () => void = () => undefined;
  #pressed: (key: string) => void = () => undefined;
  readonly #ask = (): void => {
    this.#isAsked = true;
    this.#resolve();
  };
  readonly #readKeys = (bytes: Buffer): void => {
    for (const key of bytes.toString()) this.#take(key);
  };

  constructor() {
    this.asked = new Promise((resolve) => (this.#resolve = resolve));
    // Each of them may come more than once: from the terminal, and passed on by npm.
    for (const signal of endingSignals) process.on(signal, this.#ask);
    process.stdout.on('error', this.#ask);
    if (!process.stdin.isTTY) return;
    process.stdin.setRawMode(true);
    process.stdin.on('data', this.#readKeys);
    process.stdin.on('error', this.#ask);
  }

  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** Hands over every other key that is pressed from now on. */
  onKey(pressed: (key: string) => void): void {
    this.#pressed = pressed;
  }

  /** Gives the terminal and the signals back. */
  close(): void {
    for (const signal of endingSignals) process.off(signal, this.#ask);
    if (!process.stdin.isTTY) return;
    process.stdin.off('data', this.#readKeys);
    process.stdin.setRawMode(false);
    process.stdin.pause();
  }

  #take(key: string): void {
    if (!endingKeys.includes(key)) return this.#pressed(key);
    // The processes that still run are killed with this one (testkit/process.ts).
    if (this.#isAsked) process.exit(1);
    this.#ask();
  }
}
