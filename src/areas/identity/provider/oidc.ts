// Sign-in through an OpenID Connect provider: authorization code with PKCE, state and nonce. The
// values of one attempt stand in a short-lived cookie of the browser that began it, so that an
// answer for another browser's attempt is refused. The client library is loaded at the first
// sign-in. Claims become roles and groups as the settings say (oidc-person.ts).
import type { Configuration, CustomFetch } from 'openid-client';
import { AppError } from '../../../model/errors.js';
import type { OidcPersons } from './oidc-person.js';
import type { SignIn } from '../sign-in/sign-in.js';
import type { Fetch } from '../../../system-task/outbound-request.js';
import { header, query, type Endpoint } from '../../../api/endpoint.js';
import { text } from '../../../model/schema.js';
import type { ApiResponse } from '../../../api/http-server.js';
import type { RouteRequest } from '../../../api/route.js';
import { cookieOf, setCookie } from '../sign-in/session-cookie.js';
import type { Auditor } from '../../../api/audit.js';
import { auditedFailure, auditedSignIn, type SignInAttempt } from '../sign-in/sign-in-audit.js';
import { forwardedFor, withSession } from '../sign-in/endpoints.js';

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Address of this server's callback as the provider knows it. */
  readonly redirectUrl: string;
  readonly scope: string;
}

export interface OidcParts {
  readonly settings: OidcSettings;
  /** For requests to the provider and to what its discovery document names (invariants S1). */
  readonly fetch: Fetch;
  readonly persons: OidcPersons;
  readonly signIn: SignIn;
  readonly secureCookies: boolean;
  readonly clientOf: (request: RouteRequest) => string;
  readonly note: Auditor['note'];
}

/** Its path is the callback's, so it cannot have the prefix of the session's cookie. */
function attemptCookie(secure: boolean): string {
  return secure ? '__Secure-downbeat_oidc' : 'downbeat_oidc';
}
const attemptSeconds = 600;
const callbackPath = '/api/sign-in/oidc/callback';

export function oidcRoutes(parts: OidcParts): Endpoint[] {
  const provider = new Provider(parts);
  // As the browser knows it: below the base path where a proxy serves only that.
  const callback = new URL(parts.settings.redirectUrl).pathname;
  const base = callback.endsWith(callbackPath) ? callback.slice(0, -callbackPath.length) : '';
  const cookie = (value: string, lifeSeconds: number): string =>
    setCookie(attemptCookie(parts.secureCookies), value, {
      lifeSeconds,
      secure: parts.secureCookies,
      // The provider's redirect has to carry it.
      sameSite: 'Lax',
      path: callback,
    });
  return [
    {
      method: 'GET',
      pattern: '/api/sign-in/oidc',
      name: 'signInWithProvider',
      summary: 'Sends the browser to the identity provider.',
      access: { rule: 'public' },
      audit: 'routine',
      parameters: {},
      body: null,
      replies: {
        302: {
          schema: null,
          description: 'To the provider',
          headers: { Location: 'Where one signs in', 'Set-Cookie': 'The attempt' },
        },
      },
      errors: ['unavailable'],
      handle: async () => {
        const attempt = await provider.begin();
        return redirect(attempt.url, cookie(attempt.kept, attemptSeconds));
      },
    },
    {
      method: 'GET',
      pattern: callbackPath,
      name: 'finishSignInWithProvider',
      summary: 'Takes the answer of the identity provider and opens a session.',
      access: { rule: 'public' },
      audit: 'handler',
      parameters: {
        code: query(text('Code of the provider')),
        state: query(text('State of the attempt')),
        iss: query(text('Issuer')),
        error: query(text('Why the provider refused')),
        cookie: header(text('The attempt')),
        'x-forwarded-for': forwardedFor,
      },
      body: null,
      replies: {
        302: {
          schema: null,
          description: 'To the page',
          headers: { Location: 'The page', 'Set-Cookie': 'The session' },
        },
      },
      errors: ['unauthenticated', 'too-many', 'unavailable'],
      handle: async (request) => {
        const kept = cookieOf(request.header('cookie') ?? '', attemptCookie(parts.secureCookies));
        const attempt: SignInAttempt = {
          action: 'finishSignInWithProvider',
          account: '',
          address: parts.clientOf(request),
        };
        const claims = await auditedFailure(parts.note, attempt, () =>
          provider.finish(answerOf(request), kept),
        );
        const account = parts.persons.accountOf(claims);
        const issued = await auditedSignIn(parts.note, { ...attempt, account }, async () =>
          parts.signIn.issueFor(await parts.persons.signedIn(claims), {
            kind: 'page',
            address: attempt.address,
          }),
        );
        return withSession(redirect(`${base}/`), issued, parts.secureCookies);
      },
    },
  ];
}

