// Tags of definitions and over all resources, the limit on executions behind them (contract-admin
// 9), and the log of who changed what.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { executionIdOf } from '../../src/std/ids.js';
import { SecuredServer, type Session } from '../../testkit/secured-server.js';

let secured: SecuredServer;
let admin: Session;

beforeAll(async () => {
  secured = await SecuredServer.start();
  ({ admin } = secured);
  const task = { name: 'tagged_work', taskReferenceName: 'w', type: 'SIMPLE' };
  const def = { name: 'tagged_flow', version: 1, schemaVersion: 2, ownerEmail: 'a@x.org' };
  await admin.put('/api/metadata/workflow', [{ ...def, tasks: [task] }]);
  await admin.post('/api/metadata/taskdefs', [{ name: 'tagged_work' }]);
});
afterAll(() => secured?.stop());

const ops = { key: 'team', value: 'ops' };
const dev = { key: 'team', value: 'dev' };
const prod = { key: 'stage', value: 'prod' };

describe.each([
  ['workflow', '/api/metadata/workflow/tagged_flow/tags', '/api/metadata/workflow/none/tags'],
  ['task', '/api/metadata/task/tagged_work/tags', '/api/metadata/task/none/tags'],
])('tags of a %s definition', (_kind, path, unknown) => {
  it('are added one by one, replaced as a list and removed by key and value', async () => {
    expect((await admin.get(path)).body).toEqual([]);
    expect((await admin.post(path, ops)).status).toBe(200);
    expect((await admin.post(path, prod)).status).toBe(200);
    await admin.post(path, dev);
    expect((await admin.get(path)).body).toEqual([prod, dev]);
    await admin.put(path, [ops, dev]);
    expect((await admin.get(path)).body).toEqual([ops, dev]);
    expect(await admin.status('DELETE', path, ops)).toBe(200);
    expect(await admin.status('DELETE', path, ops)).toBe(404);
    expect((await admin.get(path)).body).toEqual([dev]);
    expect((await admin.get(unknown)).body).toEqual([]);
    for (const method of ['POST', 'DELETE'] as const) {
      expect(await admin.status(method, unknown, ops)).toBe(404);
    }
    expect(await admin.status('PUT', unknown, [ops])).toBe(404);
    expect(await admin.status('POST', path, { key: 'k' })).toBe(400);
    expect(await admin.status('PUT', path, [{ key: '', value: 'v' }])).toBe(400);
  });
});

describe('tags over all resources', () => {
  it('are listed, counted and looked up as far as the caller may read', async () => {
    await admin.put('/api/secrets/tag_secret', 'v1');
    await admin.put('/api/secrets/tag_secret/tags', [prod]);
    await admin.put('/api/metadata/workflow/tagged_flow/tags', [prod]);
    await admin.put('/api/metadata/task/tagged_work/tags', []);
    expect((await admin.get('/api/metadata/tags')).body).toEqual([prod]);
    const counted = (await admin.get('/api/metadata/tags/grouped')).body;
    const count = { tagKey: 'stage', tagValue: 'prod', countPerResourceType: 1 };
    expect(counted).toHaveLength(2);
    expect(counted).toContainEqual({ ...count, resourceType: 'WORKFLOW_DEF' });
    expect(counted).toContainEqual({ ...count, resourceType: 'SECRET_NAME' });
    const path = '/api/metadata/tags/resources?tagKey=stage&tagValue=prod&resourceType=';
    expect((await admin.get(`${path}SECRET_NAME`)).body).toEqual([
      { id: 'tag_secret', displayName: 'tag_secret' },
    ]);
    expect((await admin.get(`${path}TASK_DEF`)).body).toEqual([]);
    expect(await admin.status('GET', `${path}PLANET`)).toBe(400);
    expect(await admin.status('GET', `${path}DOMAIN`)).toBe(400);
    expect(await admin.status('GET', '/api/metadata/tags/resources?tagKey=x')).toBe(400);
    const user = await secured.user('tags@x.org', ['USER']);
    expect((await user.get('/api/metadata/tags')).body).toEqual([]);
    expect((await user.get(`${path}SECRET_NAME`)).body).toEqual([]);
    expect(await user.status('GET', '/api/metadata/workflow/tagged_flow/tags')).toBe(403);
  });
});

