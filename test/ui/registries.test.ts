// Pages of what definitions refer to: each can be written and read back on the page.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { ModelServer } from '../support/model-server.js';
import { PageFixture } from './fixture.js';

const actions = '[{"action":"start_workflow","start_workflow":{"name":"x"}}]';
const records = [
  ['prompts', 'prompt', { 'Name *': 'greet', 'Template *': 'Hello\n${name}' }, 'greet'],
  ['schemas', 'schema', { 'Name *': 'card', Schema: '{"type":"object"}' }, 'card'],
  [
    'remote-services',
    'remote service',
    { 'Name *': 'bank', 'Address *': 'http://127.0.0.1:1/openapi.json' },
    'bank',
  ],
  [
    'events',
    'event handler',
    { 'Name *': 'on-pay', 'Event *': 'conductor:pay', 'Actions *': actions },
    'on-pay',
  ],
  ['integrations', 'integration', { 'Name *': 'llm', 'Type *': 'openai' }, 'llm'],
  ['models', 'model', { 'Integration *': 'llm', 'Model *': 'small' }, 'small'],
  [
    'outgoing-webhooks',
    'outgoing webhook',
    {
      'Name *': 'tell',
      'Address *': 'http://127.0.0.1:1/hook',
      'Events *': '["WORKFLOW_COMPLETED"]',
    },
    'tell',
  ],
] as const;
const choices: Readonly<Record<string, string>> = {
  schemas: 'JSON',
  'remote-services': 'HTTP',
  integrations: 'AI_MODEL',
};

const tags = [{ key: 'team', value: 'pay' }];
const about = { description: 'All of it', tags };
const provider = '/api/integrations/provider/kept';
/** Records with all that one can say of them: the page of one, where it is read, how it is made. */
const whole = [
  [
    ...(['integrations?id=kept', provider, 'POST', provider] as const),
    {
      ...{ ...about, type: 'openai', category: 'AI_MODEL', enabled: false },
      configuration: { api_key: 'hidden', temperature: 0.5 },
    },
  ],
  [
    ...(['models?id=kept:a:b', `${provider}/integration/a%3Ab`, 'POST'] as const),
    `${provider}/integration/a%3Ab`,
    {
      ...{ ...about, enabled: false, configuration: { temperature: 0.5, apiKey: 'hidden' } },
      ...{ maxTokens: 1000, frequency: 'weekly' },
    },
  ],
  [
    ...(['prompts?id=kept', '/api/prompts/kept', 'POST', '/api/prompts'] as const),
    [
      {
        ...{ name: 'kept', template: 'Hello ${name}', description: 'All of it' },
        ...{ integrations: ['kept:a:b'], temperature: 0.5, topP: 0.1, responseFormat: 'json' },
        stopWords: ['end', 'a, b'],
      },
    ],
  ],
  [
    ...(['admin/environment?id=kept', '/api/environment', 'PUT', '/api/environment/kept'] as const),
    'a "value", with commas',
  ],
  [
    ...(['admin/roles?id=kept', '/api/roles/kept', 'PUT', '/api/roles/kept'] as const),
    { permissions: ['READ_WORKFLOW_DEF', 'CREATE_TASK_DEF'] },
  ],
  [
    ...(['admin/groups?id=kept', '/api/groups/kept', 'PUT', '/api/groups/kept'] as const),
    {
      ...{ description: 'Those who stay', roles: ['kept', 'USER'] },
      ...{ defaultAccess: { TASK_DEF: ['READ'] }, contactInformation: { phone: '1' } },
    },
  ],
  [
    ...(['admin/users?id=kept', '/api/users/kept', 'PUT', '/api/users/kept'] as const),
    {
      ...{ name: 'Kay', roles: ['kept'], groups: ['kept'], contactInformation: { phone: '1' } },
    },
  ],
  [
    ...(['admin/applications?id={id}', '/api/applications/{id}', 'POST'] as const),
    ...(['/api/applications', { name: 'kept' }] as const),
  ],
] as const;

