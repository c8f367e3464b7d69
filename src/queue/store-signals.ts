// Whether the store's ready of a queue may hold members that nobody here has seen (invariants M18).
// A signal says that it may: a push, a lease that went back, a moment that has come, trouble. Only
// an answer of the store that was taken in clears signals, and only those raised before its
// question. So no signal is lost on the way. Whatever ends a read early leaves it for the next
// poll: the last poll leaves, the connection breaks, or scripts have to decide instead.
//
// Signals are counted, and an answer covers those up to the count at which its question was sent. A
// flag that is cleared before the question, or after the answer, loses one of the two races.

/** Signals up to this count were raised before a question to the store. */
export type Asked = number;

export class StoreSignals {
  /** Nothing has been read yet: that counts as a signal. */
  #raised = 1;
  /** Up to here a question is under way; as `#answered` when none is. */
  #asked = 0;
  /** Up to here the store has answered that it holds nothing unseen. */
  #answered = 0;

  /** The store may hold something unseen from now on. */
  raise(): void {
    this.#raised += 1;
  }

  /** The store may hold something unseen. */
  get mayHold(): boolean {
    return this.#answered < this.#raised;
  }

  /** It may, and the question under way, if there is one, does not cover all signals. */
  get isUnasked(): boolean {
    return this.#asked < this.#raised;
  }

  /** A question is sent now; one at a time, and `over` ends it. */
  ask(): Asked {
    this.#asked = this.#raised;
    return this.#asked;
  }

  /** The answer to that question is taken in: the store holds nothing else. */
  nothingElse(asked: Asked): void {
    this.#answered = Math.max(this.#answered, asked);
  }

  /** The question under way has had its answer, or gets none. */
  over(): void {
    this.#asked = this.#answered;
  }
}
