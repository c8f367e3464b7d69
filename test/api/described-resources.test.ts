// The answer of GET /api/resources is made from the table of endpoints alone.
import { describe, expect, it } from 'vitest';
import { withResources } from '../../src/api/described-resources.js';
import {
  endpoint,
  nothing,
  query,
  type Endpoint,
  type ListedResource,
} from '../../src/api/endpoint.js';
import {
  flag,
  integer,
  list,
  object,
  oneOf,
  text,
  time,
  type Schema,
} from '../../src/model/schema.js';
import { tagListSchema } from '../../src/model/tag.js';

const written = object(
  'RunbookRequest',
  {
    steps: list(text()),
    plan: object('Plan', { inner: text() }),
    retryDelayMs: integer('Pause', { minimum: 1, 'x-label': 'Pause, ms' }),
    secretValue: text('', { format: 'password' }),
    severity: oneOf(['LOW', 'HIGH']),
    dueTime: time('The end'),
    name: text('', { maxLength: 9 }),
    notes: text('', { 'x-emptied': '' }),
    tags: tagListSchema,
  } satisfies Readonly<Record<string, Schema>>,
  ['name'],
);
const shown = object('Runbook', { name: text(), updateTime: integer() });
const base = '/api/runbooks';
const lists: ListedResource = { called: 'Run book', about: 'They help.', written, shown };

function route(method: Endpoint['method'], pattern: string, more: object = {}): Endpoint {
  return endpoint({
    ...{ method, pattern, name: `${method} ${pattern}`, summary: '', reply: nothing },
    access: { rule: 'each', type: 'PROMPT', right: 'READ' },
    handle: () => undefined,
    ...more,
  });
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function describedBy(endpoints: readonly Endpoint[]): Promise<any> {
  const found = withResources(endpoints).find(({ pattern }) => pattern === '/api/resources');
  const answer = await found?.handle({} as never);
  return (JSON.parse(String(answer?.body)) as unknown[])[0];
}

describe('the description of a resource', () => {
  it('has the calls that have the path of the list', async () => {
    const described = await describedBy([
      route('GET', base, { lists }),
      route('POST', base),
      route('PUT', `${base}/:id`),
      route('DELETE', `${base}/:id`),
      route('DELETE', `${base}/:id/tags`),
      route('GET', '/api/other', {}),
    ]);
    expect(described).toMatchObject({
      ...{ name: 'run-books', title: 'Run books', one: 'run book', about: 'They help.' },
      ...{ type: 'PROMPT', key: ['id'], hasNewVersion: false },
      list: { method: 'GET', path: base },
      create: { method: 'POST', path: base },
      replace: { method: 'PUT', path: `${base}/{id}` },
      remove: { method: 'DELETE', path: `${base}/{id}` },
    });
    expect(described).not.toHaveProperty('versions');
  });

  it('names a version by its name and number where rows are versions', async () => {
    const described = await describedBy([
      route('GET', base, { lists: { ...lists, rows: 'versions' } }),
      route('POST', base, { parameters: { newVersion: query(flag()) } }),
      route('GET', `${base}/:name/versions`),
      route('DELETE', `${base}/:name`),
      route('DELETE', `${base}/:name/:version`),
    ]);
    expect(described).toMatchObject({
      ...{ key: ['name', 'version'], hasNewVersion: true },
      remove: { path: `${base}/{name}/{version}` },
      versions: { path: `${base}/{name}/versions` },
    });
  });

  it('has a form of the fields: needed ones first, JSON behind, without what is inside', async () => {
    const { form } = await describedBy([route('GET', base, { lists })]);
    expect(Object.keys(form.properties)).toEqual([
      ...['name', 'steps', 'retryDelayMs', 'secretValue', 'severity', 'dueTime'],
      ...['notes', 'plan', 'tags'],
    ]);
    expect(form.required).toEqual(['name']);
    expect(form.properties).toMatchObject({
      name: { type: 'string', maxLength: 9, title: 'Name' },
      retryDelayMs: { description: 'Pause', minimum: 1, title: 'Pause, ms' },
      secretValue: { format: 'password', title: 'Secret value' },
      severity: { enum: ['LOW', 'HIGH'] },
      dueTime: { type: 'integer', format: 'epoch-ms' },
      tags: { items: { title: 'Tag' } },
      notes: { emptied: '' },
    });
    expect(form.properties.plan).toEqual({ type: 'object', title: 'Plan' });
  });

  it('has a table of the simple fields without secrets, or of those that are chosen', async () => {
    const simple = await describedBy([route('GET', base, { lists })]);
    expect(simple.columns.map(({ member }: { member: string }) => member)).toEqual([
      ...['steps', 'retryDelayMs', 'severity', 'dueTime', 'name'],
    ]);
    const columns = ['name', 'updateTime'];
    const chosen = await describedBy([route('GET', base, { lists: { ...lists, columns } })]);
    expect(chosen.columns).toEqual([
      { member: 'name', label: 'Name' },
      { member: 'updateTime', label: 'Update time' },
    ]);
  });

  it('has the fields that only the path of one says, needed and first', async () => {
    const one = '/api/shelves/:shelf/books/:book';
    const named = { ...shown, properties: { ...shown.properties, shelf: text('Where it stands') } };
    const described = await describedBy([
      route('GET', base, {
        lists: {
          ...lists,
          shown: named,
          one,
          key: ['shelf', 'name'],
          within: 'books',
          query: 'all=1',
        },
      }),
      route('POST', base),
      route('POST', one),
      route('DELETE', one, { access: { rule: 'administrator' } }),
    ]);
    expect(described).toMatchObject({
      ...{ key: ['shelf', 'name'], within: 'books', list: { path: `${base}?all=1` } },
      create: { method: 'POST', path: '/api/shelves/{shelf}/books/{book}' },
      remove: { method: 'DELETE', path: '/api/shelves/{shelf}/books/{book}' },
    });
    expect(described).not.toHaveProperty('type');
    expect(Object.keys(described.form.properties).slice(0, 2)).toEqual(['shelf', 'name']);
    expect(described.form.required).toEqual(['shelf', 'name']);
    expect(described.form.properties.shelf.description).toBe('Where it stands');
  });

  it('says what a call sends: a list, or the value alone, which nothing else takes', async () => {
    const raw = { body: { schema: text(), required: true } };
    const several = await describedBy([
      route('GET', base, { lists }),
      route('POST', base, { body: { schema: list(written), required: true } }),
      route('PUT', `${base}/:name`, raw),
    ]);
    expect(several.create).toEqual({ method: 'POST', path: base, sends: 'list' });
    expect(several).not.toHaveProperty('replace');
    const value = object('Sent', { value: text() }, ['value']);
    const alone = await describedBy([
      route('POST', base, { lists: { ...lists, written: value, key: ['name'] } }),
      route('PUT', `${base}/:key`, raw),
    ]);
    expect(alone.create).toEqual({ method: 'PUT', path: `${base}/{key}`, sends: 'value' });
    expect(alone.form.required).toEqual(['name', 'value']);
  });

  it('offers the names that the server knows for a field of one or several', async () => {
    const roles: Schema = {
      anyOf: [text(), list(text())],
      'x-names': { path: '/api/roles', member: 'name' },
    };
    const { form } = await describedBy([
      route('GET', base, { lists: { ...lists, written: object('Asked', { roles }) } }),
    ]);
    expect(form.properties.roles).toEqual({
      ...{ type: 'array', title: 'Roles', items: { type: 'string' } },
      pickFrom: { path: '/api/roles', member: 'name' },
    });
  });
});
