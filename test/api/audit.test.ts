// Which requests stand in the audit log, for every endpoint of the server.
import { describe, expect, it } from 'vitest';
import {
  changingGets,
  isRecorded,
  personsOnly,
  readers,
  secretReads,
  signIns,
} from '../../src/api/audit.js';
import type { Caller } from '../../src/model/caller.js';
import { declaredEndpoints } from '../support/endpoints.js';

const endpoints = declaredEndpoints([
  '--auth',
  '--oidc-issuer=https://id.example.org',
  '--oidc-client-id=downbeat',
  '--oidc-redirect-url=https://flows.example.org/api/sign-in/oidc/callback',
]);
const caller = (kind: Caller['kind']): Caller => ({ kind, id: 'x', roles: [], groups: [] });
const recordedFor = (kind: Caller['kind']): string[] =>
  endpoints.filter((endpoint) => isRecorded(endpoint, caller(kind))).map(({ name }) => name);

describe('the audit log', () => {
  it('knows exceptions of endpoints only that there are, each by its method', () => {
    const methods = new Map(endpoints.map(({ name, method }) => [name, method]));
    const unknown = [
      ...personsOnly,
      ...readers,
      ...changingGets,
      ...secretReads,
      ...signIns,
    ].filter((name) => !methods.has(name));
    expect(unknown).toEqual([]);
    expect([...changingGets].filter((name) => methods.get(name) !== 'GET')).toEqual([]);
    expect([...readers].filter((name) => methods.get(name) === 'GET')).toEqual([]);
  });

  it('takes whatever a person changes', () => {
    const changing = endpoints.filter(({ method }) => method !== 'GET').map(({ name }) => name);
    const missing = changing.filter((name) => !recordedFor('user').includes(name));
    // Those record themselves, with the account.
    const themselves = changing.filter((name) => signIns.has(name));
    expect(missing.sort()).toEqual([...readers, ...themselves].sort());
    expect(recordedFor('user')).toEqual(expect.arrayContaining([...changingGets]));
  });

  it('takes what an application changes of identities, secrets and definitions, and each control', () => {
    const routine = /^\/api\/(?:tasks|queue|files|event\/handleIncomingEvent)|webhook\/:id$/;
    const changing = endpoints.filter(
      ({ method, pattern, name }) =>
        method !== 'GET' &&
        !readers.has(name) &&
        !signIns.has(name) &&
        !routine.test(pattern) &&
        !/^\/api\/workflow/.test(pattern),
    );
    const missing = changing
      .map(({ name }) => name)
      .filter((name) => !recordedFor('application').includes(name));
    expect(missing.sort()).toEqual(['addTokenUsage', 'reportIntegrationEvents']);
    const controls = ['pauseWorkflow', 'terminateWorkflow', 'rerunWorkflow', 'updateVariables'];
    expect(recordedFor('application')).toEqual(expect.arrayContaining(controls));
  });

  it('takes no report and no start of a worker or a program', () => {
    const recorded = recordedFor('application');
    const reports = endpoints
      .filter(
        ({ method, pattern }) => method === 'POST' && /^\/api\/tasks(?!\/queue)/.test(pattern),
      )
      .map(({ name }) => name);
    expect(reports.length).toBeGreaterThan(5);
    expect(recorded.filter((name) => reports.includes(name))).toEqual([]);
    const starts = endpoints
      .map(({ name }) => name)
      .filter((name) => /^(?:start|execute)Workflow/.test(name));
    expect(starts.length).toBeGreaterThan(4);
    expect(recorded.filter((name) => starts.includes(name))).toEqual([]);
  });
});
