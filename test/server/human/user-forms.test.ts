// User forms over the API (contract-admin 11), and what they do to the values that people enter.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { checkAnswers } from '../../../testkit/api-schemas.js';
import { sharedServer } from '../../support/shared-server.js';
import type { JsonObject } from '../../../testkit/wire.js';

const base = '/api/human/template';
const server = sharedServer(import.meta.url);
let api: ApiClient;
let names = 0;

beforeAll(async () => {
  api = new ApiClient(server.url);
  await checkAnswers(api);
});
afterAll(async () => {
  await api.close();
});

const jsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2 },
    kind: { type: 'string', enum: ['a', 'b'] },
    mail: { type: 'string', format: 'email' },
    code: { type: 'string', pattern: '^(a+)+$' },
  },
  required: ['name', 'kind'],
};
const templateUI = {
  type: 'VerticalLayout',
  elements: [
    { type: 'Control', scope: '#/properties/name', label: 'Name', options: { readonly: false } },
  ],
};
const form = (over: JsonObject = {}): JsonObject => ({
  name: `human_user_forms_${++names}`,
  jsonSchema,
  templateUI,
  ...over,
});

async function save(body: unknown, query = ''): Promise<JsonObject> {
  const answer = await api.request('POST', `${base}${query}`, body);
  expect(answer.status).toBe(200);
  return answer.body as JsonObject;
}

