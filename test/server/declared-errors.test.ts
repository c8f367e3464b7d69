// Every refusal that an endpoint declares is sent, and has its schema: by calls without a token, by
// a stranger, from another site, to what does not exist, and with what cannot be read. Those that
// need a state of their own are listed (test/support/declared-refusals.ts), with the test that
// brings them about where there is one.
import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repliesOf } from '../../src/api/description/openapi.js';
import {
  excusedClasses,
  refusedElsewhere,
  refusedWhenTooLong,
  type DeclaredRefusal,
} from '../support/declared-refusals.js';
import { declaredEndpoints } from '../support/endpoints.js';
import { SecuredServer, Session, type Method } from '../../testkit/secured-server.js';

/** The stream of changes stays open; the last one ends the session of the other calls. */
const notCalled: ReadonlySet<string> = new Set(['streamChanges', 'signOut']);
const declared = declaredEndpoints(['--auth']);
const endpoints = declared.filter(({ name }) => !notCalled.has(name));
type Declared = (typeof endpoints)[number];

let secured: SecuredServer;
let stranger: Session;
/** An administrator in a browser, on a page of another site. */
let foreign: Session;

beforeAll(async () => {
  secured = await SecuredServer.start({ args: ['--object-store', 'none'] });
  stranger = await secured.user('stranger@x.org', []);
  await secured.userWithPassword('root@x.org', ['ADMIN']);
  const credentials = { email: 'root@x.org', password: 'password of root@x.org' };
  const answer = await secured.nobody.post('/api/sign-in', credentials);
  expect(answer.status, answer.text).toBe(200);
  const cookie = (answer.headers.get('set-cookie') as string).split(';')[0] as string;
  const headers = { cookie, origin: 'https://elsewhere.example' };
  foreign = new Session(secured.url, headers, '', secured.forms);
});
afterAll(() => secured?.stop());

interface Wrong {
  /** Value of every path variable. */
  readonly path?: string;
  /** Counts more. */
  readonly workflowId?: string;
  /** Value of every query parameter; absent: of those alone that are needed. */
  readonly query?: string;
  readonly body?: unknown;
}

async function call(by: Session, endpoint: Declared, wrong: Wrong = {}): Promise<void> {
  const { method, pattern, parameters } = endpoint;
  const path = pattern.replace(/:(\w+)/g, (_all, name: string) => {
    if (name === 'workflowId' && wrong.workflowId !== undefined) return wrong.workflowId;
    return wrong.path ?? (name === 'version' ? '1' : 'nothing');
  });
  const named = Object.entries(parameters).filter(
    ([, parameter]) =>
      parameter.in === 'query' && (parameter.required === true || wrong.query !== undefined),
  );
  const query = named.map(([name]) => `${name}=${wrong.query ?? 'nothing'}`);
  const url = query.length === 0 ? path : `${path}?${query.join('&')}`;
  const json = { 'content-type': 'application/json' };
  if (endpoint.body === null) await by.request(method as Method, url);
  else await by.request(method as Method, url, wrong.body ?? {}, json);
}

/** An execution that has ended, and one that runs: a control is refused by one of them. */
async function planted(): Promise<readonly string[]> {
  const start = async (type: string): Promise<string> => {
    const task = { name: type, taskReferenceName: 'a', type };
    const workflowDef = { name: `one_${type}`, version: 1, ownerEmail: 'a@b.co', tasks: [task] };
    return (await secured.admin.post('/api/workflow', { name: `one_${type}`, workflowDef })).text;
  };
  return [await start('NOOP'), await start('HUMAN')];
}

const unreadable: readonly Wrong[] = [
  { path: '%E0%A4' },
  { query: '((' },
  ...['{"', [], [{}]].map((body) => ({ body })),
];

/** Every caller and mistake that could be refused. */
async function callWrongly(endpoint: Declared): Promise<void> {
  await call(secured.nobody, endpoint);
  await call(stranger, endpoint);
  if (endpoint.access.rule !== 'public') await call(foreign, endpoint);
  await call(secured.admin, endpoint);
  for (const wrong of unreadable) await call(secured.admin, endpoint, wrong);
  if (!endpoint.pattern.includes(':workflowId')) return;
  for (const workflowId of await planted()) await call(secured.admin, endpoint, { workflowId });
}

/** Endpoints that are called at the same time. */
const atOnce = 8;

describe('what an endpoint declares to refuse', () => {
  it('is refused in its form where it is called wrongly', async () => {
    const left = [...endpoints];
    const callRest = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) await callWrongly(next);
    };
    await Promise.all(Array.from({ length: atOnce }, callRest));
    const unasked = endpoints.filter(
      ({ name }) => ![...secured.forms.seen].some((each) => each.startsWith(`${name} `)),
    );
    expect(unasked.map(({ name }) => name)).toEqual([]);
  }, 120_000);

  it('is sent, or listed with what brings it about', () => {
    const left = declared.flatMap((endpoint) =>
      [...repliesOf(endpoint).keys()]
        .filter((status) => status >= 400)
        .filter((status) => !secured.forms.seen.has(`${endpoint.name} ${status}`))
        .filter((status) => !isExcused(endpoint, status))
        .map((status): DeclaredRefusal => `${endpoint.name} ${status}`),
    );
    const listed = new Set([...Object.values(refusedElsewhere).flat(), ...refusedWhenTooLong]);
    expect(left.filter((each) => !listed.has(each))).toEqual([]);
  });

  it('is listed only where an endpoint declares it, with tests that are there', () => {
    const known = new Set(
      declared.flatMap((endpoint) =>
        [...repliesOf(endpoint).keys()].map((status) => `${endpoint.name} ${status}`),
      ),
    );
    const all = [...Object.values(refusedElsewhere).flat(), ...refusedWhenTooLong];
    expect(all.filter((each) => !known.has(each))).toEqual([]);
    const root = new URL('../../', import.meta.url);
    const missing = Object.keys(refusedElsewhere).filter(
      (file) => !fs.existsSync(new URL(file, root)),
    );
    expect(missing).toEqual([]);
  });
});

function isExcused(endpoint: Declared, status: number): boolean {
  return excusedClasses.some(
    (excuse) => excuse.status === status && (excuse.of === undefined || excuse.of(endpoint)),
  );
}
