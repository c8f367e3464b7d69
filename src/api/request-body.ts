// The body of a request as it came: in one piece, or in several, which are joined only for who
// wants them in one. Joining 10 MB holds the event loop for 3 to 20 ms, so a body that a thread of
// its own reads goes there in pieces (large-bodies.ts).
const noBytes = Buffer.alloc(0);

export class RequestBody {
  #pieces: readonly Buffer[];

  constructor(pieces: readonly Buffer[]) {
    this.#pieces = pieces;
  }

  get length(): number {
    return this.#pieces.reduce((sum, { length }) => sum + length, 0);
  }

  /** In the order in which they came. */
  get pieces(): readonly Buffer[] {
    return this.#pieces;
  }

  /** All of it in one; joined at the first call. */
  get whole(): Buffer {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0] ?? noBytes;
  }
}

export const noBody = new RequestBody([]);