describe.skipIf(browserMissing !== undefined)('pages of registries', () => {
  let fixture: PageFixture;
  let page: Page;
  const models = new ModelServer();
  beforeAll(async () => {
    await models.start();
    fixture = await PageFixture.start('', ['--outbound-allow-inside=true']);
    page = await fixture.browser.open(fixture.server.url);
  });
  afterAll(async () => {
    await fixture?.stop();
    await models.stop();
  });

  it.each(records)('%s', async (path, one, fields, shown) => {
    await page.goto(`${fixture.server.url}/${path}`);
    await page.getByRole('button', { name: `New ${one}` }).click();
    const form = page.getByRole('complementary');
    for (const [label, value] of Object.entries(fields)) {
      await form.getByLabel(label, { exact: true }).fill(value);
    }
    const choice = choices[path];
    if (choice !== undefined) await form.getByRole('combobox').first().selectOption(choice);
    await form.getByRole('button', { name: 'Save' }).click();
    if (path === 'outgoing-webhooks') {
      await page.getByText('Its secret is shown once').waitFor();
      await page.getByText('whsec_').waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
    }
    await page.getByRole('button', { name: shown, exact: true }).click();
    await page.getByRole('complementary').getByRole('button', { name: 'Edit' }).click();
    await page
      .getByRole('complementary')
      .getByRole('button', { name: 'Save', exact: true })
      .click();
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    expect(fixture.browser.complaints.splice(0)).toEqual([]);
  });

  it.each(whole)('%s is the same after it was saved without a change', async (...one) => {
    const [at, from, method, saving, body] = one;
    const made = (await fixture.expectOk(method, saving, body)) as { id?: string } | undefined;
    const [address = '', path = ''] = [at, from].map((each) =>
      each.replace('{id}', made?.id ?? ''),
    );
    const read = async (): Promise<object> => ({
      ...([await fixture.expectOk('GET', path)].flat()[0] as object),
      updateTime: 0,
    });
    const before = await read();
    const said = Object.keys(typeof body === 'string' ? { value: body } : ([body].flat()[0] ?? {}));
    expect(Object.keys(before)).toEqual(expect.arrayContaining(said));
    await page.goto(`${fixture.server.url}/${address}&edit=yes`);
    const form = page.getByRole('complementary');
    const saved = page.waitForResponse((answer) => answer.request().method() !== 'GET');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    expect((await saved).ok()).toBe(true);
    await form.waitFor({ state: 'detached' });
    expect(await read()).toEqual(before);
    expect(fixture.browser.complaints.splice(0)).toEqual([]);
  });

  it.each([
    [
      'integrations?id=kept',
      provider,
      ['Description', 'Configuration', 'Tags'],
      { description: '', configuration: {} },
    ],
    [
      'models?id=kept:a:b',
      `${provider}/integration/a%3Ab`,
      ['Description', 'Tags', 'Most tokens'],
      { description: '', configuration: { temperature: 0.5, apiKey: '***' } },
    ],
    [
      'admin/users?id=kept',
      '/api/users/kept',
      ['Contact information'],
      { name: 'Kay', contactInformation: {} },
    ],
  ])('a field of %s that is emptied is empty', async (address, path, labels, left) => {
    await page.goto(`${fixture.server.url}/${address}&edit=yes`);
    const form = page.getByRole('complementary');
    for (const label of labels) await form.getByLabel(label, { exact: true }).fill('');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await form.waitFor({ state: 'detached' });
    const saved = await fixture.expectOk('GET', path);
    expect(saved).toEqual(expect.objectContaining(left));
    expect(saved).not.toHaveProperty('maxTokens');
    expect((saved as { tags?: unknown }).tags ?? []).toEqual([]);
  });

  it('a prompt is stored as a new version with all that the old one has', async () => {
    await page.goto(`${fixture.server.url}/prompts?id=kept&edit=yes`);
    const form = page.getByRole('complementary');
    await form.getByLabel('Template *').fill('Goodbye ${name}');
    await form.getByRole('button', { name: 'Save as a new version' }).click();
    await form.waitFor({ state: 'detached' });
    const [newest, first] = (await fixture.expectOk(
      'GET',
      '/api/prompts/kept/versions',
    )) as object[];
    expect(first).toMatchObject({ version: 1, template: 'Hello ${name}' });
    expect(newest).toMatchObject({ version: 2, template: 'Goodbye ${name}', temperature: 0.5 });
    expect(newest).toMatchObject({ stopWords: ['end', 'a, b'], responseFormat: 'json' });
  });

  it('a secret stays as it is until its new value is given', async () => {
    await fixture.expectOk('PUT', '/api/secrets/kept', 'its value');
    await page.goto(`${fixture.server.url}/admin/secrets?id=kept&edit=yes`);
    const form = page.getByRole('complementary');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await form.getByText('Value is needed').waitFor();
    const value = async (): Promise<string> =>
      (await fixture.api.request('GET', '/api/secrets/kept')).text;
    expect(await value()).toBe('its value');
    await form.getByLabel('Value *').fill('another "value"');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await form.waitFor({ state: 'detached' });
    expect(await value()).toBe('another "value"');
  });

  it('event handlers are tried with an example message, before and after they are saved', async () => {
    await page.goto(`${fixture.server.url}/events?edit=new`);
    const dialog = page.getByRole('complementary');
    await dialog.getByLabel('Name *').fill('on-large');
    await dialog.getByLabel('Event *').fill('conductor:large');
    await dialog.getByLabel('Condition', { exact: true }).fill('$.total > 10');
    const input =
      '[{"action":"start_workflow","start_workflow":{"name":"x","input":{"t":"${total}"}}}]';
    await dialog.getByLabel('Actions *').fill(input);
    const trial = dialog.getByRole('form', { name: 'Try it' });
    await trial.getByLabel('Example message').fill('{"total": 11}');
    await trial.getByRole('button', { name: 'Try' }).click();
    await trial.getByText('The condition holds').waitFor();
    await trial.getByRole('region', { name: 'Action 1' }).getByText('"t": 11').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'on-large', exact: true }).click();
    await trial.getByLabel('Example message').fill('{"total": 9}');
    await trial.getByRole('button', { name: 'Try' }).click();
    await trial.getByText('The condition does not hold').waitFor();
    expect(await fixture.expectOk('GET', '/api/event/execution/on-large')).toEqual([]);
    expect(fixture.browser.complaints.splice(0)).toEqual([]);
  });

  it('prompts are tried against a model', async () => {
    const configuration = { api_key: 'k', endpoint: models.endpoint };
    const saved = { type: 'openai', category: 'AI_MODEL', enabled: true, configuration };
    await fixture.expectOk('POST', '/api/integrations/provider/tried', saved);
    await fixture.expectOk('POST', '/api/integrations/provider/tried/integration/m', {
      enabled: true,
    });
    await page.goto(`${fixture.server.url}/prompts?id=greet`);
    await page.getByRole('complementary').getByRole('button', { name: 'Test' }).click();
    const dialog = page.getByRole('dialog', { name: 'Test' });
    await dialog.getByLabel('Integration *').fill('tried');
    await dialog.getByLabel('Model *').fill('m');
    await dialog.getByLabel('Variables').fill('{"name": "Ann"}');
    await dialog.getByRole('button', { name: 'Test' }).click();
    await page.getByRole('heading', { name: 'What the model answered' }).waitFor();
    expect(JSON.stringify(models.last.body)).toContain('Hello\\nAnn');
    expect(fixture.browser.complaints.splice(0)).toEqual([]);
  });
});
