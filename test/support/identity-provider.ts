// A small OpenID Connect provider on loopback: discovery, one signing key, authorization code with
// PKCE. It signs everybody in as whom the test says.
import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export class IdentityProvider {
  /** Claims of the next identity token, over the usual ones. */
  claims: Record<string, unknown> = {};
  readonly #key = generateKeyPairSync('rsa', { modulusLength: 2048 });
  readonly #codes = new Map<string, URLSearchParams>();
  readonly #server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', this.issuer);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const { status, body, location } = this.#answer(url, form);
      response.writeHead(status, {
        'Content-Type': 'application/json',
        ...(location === undefined ? {} : { Location: location }),
      });
      response.end(JSON.stringify(body ?? {}));
    });
  });

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(url: URL, form: URLSearchParams): { status: number; body?: object; location?: string } {
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return { status: 200, body: this.#configuration() };
      case '/keys': {
        const jwk = this.#key.publicKey.export({ format: 'jwk' });
        return { status: 200, body: { keys: [{ ...jwk, kid: 'k', use: 'sig', alg: 'RS256' }] } };
      }
      case '/authorize': {
        const code = randomUUID();
        this.#codes.set(code, url.searchParams);
        const back = new URL(url.searchParams.get('redirect_uri') as string);
        back.searchParams.set('code', code);
        back.searchParams.set('state', url.searchParams.get('state') as string);
        return { status: 302, location: back.href };
      }
      case '/token':
        return this.#tokens(form);
      default:
        return { status: 404 };
    }
  }

  #configuration(): object {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }

  #tokens(form: URLSearchParams): { status: number; body: object } {
    const asked = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    const verifier = form.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    if (asked?.get('code_challenge') !== challenge) {
      return { status: 400, body: { error: 'invalid_grant' } };
    }
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + 300 };
    const usual = { iss: this.issuer, aud: asked.get('client_id'), sub: 'subject' };
    const said = { nonce: asked.get('nonce'), email_verified: true };
    const claims = { ...usual, ...times, ...said, ...this.claims };
    const signed = `${base64({ alg: 'RS256', kid: 'k' })}.${base64(claims)}`;
    const signature = createSign('RSA-SHA256').update(signed).sign(this.#key.privateKey);
    const idToken = `${signed}.${signature.toString('base64url')}`;
    return {
      status: 200,
      body: { access_token: 'a', token_type: 'Bearer', id_token: idToken, expires_in: 300 },
    };
  }
}
