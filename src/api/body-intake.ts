// The body of one request while it comes: decides with each piece whether more may come, and keeps
// the pieces. A request that was refused by its head keeps nothing; the rest of it is read and
// dropped, so that its client hears the answer, unless that is much.
import type { BodyPermit } from './body-permits.js';
import { droppedBytesMax, refusals } from './http-limits.js';
import type { ApiResponse, BegunRequest } from './http-server.js';
import { noBody, RequestBody } from './request-body.js';

export class BodyIntake {
  #bytes = 0;
  #pieces: Buffer[] | undefined;
  #body = noBody;
  #place: BodyPermit | undefined;

  /** `enter` gives a place for a body that does not come in one piece. */
  constructor(
    private readonly begun: BegunRequest,
    private readonly enter: () => BodyPermit | undefined,
  ) {}

  /** The answer to a body of this announced length, to be given at once; undefined: it may come. */
  announced(length: number): ApiResponse | undefined {
    const { refusal, bodyBytesMax } = this.begun;
    if (refusal !== undefined) return length > droppedBytesMax ? refusal : undefined;
    return length > bodyBytesMax ? refusals.bodyTooLarge : undefined;
  }

  /**
   * Asked before a piece is kept. An answer is to be given at once, and nothing more is read;
   * undefined: the piece may be kept.
   */
  arrives(bytes: number, isLast: boolean): ApiResponse | undefined {
    this.#bytes += bytes;
    const early = this.announced(this.#bytes);
    if (early !== undefined) return early;
    if (!this.keeps || (isLast && this.#pieces === undefined)) return undefined;
    this.#place ??= this.enter();
    return this.#place?.grow(bytes) === true ? undefined : refusals.noRoom;
  }

  /** Whether pieces are kept at all. */
  get keeps(): boolean {
    return this.begun.refusal === undefined;
  }

  keep(piece: Buffer, isLast: boolean): void {
    if (isLast && this.#pieces === undefined) this.#body = new RequestBody([piece]);
    else (this.#pieces ??= []).push(piece);
  }

  /** The whole body, once its last piece is there. */
  end(): RequestBody {
    const pieces = this.#pieces;
    if (pieces === undefined) return this.#body;
    this.#pieces = undefined;
    return new RequestBody(pieces);
  }

  /** The request has ended, or its client has gone: what it held is free. */
  leave(): void {
    this.#pieces = undefined;
    this.#body = noBody;
    this.#place?.leave();
  }
}
