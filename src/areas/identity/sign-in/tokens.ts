// Access tokens: JSON Web Tokens signed with HMAC-SHA-256 and no other algorithm. The header is a
// fixed text and compared as such, so nothing that a token says about itself is believed before its
// signature holds (invariants S7). The key is derived from the deployment's secret, so every node
// checks what any node has issued.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export interface TokenClaims {
  /** Subject id (contract-admin 1.5). */
  readonly sub: string;
  /** Epoch seconds. */
  readonly iat: number;
  /** Epoch seconds; absent: never expires. */
  readonly exp?: number;
  /** Id of the token, so that it can be ended alone. */
  readonly jti: string;
  /** Access key that it was issued for; it ceases with the key. */
  readonly key?: string;
  /** Generation of the person that it was issued for; it ceases with the generation. */
  readonly gen?: string;
}

export type TokenCheck =
  | { readonly kind: 'valid'; readonly claims: TokenClaims }
  | { readonly kind: 'expired' }
  | { readonly kind: 'invalid' };

/** Issues and checks tokens. */
export interface TokenSigner {
  sign(claims: TokenClaims): string;
  /** `now`: epoch ms. */
  check(token: string, now: number): TokenCheck;
}

const header = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');
const issuer = 'downbeat';
/** Longer texts are no tokens of ours. */
const tokenLengthMax = 2048;

export class Tokens implements TokenSigner {
  readonly #key: Buffer;

  /** `secret`: the deployment's secret, at least 16 bytes. */
  constructor(secret: Buffer) {
    if (secret.length < 16) throw new Error('The deployment has no secret to sign tokens with');
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'downbeat access tokens', 32));
  }

  sign(claims: TokenClaims): string {
    const payload = Buffer.from(JSON.stringify({ iss: issuer, ...claims })).toString('base64url');
    return `${header}.${payload}.${this.#signature(payload).toString('base64url')}`;
  }

  check(token: string, now: number): TokenCheck {
    const claims = this.#read(token);
    if (claims === undefined) return { kind: 'invalid' };
    if (claims.exp !== undefined && claims.exp * 1000 <= now) return { kind: 'expired' };
    return { kind: 'valid', claims };
  }

  #read(token: string): TokenClaims | undefined {
    if (token.length > tokenLengthMax) return undefined;
    const [head, payload = '', signature = '', more] = token.split('.', 4);
    if (head !== header || more !== undefined) return undefined;
    const given = Buffer.from(signature, 'base64url');
    const right = this.#signature(payload);
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as TokenClaims & {
      readonly iss?: string;
    };
    return claims.iss === issuer ? claims : undefined;
  }

  #signature(payload: string): Buffer {
    return createHmac('sha256', this.#key).update(`${header}.${payload}`).digest();
  }
}
