// Endpoints of one's own account: password, sessions and second factor.
import type { Authenticator } from '../sign-in/authenticator.js';
import { AppError } from '../../../model/errors.js';
import { RecordReader, refused } from '../../../model/record-reader.js';
import type { Account, AccountCall } from './account.js';
import { body, replies, type AccessRule, type Endpoint } from '../../../api/endpoint.js';
import { flag, integer, list, object, text, type Form } from '../../../api/form.js';
import { empty, json, type RouteRequest } from '../../../api/route.js';
import { tokenOf } from '../sign-in/authenticate.js';
import { tokenForm } from '../forms.js';
import { sessionForm } from '../sessions/endpoints.js';
import { forwardedFor, tokenHeaders, withSession } from '../sign-in/endpoints.js';

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

const accountForm = object(
  'Account',
  {
    id: text('User id'),
    name: text('Name to show'),
    hasPassword: flag('Whether it signs in with a password'),
    secondFactor: flag('Whether it must show a code with the password'),
    recoveryCodesLeft: integer('Recovery codes that were not used'),
  },
  ['id', 'name', 'hasPassword', 'secondFactor', 'recoveryCodesLeft'],
);

const passwordForm = text('The password as it is now');
const codeForm = text('One-time code, or a recovery code');

export function accountRoutes(parts: AccountRouteParts): Endpoint[] {
  const { account } = parts;
  const callOf = (request: RouteRequest): AccountCall => {
    const header = (name: string): string => request.header(name) ?? '';
    const token = tokenOf({ header }, parts.secureCookies);
    if (token === undefined) throw new AppError('unauthenticated', 'There is no token');
    return {
      caller: request.caller,
      claims: parts.authenticator.claims(token),
      address: parts.clientOf(request),
    };
  };
  return [
    {
      method: 'GET',
      pattern: base,
      name: 'getAccount',
      summary: 'Shows how the account of the caller is protected.',
      access: caller,
      parameters,
      body: null,
      replies: replies(accountForm),
      errors: [],
      handle: (request) => json(account.show(callOf(request))),
    },
    {
      method: 'PUT',
      pattern: `${base}/password`,
      name: 'changePassword',
      summary: 'Sets another password of the caller, which ends all its sessions.',
      access: caller,
      parameters,
      body: body(
        object('PasswordChange', { password: passwordForm, newPassword: text('The one to be') }, [
          'password',
          'newPassword',
        ]),
      ),
      replies: {
        200: {
          form: { ...tokenForm, description: 'Of the new session' },
          headers: { 'Set-Cookie': 'The new session, for a request with a cookie' },
        },
      },
      errors: ['too-many'],
      handle: async (request) => {
        const call = callOf(request);
        const fields = textsOf(request, ['password', 'newPassword']);
        const isPage = isOfPage(request);
        const issued = await account.changePassword(
          call,
          { current: fields.password, next: fields.newPassword },
          { kind: isPage ? 'page' : 'token', address: call.address },
        );
        const answer = json({ token: issued.token });
        return isPage ? withSession(answer, issued, parts.secureCookies) : answer;
      },
    },
    ...sessionRoutes(account, callOf),
    ...secondFactorRoutes(account, callOf),
  ];
}

type CallOf = (request: RouteRequest) => AccountCall;

function sessionRoutes(account: Account, callOf: CallOf): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: `${base}/sessions`,
      name: 'listOwnSessions',
      summary: 'Lists the sessions of the caller, the newest first.',
      access: caller,
      parameters,
      body: null,
      replies: replies(list(sessionForm)),
      errors: [],
      handle: (request) => json(account.sessions(callOf(request))),
    },
    {
      method: 'DELETE',
      pattern: `${base}/sessions`,
      name: 'endOtherSessions',
      summary: 'Ends all sessions of the caller but the one that asks.',
      access: caller,
      parameters,
      body: null,
      replies: replies(endedForm),
      errors: [],
      handle: async (request) => json({ ended: await account.endOtherSessions(callOf(request)) }),
    },
    {
      method: 'DELETE',
      pattern: `${base}/sessions/:sessionId`,
      name: 'endOwnSession',
      summary: 'Ends a session of the caller, on every node.',
      access: caller,
      parameters,
      body: null,
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        await account.endSession(callOf(request), request.param('sessionId'));
        return empty();
      },
    },
  ];
}

const endedForm = object('EndedSessions', { ended: integer('How many') }, ['ended']);

function secondFactorRoutes(account: Account, callOf: CallOf): Endpoint[] {
  const pattern = `${base}/second-factor`;
  const withPassword = object('PasswordProof', { password: passwordForm }, ['password']);
  const enrolForm: Form = object(
    'SecondFactorSecret',
    { secret: text('In base32, for typing'), uri: text('otpauth:// address, for a QR code') },
    ['secret', 'uri'],
  );
  return [
    {
      method: 'POST',
      pattern,
      name: 'enrolSecondFactor',
      summary: 'Draws a second factor of the caller, which counts once a code confirms it.',
      access: caller,
      parameters,
      body: body(withPassword),
      replies: replies(enrolForm),
      errors: ['conflict', 'too-many', 'unavailable'],
      handle: async (request) => {
        const { password } = textsOf(request, ['password']);
        return json({ ...(await account.enrol(callOf(request), password)) });
      },
    },
    {
      method: 'POST',
      pattern: `${pattern}/confirm`,
      name: 'confirmSecondFactor',
      summary: 'Makes the second factor count, and shows its recovery codes this one time.',
      access: caller,
      parameters,
      body: body(object('SecondFactorCode', { code: codeForm }, ['code'])),
      replies: replies(
        object('RecoveryCodes', { recoveryCodes: list(text('Counts once, as a code')) }, [
          'recoveryCodes',
        ]),
      ),
      errors: ['conflict'],
      handle: async (request) => {
        const { code } = textsOf(request, ['code']);
        return json({ recoveryCodes: await account.confirm(callOf(request), code) });
      },
    },
    {
      method: 'POST',
      pattern: `${pattern}/remove`,
      name: 'removeSecondFactor',
      summary: 'Removes the second factor of the caller.',
      access: caller,
      parameters,
      body: body(
        object('SecondFactorRemoval', { password: passwordForm, code: codeForm }, ['password']),
      ),
      replies: replies(null),
      errors: ['too-many'],
      handle: async (request) => {
        const { password } = textsOf(request, ['password']);
        const code = new RecordReader(request.json(), '').text('code') ?? '';
        await account.removeSecondFactor(callOf(request), password, code);
        return empty();
      },
    },
  ];
}

function isOfPage(request: RouteRequest): boolean {
  return !request.header('x-authorization') && !request.header('authorization');
}

/** Fields of the body that must be there. Throws AppError 'bad-request'. */
function textsOf<Name extends string>(
  request: RouteRequest,
  names: readonly Name[],
): Record<Name, string> {
  const reader = new RecordReader(request.json(), '');
  const entries = names.map((name): [Name, string] => {
    const value = reader.text(name);
    if (value === undefined || value === '') throw refused(name, 'must be given');
    return [name, value];
  });
  return Object.fromEntries(entries) as Record<Name, string>;
}
