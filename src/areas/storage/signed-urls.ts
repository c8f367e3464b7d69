// URLs of this server that let a client put or get one object for a time (contract-core 13.1): they
// carry the operation, the moment they end and a signature, and need no token. All nodes of a
// deployment share the key.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../std/clock.js';
import { AppError } from '../../model/errors.js';

export type Transfer = 'upload' | 'download';

/** The parameters of a signed URL. */
export interface GivenSignature {
  readonly op: string | undefined;
  readonly exp: string | undefined;
  readonly kid: string | undefined;
  readonly sig: string | undefined;
}

export interface SignedUrl {
  readonly url: string;
  /** Epoch ms. */
  readonly expiresAt: number;
}

export class SignedUrls {
  readonly #key: Buffer;
  /** Names the key, so that a URL of another deployment can be told from a forged one. */
  readonly #keyId: string;

  constructor(
    secret: Buffer,
    private readonly parts: {
      readonly clock: Clock;
      /** How long a URL is valid. */
      readonly seconds: number;
    },
  ) {
    this.#key = createHmac('sha256', secret).update('object urls').digest();
    this.#keyId = createHmac('sha256', this.#key).update('id').digest('hex').slice(0, 8);
  }

  get seconds(): number {
    return this.parts.seconds;
  }

  /** Epoch ms when a URL made now ends. */
  get expiresAt(): number {
    return this.parts.clock.now() + this.parts.seconds * 1000;
  }

  /** `address` is a URL of this server, with or without a query; `object` is what it is about. */
  sign(address: string, object: string, op: Transfer): SignedUrl {
    const { expiresAt } = this;
    const url = new URL(address);
    url.searchParams.set('op', op);
    url.searchParams.set('exp', String(expiresAt));
    url.searchParams.set('kid', this.#keyId);
    url.searchParams.set('sig', this.#signature(object, op, String(expiresAt)));
    return { url: url.href, expiresAt };
  }

  /**
   * Throws AppError 'forbidden' for a signature that is none, of another object or over, and
   * 'method-not-allowed' for one of the other operation.
   */
  check(object: string, wanted: Transfer, given: GivenSignature): void {
    const { op = '', exp = '', kid = '', sig = '' } = given;
    const right = Buffer.from(this.#signature(object, op, exp));
    const asked = Buffer.from(sig);
    const isSigned = right.length === asked.length && timingSafeEqual(right, asked);
    if (!isSigned || kid !== this.#keyId) {
      throw new AppError('forbidden', 'The URL is not signed for this');
    }
    if (Number(exp) < this.parts.clock.now()) throw new AppError('forbidden', 'The URL is over');
    if (op !== wanted) {
      throw new AppError('method-not-allowed', `The URL is signed for another operation: ${op}`);
    }
  }

  #signature(object: string, op: string, exp: string): string {
    const text = JSON.stringify([op, exp, object]);
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}
