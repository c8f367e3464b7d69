// The schema registry over the API (contract-admin 16).
import { SchemaClient } from '@io-orkes/conductor-javascript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Session } from '../../../testkit/secured-server.js';
import { RegistryServer } from './registry-server.js';

const base = '/api/schema';
const text = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };

let server: RegistryServer;
let admin: Session;
beforeAll(async () => {
  server = await RegistryServer.start(['--schemas-max', '30']);
  ({ admin } = server.secured);
});
afterAll(() => server?.stop());

describe('schemas', () => {
  it('have versions, with every call of the JavaScript SDK', async () => {
    const client = new SchemaClient(server.client);
    await client.registerSchema([{ name: 'js one', version: 1, type: 'JSON', data: text }]);
    await client.registerSchema([{ name: 'js one', version: 1, type: 'JSON', data: text }], true);
    expect(await client.getSchemaByName('js one')).toMatchObject({ version: 2, data: text });
    expect(await client.getSchema('js one', 1)).toMatchObject({ version: 1, type: 'JSON' });
    const all = await client.getAllSchemas();
    expect(all.map(({ name, version }) => `${name} ${version}`)).toEqual(['js one 2', 'js one 1']);
    await client.deleteSchema('js one', 2);
    expect(await client.getSchemaByName('js one')).toMatchObject({ version: 1 });
    await expect(client.deleteSchema('js one', 9)).rejects.toThrow();
    await client.deleteSchemaByName('js one');
    await expect(client.getSchemaByName('js one')).rejects.toThrow();
    await expect(client.deleteSchemaByName('js one')).rejects.toThrow();
  });

  it('take one schema as well as a list, and say who wrote it', async () => {
    const stored = await admin.post(base, { name: 'one', type: 'JSON', data: text, version: 3 });
    expect([stored.status, stored.text]).toEqual([200, '']);
    const first = (await admin.get(`${base}/one`)).body;
    expect(first).toEqual({
      ...{ name: 'one', version: 3, type: 'JSON', data: text, updateTime: 0 },
      createTime: expect.any(Number) as number,
      createdBy: expect.stringMatching(/^app:/) as string,
    });
    await admin.post(base, [{ name: 'one', type: 'AVRO', externalRef: 'x', version: 3 }]);
    const second = (await admin.get(`${base}/one/3`)).body;
    expect(second).toMatchObject({ type: 'AVRO', externalRef: 'x', createTime: first.createTime });
    expect(second.updateTime).toBeGreaterThanOrEqual(first.createTime);
    const short = (await admin.get(`${base}?short=true`)).body;
    expect(short).toEqual([{ name: 'one', version: 3, createTime: 0, updateTime: 0 }]);
  });

  it('are the same under the path of the organisation', async () => {
    await admin.post('/api/global_schema', [{ name: 'wide', type: 'JSON', data: text }]);
    expect((await admin.get('/api/global_schema/wide')).body).toMatchObject({ version: 1 });
    expect((await admin.get(`${base}/wide/1`)).body).toMatchObject({ name: 'wide' });
    expect((await admin.get('/api/global_schema/none')).status).toBe(404);
  });

  it.each([
    [{ type: 'JSON', data: text }, /name is required/],
    [{ name: 'x', data: text }, /type must be one of JSON, AVRO, PROTOBUF/],
    [{ name: 'x', type: 'XML', data: text }, /type must be one of JSON, AVRO, PROTOBUF/],
    [{ name: 'x', type: 'JSON' }, /data is required/],
    [{ name: 'x', type: 'JSON', data: text, version: 0 }, /version must be 1 or more/],
    [{ name: 'x', type: 'JSON', data: [] }, /data must be an object/],
    ['text', /JSON parse error/],
  ])('are refused: %j', async (schema, message) => {
    for (const sent of typeof schema === 'string' ? [schema] : [schema, [schema]]) {
      const answer = await admin.post(base, sent);
      expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(message)]);
    }
    expect((await admin.get(`${base}/x`)).status).toBe(404);
  });

  it.each([
    [{ type: 'odd' }, /schema is invalid/],
    [{ $ref: '#/nowhere' }, /can't resolve reference/],
    [{ pattern: '(' }, /missing closing|error parsing regexp/],
    [{ name: 'a whole record', type: 'JSON', data: text }, /schema is invalid/],
  ])(
    'may have data that is no JSON Schema, and say so when it is enforced: %j',
    async (data, why) => {
      expect(await admin.status('POST', base, { name: 'unread', type: 'JSON', data })).toBe(200);
      expect((await admin.get(`${base}/unread`)).body).toMatchObject({ data });
      const enforced = { inputSchema: { name: 'unread', type: 'JSON' }, enforceSchema: true };
      const tasks = [{ name: 'n', taskReferenceName: 'n', type: 'NOOP' }];
      const workflowDef = { name: 'unread', version: 1, tasks, ...enforced };
      const refused = await admin.post('/api/workflow', { name: 'unread', workflowDef, input: {} });
      expect([refused.status, refused.text]).toEqual([400, expect.stringMatching(why)]);
      expect(refused.text).toMatch(/unread.*it is no JSON Schema/);
      await admin.delete(`${base}/unread`);
    },
  );

  it('name the one of a list that is wrong, and store none of it', async () => {
    const right = { name: 'right', type: 'JSON', data: text };
    const answer = await admin.post(base, [right, { ...right, data: [] }]);
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/\[1\]\.data/)]);
    expect((await admin.get(`${base}/right`)).status).toBe(404);
  });

  it('may be as many as the setting says', async () => {
    const many = Array.from({ length: 31 }, (_, index) => ({
      name: `many ${index}`,
      type: 'AVRO',
    }));
    const answer = await admin.post(base, many);
    expect([answer.status, answer.text]).toEqual([409, expect.stringMatching(/schemasMax/)]);
    for (const { name } of many) await admin.delete(`${base}/${encodeURIComponent(name)}`);
  });

  it('belong to who creates them', async () => {
    const { secured } = server;
    const maker = await secured.application('maker', ['USER']);
    const other = await secured.application('other', ['USER']);
    const worker = await secured.application('worker', ['WORKER']);
    const schema = { name: 'owned', type: 'JSON', data: text };
    expect(await secured.nobody.status('GET', base)).toBe(401);
    expect(await worker.status('POST', base, schema)).toBe(403);
    expect(await maker.status('POST', base, schema)).toBe(200);
    expect(await maker.status('POST', base, schema)).toBe(200);
    for (const stranger of [other, worker]) {
      expect(await stranger.status('POST', base, schema)).toBe(403);
      expect(await stranger.status('GET', `${base}/owned`)).toBe(403);
      expect(await stranger.status('GET', `${base}/owned/1`)).toBe(403);
      expect(await stranger.status('DELETE', `${base}/owned/1`)).toBe(403);
      expect(await stranger.status('DELETE', `${base}/owned`)).toBe(403);
      expect((await stranger.get(base)).body).toEqual([]);
    }
    await secured.grant(other, 'SCHEMA', 'owned', ['READ']);
    expect((await other.get(base)).body).toMatchObject([{ name: 'owned' }]);
    expect(await maker.status('DELETE', `${base}/owned/1`)).toBe(200);
    expect(await maker.status('POST', base, schema)).toBe(200);
    expect(await other.status('GET', `${base}/owned`)).toBe(403);
  });
});

