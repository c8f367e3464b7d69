// Prompts over the API (contract-admin 13).
import { PromptClient } from '@io-orkes/conductor-javascript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../../testkit/secured-server.js';
import { RegistryServer } from './registry-server.js';

const base = '/api/prompts';

let server: RegistryServer;
let admin: Session;
beforeAll(async () => {
  server = await RegistryServer.start(['--prompts-max', '20']);
  ({ admin } = server.secured);
  await admin.post('/api/integrations/provider/ai', { type: 'openai' });
});
afterAll(() => server?.stop());

describe('prompts', () => {
  it('answer the calls of the JavaScript SDK', async () => {
    const client = new PromptClient(server.client);
    await client.savePrompt('js', 'greets', 'Hi ${name}, ${day}, ${name} {{x}}', ['ai:m']);
    expect(await client.getPrompt('js')).toMatchObject({
      ...{ name: 'js', version: 1, description: 'greets', variables: ['name', 'day'] },
      ...{ template: 'Hi ${name}, ${day}, ${name} {{x}}', integrations: ['ai:m'], tags: [] },
    });
    await client.updatePrompt('js', 'again', 'Bye');
    expect(await client.getPrompts()).toMatchObject([{ name: 'js', version: 1, template: 'Bye' }]);
    const tags = [{ key: 'team', value: 'ops' }];
    await client.setPromptTags('js', tags);
    expect(await client.getPromptTags('js')).toEqual(tags);
    expect(await client.getPrompt('js')).toMatchObject({ tags });
    await client.deletePromptTags('js', tags);
    expect(await client.getPromptTags('js')).toEqual([]);
    await client.deletePrompt('js');
    await expect(client.getPrompt('js')).rejects.toThrow();
  });

  it.each([
    ['quoted as JSON', '"say \\"hi\\"\\n"', 'say "hi"\n'],
    ['raw', 'say "hi"', 'say "hi"'],
    ['raw with a JSON content type', '{"a": 1}', '{"a": 1}'],
    ['raw with quotes that are no JSON', '"a" and "b"', '"a" and "b"'],
  ])('take their text %s', async (_how, sent, template) => {
    const json = { 'content-type': 'application/json' };
    await admin.request('POST', `${base}/text?description=`, sent, json);
    expect((await admin.get(`${base}/text`)).body).toMatchObject({ template, description: '' });
    await admin.delete(`${base}/text`);
  });

  it('have versions', async () => {
    const route = `${base}/versions%2Fof`;
    await admin.post(`${route}?description=d&autoIncrement=true`, 'one');
    const first = (await admin.get(route)).body;
    await admin.post(`${route}?description=d&autoIncrement=true`, 'two');
    await admin.post(`${route}?description=d&version=7`, 'seven');
    await admin.put(`${route}?description=d`, 'seven again');
    await admin.put(`${route}?description=d&version=1`, 'one again');
    const all = (await admin.get(`${route}/versions`)).body as {
      version: number;
      template: string;
    }[];
    expect(all.map(({ version, template }) => `${version} ${template}`)).toEqual([
      ...['7 seven again', '2 two', '1 one again'],
    ]);
    expect((await admin.get(`${route}?version=2`)).body).toMatchObject({ template: 'two' });
    expect((await admin.get(`${route}?version=1`)).body).toMatchObject({
      ...{ createTime: first.createTime, createdBy: first.createdBy, updatedBy: first.createdBy },
    });
    expect(await admin.status('DELETE', `${route}/versions/7`)).toBe(200);
    expect(await admin.status('DELETE', `${route}/versions/7`)).toBe(404);
    expect((await admin.get(route)).body).toMatchObject({ version: 2 });
    expect(await admin.status('DELETE', route)).toBe(200);
    expect(await admin.status('DELETE', route)).toBe(404);
    expect(await admin.status('GET', `${route}/versions`)).toBe(404);
  });

  it('are saved in bulk, in order, up to the first that names an unknown provider', async () => {
    const prompts = [
      { name: 'b1', template: 't', temperature: 0.5, topP: 1, responseFormat: 'json' },
      { name: 'b2', template: 't', stopWords: ['x'], integrations: ['none:m'] },
      { name: 'b3', template: 't' },
    ];
    const answer = await admin.post(`${base}/`, prompts);
    expect([answer.status, answer.text]).toEqual([404, expect.stringMatching(/none/)]);
    const { temperature, topP, responseFormat } = (await admin.get(`${base}/b1`)).body;
    expect([temperature, topP, responseFormat]).toEqual([0.5, 1, 'json']);
    expect(await admin.status('GET', `${base}/b3`)).toBe(404);
    await admin.delete(`${base}/b1`);
  });

  it.each([
    ['POST', '/x', 't', /description is required/],
    ['POST', '/x?description=d', '  ', /the body is required/],
    ['POST', '/x?description=d&version=0', 't', /version must be 1 or more/],
    ['POST', '/x?description=d&models=none:m', 't', /No such integration provider: none/],
    ['PUT', '/x?description=d&version=z', 't', /'version' is not a number/],
    ['POST', '', [{ template: 't' }], /\[0\]\.name is required/],
    ['POST', '', [{ name: 'x' }], /\[0\]\.template is required/],
    ['POST', '', [{ name: 'x', template: 't', topP: 'a' }], /\[0\]\.topP must be a number/],
    ['POST', '', { name: 'x' }, /must be a list/],
  ] as const)('are refused: %s %s %j', async (method, route, body, message) => {
    const answer = await admin.request(method, base + route, body);
    expect([400, 404]).toContain(answer.status);
    expect(answer.text).toMatch(message);
    expect(await admin.status('GET', `${base}/x`)).toBe(404);
  });

  it('may be as many as the setting says', async () => {
    const many = Array.from({ length: 21 }, (_, index) => ({ name: `m${index}`, template: 't' }));
    const answer = await admin.post(base, many);
    expect([answer.status, answer.text]).toEqual([409, expect.stringMatching(/promptsMax/)]);
    for (const { name } of many) await admin.delete(`${base}/${name}`);
  });

  it('belong to who creates them, who may read the models that they name', async () => {
    const { secured } = server;
    const maker = await secured.user('prompter@x', ['USER']);
    const other = await secured.user('reader@x', ['USER']);
    const manager = await secured.user('manager@x', ['PROMPT_MANAGER']);
    expect(await secured.nobody.status('GET', base)).toBe(401);
    expect(await maker.status('POST', `${base}/owned?description=d&models=ai:m`, 't')).toBe(403);
    expect(await maker.status('POST', `${base}/owned?description=d&models=plain`, 't')).toBe(200);
    expect(await other.status('GET', `${base}/owned`)).toBe(403);
    expect(await other.status('PUT', `${base}/owned?description=d`, 't')).toBe(403);
    expect(await other.status('PUT', `${base}/owned/tags`, [{ key: 'a', value: 'b' }])).toBe(403);
    expect(await other.status('DELETE', `${base}/owned`)).toBe(403);
    expect((await other.get(base)).body).toEqual([]);
    expect(await other.status('POST', base, [{ name: 'owned', template: 'stolen' }])).toBe(200);
    expect((await maker.get(`${base}/owned`)).body).toMatchObject({ template: 't' });
    expect(await manager.status('PUT', `${base}/owned?description=d`, 'managed')).toBe(200);
    expect(await maker.status('DELETE', `${base}/owned`)).toBe(200);
  });
});
