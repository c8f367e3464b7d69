// The callers of the last second. The part of a node that one caller may use depends on whether
// there are others: one alone has all of it. The two newest callers are enough to tell, for any
// caller, whether there is another one.

/** A caller that asked for nothing for so long counts as gone, ms. */
const activeMs = 1000;

export class ActiveCallers {
  #newest = '';
  #newestAt = -Infinity;
  /** Another one than the newest. */
  #other = '';
  #otherAt = -Infinity;

  /** `monotonic`: ms on a clock that never steps. */
  constructor(private readonly monotonic: () => number) {}

  /** A caller asks for something. Callers without a name, as without authentication, are nobody. */
  note(caller: string): void {
    if (caller === '') return;
    if (caller !== this.#newest) {
      this.#other = this.#newest;
      this.#otherAt = this.#newestAt;
      this.#newest = caller;
    }
    this.#newestAt = this.monotonic();
  }

  /** Whether another caller than this one is active. */
  othersThan(caller: string): boolean {
    const isOther = this.#newest !== caller;
    const name = isOther ? this.#newest : this.#other;
    const at = isOther ? this.#newestAt : this.#otherAt;
    return name !== '' && this.monotonic() - at < activeMs;
  }
}
