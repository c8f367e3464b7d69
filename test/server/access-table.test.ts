// Every endpoint against every kind of caller: no token, a token that is none, callers without any
// right to what they ask for, and an administrator (contract-admin 1.4, 5, 6). The table is made
// from what the endpoints declare, so a new endpoint is tried as soon as it is there.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declaredEndpoints } from '../support/endpoints.js';
import { SecuredServer, Session, type Answer, type Method } from '../../testkit/secured-server.js';

const endpoints = declaredEndpoints(['--auth']);
const named = endpoints.map((endpoint) => [endpoint.name, endpoint] as const);
const guarded = named.filter(([, { access }]) => access.rule !== 'public');

let secured: SecuredServer;
/** Has no role at all. */
let stranger: Session;
/** May create things, and owns none of what was planted. */
let other: Session;
/** Ids of what the administrator has planted, by the name of a path variable. */
let planted: Readonly<Record<string, string>>;

beforeAll(async () => {
  secured = await SecuredServer.start();
  const { admin } = secured;
  stranger = await secured.user('stranger@x.org', []);
  other = await secured.user('other@x.org', ['USER']);
  const task = { name: 'planted_work', taskReferenceName: 'planted_ref', type: 'SIMPLE' };
  const def = { name: 'planted_flow', version: 1, ownerEmail: 'a@x.org', tasks: [task] };
  await admin.post('/api/metadata/taskdefs', [{ name: 'planted_work' }]);
  await admin.put('/api/metadata/workflow', [def]);
  const input = { planted: 'planted input' };
  const start = { name: 'planted_flow', version: 1, correlationId: 'planted', input };
  const workflowId = (await admin.post('/api/workflow', start)).text;
  const { taskId } = (await admin.get(`/api/workflow/${workflowId}`)).body.tasks[0];
  await admin.put('/api/secrets/planted_secret', 'planted value');
  await admin.put('/api/environment/planted_variable', 'planted value');
  // Unless another owns it, `other` may create the prompt of this name, and then sees their own.
  const prompt = await admin.post('/api/prompts/planted_flow?description=planted', 'planted text');
  expect(prompt.status).toBe(200);
  const bulkJob = { action: 'pause', ids: [workflowId], reason: 'planted reason' };
  const { jobId } = (await admin.post('/api/bulk-jobs', bulkJob)).body;
  const application = await secured.application('planted application');
  const applicationId = application.subject.slice(4);
  planted = {
    workflowId,
    taskId,
    jobId,
    applicationId,
    id: applicationId,
    accessKeyId: application.key.keyId,
    keyId: application.key.keyId,
    key: 'planted_secret',
    name: 'planted_flow',
    workflowName: 'planted_flow',
    taskType: 'planted_work',
    taskName: 'planted_work',
    taskReferenceName: 'planted_ref',
    taskRefName: 'planted_ref',
    correlationId: 'planted',
    version: '1',
  };
});
afterAll(() => secured?.stop());

type Declared = (typeof endpoints)[number];

/** Sends a request with something for everything that the endpoint asks for. */
function call(
  by: Session,
  { method, pattern, parameters, body }: Declared,
  ids: Readonly<Record<string, string>>,
): Promise<Answer> {
  const path = pattern.replace(/:(\w+)/g, (_all, name: string) =>
    encodeURIComponent(ids[name] ?? 'nothing'),
  );
  const query = Object.entries(parameters)
    .filter(([, parameter]) => parameter.in === 'query' && parameter.required === true)
    .map(([name]) => `${name}=${encodeURIComponent(ids[name] ?? 'nothing')}`);
  const url = query.length === 0 ? path : `${path}?${query.join('&')}`;
  return by.request(method as Method, url, body === null ? undefined : {});
}