describe('a user form', () => {
  it('has versions: the newest is overwritten, or another is added', async () => {
    const { name, ...rest } = form({ tags: [{ key: 'k', value: 'v' }] });
    const first = await save({ name, ...rest, version: 0 });
    expect(first).toMatchObject({
      name,
      version: 1,
      jsonSchema,
      templateUI,
      tags: [{ key: 'k', value: 'v' }],
    });
    const over = await save({ name, ...rest, templateUI: { type: 'Group' } });
    expect(over).toMatchObject({ version: 1, createTime: first['createTime'] });
    expect(await save({ name, ...rest }, '?newVersion=true')).toMatchObject({ version: 2 });
    expect(await save({ name, ...rest, version: 7 }, '?newVersion=true')).toMatchObject({
      version: 7,
    });
    const list = (await api.request('GET', `${base}?name=${String(name)}`)).body as JsonObject[];
    expect(list.map(({ version }) => version)).toEqual([7, 2, 1]);
    const one = (await api.request('GET', `${base}?name=${String(name)}&version=2`)).body;
    expect(one).toMatchObject([{ version: 2 }]);
    expect((await api.request('GET', `${base}/${String(name)}/2`)).body).toMatchObject({
      version: 2,
    });
    expect((await api.request('GET', `${base}/${String(name)}/3`)).status).toBe(404);
    expect((await api.request('DELETE', `${base}/${String(name)}/7`)).text).toBe('');
    expect((await api.request('DELETE', `${base}/${String(name)}/7`)).status).toBe(404);
    expect((await api.request('DELETE', `${base}/${String(name)}`)).status).toBe(200);
    expect((await api.request('DELETE', `${base}/${String(name)}`)).status).toBe(404);
    expect((await api.request('GET', `${base}?name=${String(name)}`)).body).toEqual([]);
  });

  it('is saved in bulk and has tags', async () => {
    const forms = [form(), form()];
    const answer = await api.request('POST', `${base}/bulk`, forms);
    expect(answer.body).toMatchObject(forms.map(({ name }) => ({ name, version: 1 })));
    const path = `${base}/${String(forms[0]?.['name'])}/tags`;
    await api.request('PUT', path, [{ key: 'a', value: 'b' }]);
    expect((await api.request('GET', path)).body).toEqual([{ key: 'a', value: 'b' }]);
    const name = String(forms[0]?.['name']);
    await api.request('POST', `${base}?newVersion=true`, { ...forms[0] });
    const query = 'tagKey=a&tagValue=b&resourceType=USER_FORM_TEMPLATE';
    expect((await api.request('GET', `/api/metadata/tags/resources?${query}`)).body).toEqual([
      { id: `${name}/2`, displayName: name },
      { id: `${name}/1`, displayName: name },
    ]);
    await api.request('DELETE', path, [{ key: 'a', value: 'b' }]);
    expect((await api.request('GET', path)).body).toEqual([]);
    expect((await api.request('PUT', `${base}/none/tags`, [])).status).toBe(404);
  });

  it.each([
    ['name', { name: '' }],
    ['jsonSchema', { jsonSchema: undefined }],
    ['jsonSchema', { jsonSchema: { type: 'nonsense' } }],
    ['jsonSchema', { jsonSchema: { $ref: 'http://elsewhere.example/schema.json' } }],
    ['jsonSchema', { jsonSchema: 'text' }],
    ['templateUI', { templateUI: undefined }],
    ['version', { version: -1 }],
  ])('with a wrong field is refused by naming %s', async (field, over: JsonObject) => {
    const answer = await api.request('POST', base, form(over));
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(field) as string]);
  });

  it('checks what is entered: parts by their types, the whole at the end', async () => {
    const { name } = await save(form());
    const definition = { userFormTemplate: { name, version: 0 } };
    const inputParameters = { __humanTaskDefinition: definition };
    const task = { name: 'h', taskReferenceName: 'h', type: 'HUMAN', inputParameters };
    const workflow = { name: `human_user_forms_w_${++names}`, tasks: [task] };
    const id = await api.start({ name: workflow.name, workflowDef: workflow } as never);
    const taskId = (await api.workflow(id)).tasks?.[0]?.taskId as string;
    const shown = await api.request('GET', `${base}/${taskId}`);
    expect(shown.body).toMatchObject({ name, version: 1, jsonSchema });
    const full = await api.request('GET', `/api/human/tasks/${taskId}?withTemplate=true`);
    expect(full.body).toMatchObject({ humanTaskDef: { fullTemplate: { name, jsonSchema } } });
    const update = async (values: object, complete: boolean): Promise<[number, unknown]> => {
      const path = `/api/human/tasks/${taskId}/update?complete=${complete}`;
      const { status, body } = await api.request('POST', path, values);
      return [status, (body as { validationErrors?: { path: string }[] }).validationErrors];
    };
    expect((await update({ mail: 'nobody' }, false))[0]).toBe(400);
    expect((await update({ name: 7 }, false))[1]).toMatchObject([{ path: 'name' }]);
    // A pattern that costs exponential time elsewhere.
    expect((await update({ code: `${'a'.repeat(50)}!` }, false))[0]).toBe(400);
    expect((await update({ name: 'Kim', mail: 'kim@example.org' }, false))[0]).toBe(200);
    expect(await update({}, true)).toMatchObject([400, [{ path: 'kind' }]]);
    expect((await api.workflow(id)).status).toBe('RUNNING');
    expect((await update({ kind: 'a' }, true))[0]).toBe(200);
    expect(await api.workflow(id)).toMatchObject({
      status: 'COMPLETED',
      output: { name: 'Kim', mail: 'kim@example.org', kind: 'a' },
    });
  });

  it('has checked all that a task is completed with, also where more is entered meanwhile', async () => {
    const either = { type: 'object', not: { required: ['refused', 'paid'] } };
    const { name } = await save(form({ jsonSchema: either }));
    const inputParameters = { __humanTaskDefinition: { userFormTemplate: { name, version: 0 } } };
    const task = { name: 'h', taskReferenceName: 'h', type: 'HUMAN', inputParameters };
    const workflow = { name: `human_user_forms_w_${++names}`, tasks: [task] };
    for (let round = 0; round < 10; round++) {
      const id = await api.start({ name: workflow.name, workflowDef: workflow } as never);
      const taskId = (await api.workflow(id)).tasks?.[0]?.taskId as string;
      const enter = (values: object, complete: boolean): Promise<unknown> =>
        api.request('POST', `/api/human/tasks/${taskId}/update?complete=${complete}`, values);
      const drafts = [1, 2, 3].map((refused) => enter({ refused }, false));
      await Promise.all([...drafts, enter({ paid: 1 }, true), enter({ paid: 2 }, true)]);
      const { status, output } = await api.workflow(id);
      if (status === 'COMPLETED') expect(Object.keys(output ?? {})).toEqual(['paid']);
    }
  });
});