describe('the limit on executions of a workflow', () => {
  const path = '/api/metadata/workflow/tagged_flow/rate-limit';
  const tags = '/api/metadata/workflow/tagged_flow/tags';
  const tag = { key: 'tagged_flow', value: 3, type: 'RATE_LIMIT' };

  it('is one value behind two routes and a tag', async () => {
    expect((await admin.get(path)).body).toMatchObject({ status: 404 });
    await admin.put(path, { rateLimitKey: 'k', concurrentExecLimit: 5 });
    expect((await admin.get(path)).body).toEqual({ rateLimitKey: 'k', concurrentExecLimit: 5 });
    const old = '/api/metadata/workflow/tagged_flow/rateLimit';
    expect((await admin.get(old)).body).toEqual({ rateLimitKey: 'k', concurrentExecLimit: 5 });
    await admin.post(tags, tag);
    expect((await admin.get(path)).body).toMatchObject({ concurrentExecLimit: 3 });
    expect((await admin.get(tags)).body).toContainEqual(tag);
    expect((await admin.get('/api/metadata/tags/workflow/tagged_flow')).body).toContainEqual(tag);
    expect(await admin.status('DELETE', tags, tag)).toBe(200);
    expect(await admin.status('GET', path)).toBe(404);
    expect(await admin.status('PUT', path, { concurrentExecLimit: 0 })).toBe(400);
    expect(await admin.status('DELETE', path)).toBe(200);
  });
});

describe('a limited workflow', () => {
  it('takes no more starts than its limit until an execution ends', async () => {
    const task = { name: 'w', taskReferenceName: 'w', type: 'SIMPLE' };
    const def = { name: 'limited_flow', version: 1, ownerEmail: 'a@x.org', tasks: [task] };
    await admin.post('/api/metadata/workflow', def);
    const path = '/api/metadata/workflow/limited_flow/rate-limit';
    const limit = { rateLimitKey: 'limited_flow', concurrentExecLimit: 2, policy: 'REJECT' };
    await admin.put(path, limit);
    expect((await admin.get(path)).body).toEqual(limit);
    const start = { name: 'limited_flow', version: 1 };
    const asked = await Promise.all(
      Array.from({ length: 5 }, () => admin.post('/api/workflow', start)),
    );
    const started = asked.filter(({ status }) => status === 200);
    expect(started.length).toBeLessThanOrEqual(2);
    for (const { status } of asked) expect([200, 429]).toContain(status);
    const ids = started.map(({ text }) => text);
    while (ids.length < 2) {
      const next = await admin.post('/api/workflow', start);
      expect(next.status).toBe(200);
      ids.push(next.text);
    }
    const refused = await admin.post('/api/workflow', start);
    expect(refused.body).toMatchObject({ status: 429, retryable: true });
    await admin.delete(`/api/workflow/${ids[0]}`);
    expect(await admin.status('POST', '/api/workflow', start)).toBe(200);
    await admin.delete(path);
    expect(await admin.status('POST', '/api/workflow', start)).toBe(200);
  });
});

