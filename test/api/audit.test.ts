// Which requests stand in the audit log, for every endpoint of the server.
import { describe, expect, it } from 'vitest';
import { isRecorded } from '../../src/api/audit.js';
import { auditRuleOf, type AuditRule } from '../../src/api/endpoint.js';
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

/** Endpoints that declare another rule than that of their method. */
const declared: Readonly<Record<AuditRule, readonly string[]>> = {
  changes: [
    'discoverServiceMethods',
    'pauseScheduleByGet',
    'pauseScheduler',
    'rebuildHumanTaskIndex',
    'requeueSchedules',
    'resumeScheduleByGet',
    'resumeScheduler',
  ],
  persons: [
    'acknowledgeTask',
    'addTaskLog',
    'addTokenUsage',
    'completeFileParts',
    'completeFileUpload',
    'createFile',
    'executeWorkflow',
    'executeWorkflowByName',
    'executeWorkflowWithoutInput',
    'handleIncomingEvent',
    'pushMessage',
    'receiveWebhookCall',
    'receiveWebhookCallBelowApi',
    'reportIntegrationEvents',
    'signalWorkflow',
    'signalWorkflowSync',
    'startFileParts',
    'startWorkflow',
    'startWorkflowByName',
    'startWorkflowVersion',
    'updateTask',
    'updateTaskAndPoll',
    'updateTaskByReference',
    'updateTaskByReferenceSync',
    'updateWaitTask',
    'updateWaitTaskByReference',
    'updateWorkflowState',
  ],
  reads: [
    'clearDefinitionCache',
    'getWorkflows',
    'listAllSecrets',
    'mapCorrelatedWorkflows',
    'mapCorrelatedWorkflowsOfNames',
    'reportPageError',
    'searchHumanTasks',
    'testWorkflow',
    'validateWorkflowDef',
  ],
  'secret-reads': ['getEventQueue', 'getSecret', 'getWebhook', 'listEventQueues', 'listWebhooks'],
  routine: [
    'clearLocalCacheOfSecrets',
    'clearRedisCacheOfSecrets',
    'pollTask',
    'pollTasks',
    'receiveWebhookPing',
    'receiveWebhookPingBelowApi',
    'signInWithProvider',
  ],
  handler: ['createToken', 'finishSignInWithProvider', 'signIn'],
};
const [readers, themselves] = [declared.reads, declared.handler];

describe('the audit log', () => {
  it('knows these exceptions from the rule of the method', () => {
    const unusual = endpoints.filter(
      ({ method, audit }) => audit !== undefined && audit !== auditRuleOf({ method }),
    );
    const found = Object.fromEntries(
      Object.keys(declared).map((rule) => [
        rule,
        [...new Set(unusual.filter(({ audit }) => audit === rule).map(({ name }) => name))].sort(),
      ]),
    );
    expect(found).toEqual(declared);
  });

  it('takes whatever a person changes', () => {
    const changing = endpoints.filter(({ method }) => method !== 'GET').map(({ name }) => name);
    const missing = changing.filter((name) => !recordedFor('user').includes(name));
    const own = themselves.filter((name) => changing.includes(name));
    expect(missing.sort()).toEqual([...readers, ...own].sort());
    expect(recordedFor('user')).toEqual(
      expect.arrayContaining(['executeWorkflowWithoutInput', ...declared.changes]),
    );
  });

  it('takes what an application changes of identities, secrets and definitions, and each control', () => {
    const routine = /^\/api\/(?:tasks|queue|files|event\/handleIncomingEvent)|webhook\/:id$/;
    const changing = endpoints.filter(
      ({ method, pattern, name }) =>
        method !== 'GET' &&
        !readers.includes(name) &&
        !themselves.includes(name) &&
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