describe('without a token', () => {
  it.each(guarded)('%s asks for one', async (_name, endpoint) => {
    const answer = await call(secured.nobody, endpoint, planted);
    expect([answer.status, answer.body.error]).toEqual([401, 'UNAUTHORIZED']);
    expect(answer.body).toMatchObject({ status: 401, message: expect.any(String) });
  });

  it('public endpoints do not', async () => {
    const open = named.filter(([, { access }]) => access.rule === 'public');
    expect(open.map(([name]) => name)).toEqual(
      expect.arrayContaining(['createToken', 'getHealth']),
    );
    for (const [name, endpoint] of open) {
      const answer = await call(secured.nobody, endpoint, planted);
      expect(answer.status, name).toBeLessThan(500);
      if (name !== 'createToken' && name !== 'signIn') expect(answer.status, name).not.toBe(401);
    }
  });
});

describe('with a bad token', () => {
  it.each(guarded)('%s refuses it', async (_name, endpoint) => {
    const token = { 'x-authorization': 'eyJhbGciOiJub25lIn0.e30.' };
    const forged = new Session(secured.url, token, '', secured.forms);
    const answer = await call(forged, endpoint, planted);
    expect([answer.status, answer.body.error]).toEqual([401, 'INVALID_TOKEN']);
  });
});

const demanding = guarded.filter(([, { access }]) =>
  ['administrator', 'permission', 'target'].includes(access.rule),
);
const lenient = guarded.filter(([, { access }]) => ['caller', 'each'].includes(access.rule));

describe('with a role that does not suffice', () => {
  it.each(demanding)('%s refuses', async (_name, endpoint) => {
    const answer = await call(stranger, endpoint, planted);
    expect([answer.status, answer.body.error]).toEqual([403, 'FORBIDDEN']);
  });

  it.each(lenient.filter(([name]) => name !== 'signOut'))(
    '%s shows and changes nothing of others',
    async (_name, endpoint) => {
      for (const by of [stranger, other]) {
        const answer = await call(by, endpoint, planted);
        expect(answer.status).toBeLessThan(500);
        if (answer.status < 400) expect(answer.text).not.toMatch(/planted/);
      }
    },
  );

  it('leaves what was planted as it was', async () => {
    const { admin } = secured;
    const { workflowId, taskId, applicationId } = planted;
    const workflow = (await admin.get(`/api/workflow/${workflowId}`)).body;
    expect(workflow.status).toBe('RUNNING');
    expect(workflow.tasks).toMatchObject([{ taskId, status: 'SCHEDULED', pollCount: 0 }]);
    expect((await admin.get('/api/secrets/planted_secret')).text).toBe('planted value');
    expect((await admin.get('/api/environment/planted_variable')).text).toBe('planted value');
    expect((await admin.get(`/api/applications/${applicationId}/accessKeys`)).body).toMatchObject([
      { status: 'ACTIVE' },
    ]);
    expect(await admin.status('GET', '/api/metadata/workflow/planted_flow?version=1')).toBe(200);
    expect(await admin.status('GET', '/api/metadata/taskdefs/planted_work')).toBe(200);
  });
});

describe('with the role ADMIN', () => {
  it.each(guarded.filter(([name]) => name !== 'signOut'))('%s lets pass', async (_n, endpoint) => {
    const answer = await call(secured.admin, endpoint, {});
    expect([401, 403]).not.toContain(answer.status);
    expect(answer.status).toBeLessThan(500);
  });
});

describe('with exactly the right that is asked for', () => {
  const targeted = demanding.flatMap(([name, endpoint]) =>
    endpoint.access.rule === 'target' ? [[name, endpoint, endpoint.access] as const] : [],
  );

  it.each(targeted)('%s lets pass', async (name, endpoint, { type, right, id }) => {
    const holder = await secured.application(`holder of ${name}`, ['WORKER', 'METADATA_API']);
    const variable = id.replace('?', '');
    const target = `target of ${name}`;
    const ids = { [variable]: target };
    expect((await call(holder, endpoint, ids)).status).toBe(403);
    await secured.grant(holder, type, target, [right]);
    expect((await call(holder, endpoint, ids)).status).not.toBe(403);
  });
});