describe('a definition that names a schema', () => {
  const start = (version: number, input: unknown): Promise<Answer> =>
    admin.post('/api/workflow', { name: 'checked', version, input });

  beforeAll(async () => {
    const number = { ...text, properties: { a: { type: 'number' } } };
    await admin.post(base, [
      { name: 'given', version: 1, type: 'JSON', data: text },
      { name: 'given', version: 2, type: 'JSON', data: number },
    ]);
    const tasks = [{ name: 'n', taskReferenceName: 'n', type: 'NOOP' }];
    const common = { name: 'checked', ownerEmail: 'a@x.org', tasks };
    const child = { ...tasks[0], type: 'SUB_WORKFLOW', subWorkflowParam: { name: 'checked' } };
    await admin.put('/api/metadata/workflow', [
      { ...common, version: 1, inputSchema: { name: 'given', version: 1, type: 'JSON' } },
      { ...common, version: 2, inputSchema: { name: 'given', type: 'JSON' } },
      { ...common, name: 'outer', version: 1, tasks: [child] },
    ]);
  });

  it('refuses a start whose input does not match its version of it', async () => {
    expect((await start(1, { a: 'x' })).status).toBe(200);
    expect((await start(2, { a: 1 })).status).toBe(200);
    const refused = await start(1, { a: 1 });
    expect(refused.body).toMatchObject({
      status: 400,
      message: 'The input of workflow checked does not match the schema given: /a must be string',
    });
    expect((await start(2, {})).body.message).toMatch(/required property 'a'/);
    const found = (await admin.get('/api/workflow/search?query=workflowType=checked')).body;
    expect(found.totalHits).toBe(2);
  });

  it('asks the newest version where none is named, from when it is stored', async () => {
    await admin.post(`${base}?newVersion=true`, { name: 'given', type: 'JSON', data: text });
    expect((await start(2, { a: 'x' })).status).toBe(200);
    expect((await start(2, { a: 1 })).status).toBe(400);
  });

  it('fails the task that starts it as a sub-workflow', async () => {
    const outer = { name: 'outer', version: 1, input: {} };
    const { body } = await admin.post('/api/workflow/execute/outer/1', outer);
    expect(body.status).toBe('FAILED');
    const execution = (await admin.get(`/api/workflow/${body.workflowId}`)).body;
    expect(execution.reasonForIncompletion).toMatch(/does not match the schema given/);
  });

  it('is read back as it was stored', async () => {
    const stored = (await admin.get('/api/metadata/workflow/checked?version=2')).body;
    expect(stored).toMatchObject({ inputSchema: { name: 'given', type: 'JSON' } });
    expect(stored.inputSchema).not.toHaveProperty('version');
  });
});