describe('facts about the server', () => {
  it('are shown to pages, callers and administrators', async () => {
    const page = await secured.nobody.get('/context.js');
    expect(page.headers.get('content-type')).toContain('javascript');
    expect(page.text).toMatch(/^globalThis\.conductor = \{.*"authentication":true/);
    expect((await admin.get('/api/limits')).body).toMatchObject({ secretBytesMax: 65_536 });
    expect((await admin.get('/api/admin/redisUsage')).body.usedBytes).toBeGreaterThan(0);
    expect((await admin.post('/api/admin/cache/clear/any')).text).toBe('');
  });
});

describe('the audit log', () => {
  it('says who changed what, and who was refused', async () => {
    const user = await secured.userWithPassword('auditee@x.org', ['USER']);
    await user.put('/api/secrets/audited', 'hush-hush-value');
    await user.put('/api/groups/forbidden', { description: 'x' });
    const task = { name: 'w', taskReferenceName: 'w', type: 'SIMPLE' };
    const def = { name: 'audited_flow', version: 1, ownerEmail: 'a@x.org', tasks: [task] };
    await user.post('/api/metadata/workflow', def);
    const started = await user.post('/api/workflow', { name: 'audited_flow', version: 1 });
    await user.delete(`/api/workflow/${started.text}?reason=enough`);
    await secured.nobody.post('/api/token', { email: 'auditee@x.org', password: 'wrong one' });

    const entries = (await admin.get('/api/admin/audit?caller=auditee@x.org')).body as {
      action: string;
      objects: string[];
      status: number;
    }[];
    expect(entries.map(({ action, objects, status }) => [action, objects, status])).toEqual([
      ['terminateWorkflow', [started.text], 200],
      ['startWorkflow', [], 200],
      ['registerWorkflowDef', ['audited_flow 1'], 200],
      ['putGroup', ['forbidden'], 403],
      ['putSecret', ['audited'], 200],
      ['createToken', ['auditee@x.org'], 200],
    ]);
    const history = (await admin.get(`/api/workflow/${started.text}/audit`)).body;
    expect(history).toMatchObject([{ action: 'terminateWorkflow', reason: 'enough' }]);
    const failures = (await admin.get('/api/admin/audit?action=createToken')).body;
    expect(failures[0]).toMatchObject({ status: 401, caller: '', address: '127.0.0.1' });
    const exported = await admin.get('/api/admin/audit/export');
    expect(exported.headers.get('content-type')).toContain('ndjson');
    expect(exported.text.trim().split('\n').length).toBeGreaterThan(5);
    expect(exported.text).not.toContain('hush-hush-value');
    const [newest, second] = (await admin.get('/api/admin/audit?count=2')).body;
    expect((await admin.get(`/api/admin/audit?count=1&before=${newest.id}`)).body).toEqual([
      second,
    ]);
    expect(await user.status('GET', '/api/admin/audit')).toBe(403);
    expect(await admin.status('GET', '/api/admin/audit?before=x')).toBe(400);
  });
});

describe('an entry of the audit log', () => {
  const hook = { id: 'noted_hook', name: 'h', sourcePlatform: 'Custom', verifier: 'HEADER_BASED' };
  const webhook = { ...hook, headers: { 'x-key': 'k' }, receiverWorkflowNamesToVersions: { f: 1 } };
  const start = { action: 'start_workflow', start_workflow: { name: 'f' } };
  const handler = { name: 'noted_handler', event: 'conductor:noted', actions: [start] };
  const form = { name: 'noted_form', version: 1, jsonSchema: {}, templateUI: {} };
  const prompt = { name: 'noted_prompt', description: 'd', template: 'hello' };
  const model = { type: 'openai', category: 'AI_MODEL', description: 'd', enabled: true };
  const provider = { ...model, name: 'noted_provider', configuration: { api_key: 'x' } };
  const service = { name: 'noted_service', type: 'HTTP', serviceURI: 'http://example.org' };
  const schema = { name: 'noted_schema', version: 1, type: 'JSON', data: {} };
  const human = executionIdOf(1, Buffer.alloc(16, 1));
  const member = 'noted@x.org';

  it.each([
    ['POST', '/api/metadata/webhook', webhook, 'noted_hook'],
    ['PUT', '/api/metadata/webhook', webhook, 'noted_hook'],
    ['POST', '/api/event', [handler], 'noted_handler'],
    ['PUT', '/api/event', handler, 'noted_handler'],
    ['PUT', '/api/scheduler/bulk/pause', ['noted_schedule'], 'noted_schedule'],
    ['POST', '/api/human/template/bulk', [form], 'noted_form'],
    ['DELETE', '/api/human/tasks/delete', [human], human],
    ['POST', '/api/groups/noted/users', [member], member],
    ['DELETE', '/api/groups/noted/users', [member], member],
    ['POST', '/api/prompts', [prompt], 'noted_prompt'],
    ['POST', '/api/integrations', [provider], 'noted_provider'],
    ['POST', '/api/registry/service', service, 'noted_service'],
    ['POST', '/api/registry/service/noted_service/clone?newName=noted_clone', {}, 'noted_clone'],
    ['POST', '/api/schema', [schema], 'noted_schema'],
    ['POST', '/api/global_schema', [schema], 'noted_schema'],
  ] as const)('names what %s %s has in its body', async (method, path, body, name) => {
    await admin.put('/api/groups/noted', { description: 'x', roles: [] });
    await admin.put(`/api/users/${member}`, { name: member, roles: ['USER'] });
    expect((await admin.request(method, path, body)).status).toBe(200);
    const [newest] = (await admin.get('/api/admin/audit?count=1')).body as { objects: string[] }[];
    expect(newest?.objects).toContain(name);
  });

  it('names what a creation has drawn', async () => {
    const told = { name: 'o', url: 'http://example.org/', events: ['WORKFLOW_COMPLETED'] };
    const { id } = (await admin.post('/api/metadata/outgoing-webhook', told)).body;
    expect((await admin.get('/api/admin/audit?count=1')).body).toMatchObject([{ objects: [id] }]);
  });
});

describe('the audit log', () => {
  it('names who signed in, and the account of attempts that failed', async () => {
    const session = await secured.application('auditing', ['WORKER']);
    await secured.userWithPassword('signing@x.org', ['USER']);
    const credentials = { email: 'signing@x.org', password: 'password of signing@x.org' };
    expect((await secured.nobody.post('/api/sign-in', credentials)).status).toBe(200);
    const wrong = { email: 'Signing@x.org', password: 'hush-hush-guess' };
    for (let i = 0; i < 3; i++) await secured.nobody.post('/api/sign-in', wrong);
    await secured.nobody.post('/api/token', { keyId: session.key.keyId, keySecret: 'hush' });
    const of = async (object: string): Promise<unknown> =>
      (await admin.get(`/api/admin/audit?object=${object}`)).body;
    // Three failures within a minute are one entry at once, and a sum later.
    expect(await of('signing@x.org')).toMatchObject([
      { action: 'signIn', status: 401, caller: '', address: '127.0.0.1' },
      { action: 'signIn', status: 200, caller: 'signing@x.org', callerKind: 'user' },
      { action: 'createToken', status: 200, caller: 'signing@x.org' },
      { action: 'putUser' },
    ]);
    expect(await of(session.key.keyId)).toMatchObject([
      { action: 'createToken', status: 401, caller: '' },
      { action: 'createToken', status: 200, caller: session.subject, callerKind: 'application' },
      { action: 'createAccessKey' },
    ]);
    expect((await admin.get('/api/admin/audit/export')).text).not.toContain('hush-hush-guess');
  });

  it('names who read a secret, also one who may not', async () => {
    await admin.put('/api/secrets/read_by', 'hush-hush-value');
    const reader = await secured.application('reading', ['WORKER']);
    expect(await reader.status('GET', '/api/secrets/read_by')).toBe(403);
    await secured.grant(reader, 'SECRET_NAME', 'read_by', ['READ']);
    for (let i = 0; i < 3; i++) await reader.get('/api/secrets/read_by');
    const path = '/api/admin/audit?action=getSecret&object=read_by';
    expect((await admin.get(path)).body).toMatchObject([
      { caller: reader.subject, status: 200 },
      { caller: reader.subject, status: 403 },
    ]);
  });
});

describe('a definition', () => {
  it('belongs to who made it, with what its groups receive', async () => {
    await admin.put('/api/groups/makers', {
      description: 'make',
      defaultAccess: { WORKFLOW_DEF: ['READ', 'EXECUTE'] },
    });
    const maker = await secured.user('maker@x.org', ['USER'], ['makers']);
    const mate = await secured.user('mate@x.org', [], ['makers']);
    const other = await secured.user('stranger@x.org', ['USER']);
    const task = { name: 'w', taskReferenceName: 'w', type: 'SIMPLE' };
    const def = { name: 'made_flow', version: 1, ownerEmail: 'a@x.org', tasks: [task] };
    expect(await maker.status('POST', '/api/metadata/workflow', def)).toBe(200);
    const path = '/api/metadata/workflow/made_flow';
    expect((await maker.get(path)).body.createdBy).toBe('maker@x.org');
    expect(await mate.status('GET', path)).toBe(200);
    expect(await other.status('GET', path)).toBe(403);
    expect(await mate.status('PUT', '/api/metadata/workflow', [def])).toBe(403);
    expect(await maker.status('PUT', '/api/metadata/workflow', [def])).toBe(200);
    const id = (await mate.post('/api/workflow', { name: 'made_flow', version: 1 })).text;
    expect((await mate.get(`/api/workflow/${id}`)).body.createdBy).toBe('mate@x.org');
    expect(await other.status('GET', `/api/workflow/${id}`)).toBe(403);
    expect(await maker.status('DELETE', `${path}/1`)).toBe(200);
    // A later definition of the name starts without those grants.
    await admin.post('/api/metadata/workflow', def);
    expect(await maker.status('GET', path)).toBe(403);
  });
});