function redirect(to: string, cookie?: string): ApiResponse {
  return {
    status: 302,
    headers: { Location: to, ...(cookie === undefined ? {} : { 'Set-Cookie': cookie }) },
  };
}

function answerOf(request: RouteRequest): URLSearchParams {
  const answer = new URLSearchParams();
  for (const name of ['code', 'state', 'iss', 'error']) {
    const value = request.query(name);
    if (value !== undefined) answer.set(name, value);
  }
  return answer;
}

/** Answers of the provider that are checked at a time: each is a request to it. */
const checksAtOnceMax = 32;

class Provider {
  #checking = 0;
  #configuration: Promise<Configuration> | undefined;

  readonly #fetch: Fetch;
  private readonly settings: OidcSettings;

  constructor({ settings, fetch }: OidcParts) {
    this.settings = settings;
    this.#fetch = fetch;
  }

  /** Where to send the browser, and what it keeps until it is back. */
  async begin(): Promise<{ url: string; kept: string }> {
    const client = await import('openid-client');
    const configuration = await this.#discovered();
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const nonce = client.randomNonce();
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.settings.redirectUrl,
      scope: this.settings.scope,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    return { url: url.href, kept: [state, nonce, verifier].join('.') };
  }

  /** The claims of the identity token. Rejects with AppError 'unauthenticated', 'too-many'. */
  async finish(
    answer: URLSearchParams,
    kept: string | undefined,
  ): Promise<Readonly<Record<string, unknown>>> {
    const [expectedState, expectedNonce, pkceCodeVerifier] = kept?.split('.') ?? [];
    if (!expectedState || !expectedNonce || !pkceCodeVerifier) {
      throw refused('This browser has begun no sign-in, or it took too long');
    }
    const client = await import('openid-client');
    const configuration = await this.#discovered();
    const url = new URL(`${this.settings.redirectUrl}?${answer.toString()}`);
    const checks = { expectedState, expectedNonce, pkceCodeVerifier, idTokenExpected: true };
    if (this.#checking >= checksAtOnceMax) {
      throw new AppError('too-many', 'Too many users sign in at this moment, repeat soon');
    }
    this.#checking++;
    try {
      const tokens = await client.authorizationCodeGrant(configuration, url, checks);
      return { ...tokens.claims() };
    } catch (cause) {
      throw refused('The identity provider did not confirm the sign-in', cause);
    } finally {
      this.#checking--;
    }
  }

  /** Asked again after a failure. */
  #discovered(): Promise<Configuration> {
    this.#configuration ??= this.#discover().catch((cause: unknown) => {
      this.#configuration = undefined;
      throw new AppError('unavailable', 'The identity provider does not answer', { cause });
    });
    return this.#configuration;
  }

  async #discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const issuer = new URL(this.settings.issuer);
    const { clientId, clientSecret } = this.settings;
    // Plain HTTP is for a provider on this machine only; config.ts refuses others.
    const execute = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [];
    const options = { execute, [client.customFetch]: this.#fetch as CustomFetch };
    return await client.discovery(issuer, clientId, clientSecret, undefined, options);
  }
}

function refused(message: string, cause?: unknown): AppError {
  return new AppError('unauthenticated', message, { tokenError: 'INVALID_TOKEN', cause });
}
