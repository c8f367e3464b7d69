// Endpoints of one's own account: password, sessions and second factor.
import {
  body,
  endpoint,
  listOf,
  nothing,
  type AccessRule,
  type Endpoint,
} from '../../../api/endpoint.js';
import { list, text } from '../../../model/schema.js';
import { json, type RouteRequest } from '../../../api/route.js';
import { text as textField } from '../../../model/field.js';
import { record } from '../../../model/record.js';
import { AppError } from '../../../model/errors.js';
import { always, endedSessions, filled, shown } from '../fields.js';
import { session } from '../sessions/session.js';
import { tokenOf } from '../sign-in/authenticate.js';
import type { Authenticator } from '../sign-in/authenticator.js';
import { forwardedFor, tokenHeaders, withSession } from '../sign-in/endpoints.js';
import { token } from '../sign-in/token.js';
import { shownAccount, type Account, type AccountCall } from './account.js';

export interface AccountRouteParts {
  readonly account: Account;
  readonly authenticator: Authenticator;
  readonly clientOf: (request: RouteRequest) => string;
  /** Whether cookies are for TLS only. */
  readonly secureCookies: boolean;
}

const base = '/api/account';
const caller: AccessRule = { rule: 'caller' };
const parameters = { ...tokenHeaders, 'x-forwarded-for': forwardedFor };

const password = filled('The password as it is now');
const passwordProof = record('PasswordProof', { password });
const passwordChange = record('PasswordChange', { password, newPassword: filled('The one to be') });
const codeAbout = 'One-time code, or a recovery code';
const codeProof = record('SecondFactorCode', { code: filled(codeAbout) });
const removal = record('SecondFactorRemoval', { password, code: textField({ about: codeAbout }) });
const secret = shown('SecondFactorSecret', {
  secret: always<string>(text('In base32, for typing')),
  uri: always<string>(text('otpauth:// address, for a QR code')),
});
const codes = shown('RecoveryCodes', {
  recoveryCodes: always<readonly string[]>(list(text('Counts once, as a code'))),
});

export function accountRoutes(parts: AccountRouteParts): Endpoint[] {
  const { account } = parts;
  const callOf = (request: RouteRequest): AccountCall => {
    const header = (name: string): string => request.header(name) ?? '';
    const sent = tokenOf({ header }, parts.secureCookies);
    if (sent === undefined) throw new AppError('unauthenticated', 'There is no token');
    return {
      caller: request.caller,
      claims: parts.authenticator.claims(sent),
      address: parts.clientOf(request),
    };
  };
  return [
    endpoint({
      method: 'GET',
      pattern: base,
      name: 'getAccount',
      summary: 'Shows how the account of the caller is protected.',
      access: caller,
      parameters,
      reply: shownAccount,
      handle: (request) => account.show(callOf(request)),
    }),
    changePasswordRoute(parts, callOf),
    ...sessionRoutes(account, callOf),
    ...secondFactorRoutes(account, callOf),
  ];
}

type CallOf = (request: RouteRequest) => AccountCall;

/** Its answer has the cookie of the new session. */
function changePasswordRoute(
  { account, secureCookies }: AccountRouteParts,
  callOf: CallOf,
): Endpoint {
  return {
    method: 'PUT',
    pattern: `${base}/password`,
    name: 'changePassword',
    summary: 'Sets another password of the caller, which ends all its sessions.',
    access: caller,
    parameters,
    body: body(passwordChange.schema),
    replies: {
      200: {
        schema: { ...token.schema, description: 'Of the new session' },
        headers: { 'Set-Cookie': 'The new session, for a request with a cookie' },
      },
    },
    errors: ['too-many'],
    handle: async (request) => {
      const call = callOf(request);
      const { password: current, newPassword: next } = passwordChange.parse(request.json());
      const isPage = isOfPage(request);
      const issued = await account.changePassword(
        call,
        { current, next },
        { kind: isPage ? 'page' : 'token', address: call.address },
      );
      const answer = json({ token: issued.token });
      return isPage ? withSession(answer, issued, secureCookies) : answer;
    },
  };
}

function sessionRoutes(account: Account, callOf: CallOf): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: `${base}/sessions`,
      name: 'listOwnSessions',
      summary: 'Lists the sessions of the caller, the newest first.',
      access: caller,
      parameters,
      reply: listOf(session),
      handle: (request) => account.sessions(callOf(request)),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/sessions`,
      name: 'endOtherSessions',
      summary: 'Ends all sessions of the caller but the one that asks.',
      access: caller,
      parameters,
      reply: endedSessions,
      handle: async (request) => ({ ended: await account.endOtherSessions(callOf(request)) }),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/sessions/:sessionId`,
      name: 'endOwnSession',
      summary: 'Ends a session of the caller, on every node.',
      access: caller,
      parameters,
      reply: nothing,
      errors: ['not-found'],
      handle: (request) => account.endSession(callOf(request), request.param('sessionId')),
    }),
  ];
}

function secondFactorRoutes(account: Account, callOf: CallOf): Endpoint[] {
  const pattern = `${base}/second-factor`;
  return [
    endpoint({
      method: 'POST',
      pattern,
      name: 'enrolSecondFactor',
      summary: 'Draws a second factor of the caller, which counts once a code confirms it.',
      access: caller,
      parameters,
      body: passwordProof,
      reply: secret,
      errors: ['conflict', 'too-many', 'unavailable'],
      handle: (request, proof) => account.enrol(callOf(request), proof.password),
    }),
    endpoint({
      method: 'POST',
      pattern: `${pattern}/confirm`,
      name: 'confirmSecondFactor',
      summary: 'Makes the second factor count, and shows its recovery codes this one time.',
      access: caller,
      parameters,
      body: codeProof,
      reply: codes,
      errors: ['conflict'],
      handle: async (request, { code }) => ({
        recoveryCodes: await account.confirm(callOf(request), code),
      }),
    }),
    endpoint({
      method: 'POST',
      pattern: `${pattern}/remove`,
      name: 'removeSecondFactor',
      summary: 'Removes the second factor of the caller.',
      access: caller,
      parameters,
      body: removal,
      reply: nothing,
      errors: ['too-many'],
      handle: (request, { password: current, code = '' }) =>
        account.removeSecondFactor(callOf(request), current, code),
    }),
  ];
}

function isOfPage(request: RouteRequest): boolean {
  return !request.header('x-authorization') && !request.header('authorization');
}
