// Endpoints of tokens and of the web page's session (contract-admin 1.1, 1.3), with authentication
// on and off. The token route never answers 404: client libraries would take that for a server
// without authentication and send no token any more.
import type { Authenticator } from './authenticator.js';
import { AppError } from '../../../model/errors.js';
import { asJson } from '../../../model/json.js';
import type { Persons } from '../users/persons.js';
import type { Sessions } from '../sessions/sessions.js';
import type { IssuedToken, SignIn } from './sign-in.js';
import { body, header, query, replies, type Endpoint } from '../../../api/endpoint.js';
import { anyObject, extended, flag, object, text } from '../../../model/schema.js';
import type { ApiResponse } from '../../../api/http-server.js';
import { empty, json, type RouteRequest } from '../../../api/route.js';
import type { Auditor } from '../../../api/audit.js';
import { tokenOf } from './authenticate.js';
import { auditedSignIn } from './sign-in-audit.js';
import { user } from '../users/user.js';
import { token, tokenRequest } from './token.js';
import { sessionCookie, setCookie } from './session-cookie.js';
import { personIdOf } from '../../../model/person-id.js';
import { plainId } from '../../../model/subject.js';

export interface TokenRouteParts {
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly authenticator: Authenticator;
  readonly persons: Persons;
  readonly clientOf: (request: RouteRequest) => string;
  readonly note: Auditor['note'];
  /** Whether cookies are for TLS only. */
  readonly secureCookies: boolean;
}

const ownSchema = extended('UserInfo', user.schema, { namespace: text('Always default') });
const userInfoSchema = {
  anyOf: [
    ownSchema,
    object(
      'UserInfoWithClaims',
      { user: ownSchema, claims: { ...anyObject, description: 'Of the token' } },
      ['user', 'claims'],
    ),
  ],
};
export const forwardedFor = header(text('Set by proxies; counts when they are trusted'));

export function tokenRoutes(parts: TokenRouteParts): Endpoint[] {
  const issue = (request: RouteRequest, action: string): Promise<IssuedToken> => {
    const address = parts.clientOf(request);
    const wanted = tokenRequest.parse(request.json());
    const account = wanted.keyId ?? personIdOf(wanted.email ?? '');
    return auditedSignIn(parts.note, { action, account, address }, () =>
      parts.signIn.issue(wanted, {
        kind: action === 'signIn' ? 'page' : 'token',
        address,
      }),
    );
  };
  return [
    {
      method: 'POST',
      pattern: '/api/token',
      name: 'createToken',
      summary: 'Issues an access token for an access key, or for a user with a password.',
      access: { rule: 'public' },
      audit: 'handler',
      parameters: { 'x-forwarded-for': forwardedFor },
      body: body(tokenRequest.schema),
      replies: replies(token.schema),
      errors: ['unauthenticated', 'too-many'],
      handle: async (request) => json({ token: (await issue(request, 'createToken')).token }),
    },
    userInfoRoute(parts),
    {
      method: 'POST',
      pattern: '/api/sign-in',
      name: 'signIn',
      summary: 'Opens a session of the web page: the token comes as a cookie.',
      access: { rule: 'public' },
      audit: 'handler',
      parameters: { 'x-forwarded-for': forwardedFor },
      body: body(tokenRequest.schema),
      replies: {
        200: {
          schema: object('SignedIn', { id: text('Subject id') }, ['id']),
          headers: { 'Set-Cookie': 'The session' },
        },
      },
      errors: ['unauthenticated', 'too-many'],
      handle: async (request) => {
        const issued = await issue(request, 'signIn');
        return withSession(json({ id: issued.subject }), issued, parts.secureCookies);
      },
    },
    {
      method: 'DELETE',
      pattern: '/api/sign-in',
      name: 'signOut',
      summary: 'Ends the token of the request, on every node, and removes the cookie.',
      access: { rule: 'caller' },
      parameters: tokenHeaders,
      body: null,
      replies: { 200: { schema: null, headers: { 'Set-Cookie': 'Removes the session' } } },
      errors: [],
      handle: async (request) => {
        const token = tokenOf(
          { header: (name) => request.header(name) ?? '' },
          parts.secureCookies,
        );
        if (token !== undefined) await parts.sessions.endToken(parts.authenticator.claims(token));
        const cookie = setCookie(sessionCookie(parts.secureCookies), '', {
          lifeSeconds: 0,
          secure: parts.secureCookies,
        });
        return { ...empty(), headers: { 'Set-Cookie': cookie } };
      },
    },
  ];
}

export const tokenHeaders = {
  'x-authorization': header(text('Access token')),
  authorization: header(text('Bearer and the access token')),
  cookie: header(text('Session of the web page')),
};

/** The answer with the session's cookie. */
export function withSession(
  answer: ApiResponse,
  { token, lifeMs }: IssuedToken,
  secure: boolean,
): ApiResponse {
  const lifeSeconds = Math.floor((lifeMs ?? sessionMsMax) / 1000);
  const cookie = setCookie(sessionCookie(secure), token, { lifeSeconds, secure });
  return { ...answer, headers: { ...answer.headers, 'Set-Cookie': cookie } };
}

const sessionMsMax = 30 * 24 * 3600 * 1000;

function userInfoRoute({ authenticator, persons, secureCookies }: TokenRouteParts): Endpoint {
  return {
    method: 'GET',
    pattern: '/api/token/userInfo',
    name: 'getUserInfo',
    summary: 'Shows who the caller is.',
    access: { rule: 'caller' },
    parameters: {
      ...tokenHeaders,
      claims: query(flag('Whether the claims of the token are shown', { default: false })),
    },
    body: null,
    replies: replies(userInfoSchema),
    errors: [],
    handle: (request) => {
      const shownUser = {
        contactInformation: {},
        ...persons.get(plainId(request.caller.id)),
        namespace: 'default',
      };
      if (!request.queryBoolean('claims')) return json(shownUser);
      const token = tokenOf({ header: (name) => request.header(name) ?? '' }, secureCookies);
      if (token === undefined) throw new AppError('unauthenticated', 'There is no token');
      return json({ user: shownUser, claims: { ...asJson(authenticator.claims(token)) } });
    },
  };
}

/** The same routes while authentication is off (contract-core 1.6): any token will do. */
export function openTokenRoutes(): Endpoint[] {
  return [
    {
      method: 'POST',
      pattern: '/api/token',
      name: 'createToken',
      summary: 'Answers a token that nobody checks: authentication is off.',
      access: { rule: 'public' },
      audit: 'handler',
      parameters: {},
      body: body(tokenRequest.schema, false),
      replies: replies(token.schema),
      errors: [],
      handle: () => json({ token: 'authentication-is-off' }),
    },
    {
      method: 'GET',
      pattern: '/api/token/userInfo',
      name: 'getUserInfo',
      summary: 'Shows who the caller is: everybody is the same while authentication is off.',
      access: { rule: 'caller' },
      parameters: {},
      body: null,
      replies: replies(userInfoSchema),
      errors: [],
      handle: () =>
        json({ id: 'anonymous', name: 'anonymous', roles: [], groups: [], applicationUser: false }),
    },
  ];
}
