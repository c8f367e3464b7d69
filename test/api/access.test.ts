// Who may call: the access rule of each kind against callers without, with and beyond the rights.
import { describe, expect, it } from 'vitest';
import type { AccessRules, Right, Target } from '../../src/access/access-rules.js';
import { createApi, type Authenticate } from '../../src/api/api.js';
import { query, type AccessRule } from '../../src/api/endpoint.js';
import { ErrorAnswers } from '../../src/api/errors.js';
import { text as textSchema } from '../../src/model/schema.js';
import type { ApiRequest, ApiResponse } from '../../src/api/http-server.js';
import { text } from '../../src/api/route.js';
import { localAdministrator, type Caller } from '../../src/model/caller.js';
import { AppError } from '../../src/model/errors.js';
import { plainEndpoint } from './plain-endpoint.js';
import { plainRequest } from './plain-request.js';

const errors = new ErrorAnswers('node', { error: (fields) => expect.fail(JSON.stringify(fields)) });
const json = { depthMax: 8, keysMax: 20 };

const person = (id: string, ...roles: string[]): Caller => ({
  kind: 'user',
  id,
  roles,
  groups: [],
});
const callers: Record<string, Caller> = {
  admin: person('admin', 'ADMIN'),
  searcher: person('searcher', 'SEARCHER'),
  owner: person('owner'),
};

/** SEARCHER has one permission; the owner may read what it owns. */
const access: AccessRules = {
  may: (caller: Caller, right: Right, target: Target) =>
    caller.id === 'owner' && right === 'READ' && target.type === 'TASK_DEF' && target.id === 'mine',
  isNameHeld: () => true,
  heldSince: () => 0,
  hasPermission: (caller, permission) =>
    caller.roles.includes('SEARCHER') && permission === 'WORKFLOW_SEARCH',
};

function request(token: string, path: string, query: string): ApiRequest {
  return plainRequest({ path, query, headers: { 'x-authorization': token } });
}

const byToken: Authenticate = (asked) => {
  const caller = callers[asked.header('x-authorization')];
  if (caller !== undefined) return caller;
  throw new AppError('unauthenticated', 'Token is missing', { tokenError: 'UNAUTHORIZED' });
};

/** Asks for `/api/x/mine?q=mine` or what `over` says; the answer names the caller. */
async function ask(
  rule: AccessRule,
  token: string,
  over: { path?: string; query?: string; authenticate?: Authenticate } = {},
): Promise<ApiResponse> {
  const endpoint = plainEndpoint('GET', '/api/x/:name', {
    access: rule,
    parameters: { q: query(textSchema()) },
    handle: ({ caller }) => text(`hello ${caller.id}`),
  });
  const authenticate = over.authenticate ?? byToken;
  const api = createApi([endpoint], { errors, json, access, authenticate });
  return api(request(token, over.path ?? '/api/x/mine', over.query ?? 'q=mine'));
}

describe('the access rule of an endpoint', () => {
  const inPath: AccessRule = { rule: 'target', type: 'TASK_DEF', right: 'READ', id: 'name' };
  const inQuery: AccessRule = { ...inPath, id: '?q' };
  const permission: AccessRule = { rule: 'permission', anyOf: ['OTHER', 'WORKFLOW_SEARCH'] };
  const each: AccessRule = { rule: 'each', type: 'TASK_DEF', right: 'READ' };

  it.each<[string, AccessRule, Record<string, number>]>([
    ['public', { rule: 'public' }, { '': 200, admin: 200, owner: 200 }],
    ['caller', { rule: 'caller' }, { '': 401, admin: 200, owner: 200 }],
    ['each', each, { '': 401, admin: 200, owner: 200 }],
    ['administrator', { rule: 'administrator' }, { '': 401, admin: 200, searcher: 403 }],
    ['permission', permission, { '': 401, searcher: 200, owner: 403 }],
    ['target in the path', inPath, { '': 401, admin: 200, owner: 200, searcher: 403 }],
    ['target in the query', inQuery, { '': 401, admin: 200, owner: 200, searcher: 403 }],
  ])('%s', async (_name, rule, statuses) => {
    for (const [token, status] of Object.entries(statuses)) {
      expect([token, (await ask(rule, token)).status]).toEqual([token, status]);
    }
  });

  it('asks for the target that the request names', async () => {
    expect((await ask(inPath, 'owner', { path: '/api/x/other' })).status).toBe(403);
    const other = await ask(inQuery, 'owner', { query: 'q=other' });
    expect(JSON.parse(String(other.body))).toMatchObject({
      status: 403,
      error: 'FORBIDDEN',
      message: 'owner has no READ access on TASK_DEF other',
    });
  });

  it('hands the caller to the handler, and refuses by the head alone', async () => {
    const rule: AccessRule = { rule: 'caller' };
    expect((await ask(rule, 'owner')).body).toBe('hello owner');
    expect((await ask(rule, 'nobody')).status).toBe(401);
    const endpoint = plainEndpoint('POST', '/api/x', { access: rule });
    const { begin } = createApi([endpoint], { errors, json, access, authenticate: byToken });
    const asked = { ...request('nobody', '/api/x', ''), method: 'POST' };
    expect(begin?.(asked)).toMatchObject({ isStranger: false, refusal: { status: 401 } });
  });

  it('takes everybody for the local administrator while authentication is off', async () => {
    const endpoint = plainEndpoint('GET', '/api/x', {
      access: { rule: 'administrator' },
      handle: ({ caller }) => text(String(caller === localAdministrator)),
    });
    const api = createApi([endpoint], { errors, json });
    expect((await api(request('', '/api/x', ''))).body).toBe('true');
  });
});
