// A resource may not have a name that a grant would read as more than that resource
// (docs/access.md, "Names"): its creator owns it, and would own the others too.
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedSecuredServer } from '../support/shared-server.js';
import type { Method, Session } from '../../testkit/secured-server.js';

const server = sharedSecuredServer(import.meta.url);
/** May create whatever people may create. */
let maker: Session;
let owner: Session;

const task = { name: 't', taskReferenceName: 't', type: 'NOOP' };
const encoded = encodeURIComponent;
const webhook = {
  sourcePlatform: 'Custom',
  verifier: 'HEADER_BASED',
  headers: { k: 'v' },
  workflowsToStart: { refused_names_made: 1 },
};

beforeAll(async () => {
  maker = await server.user('refused_names_maker@x.org', ['USER', 'PROMPT_MANAGER']);
  owner = await server.user('refused_names_owner@x.org', ['USER']);
  await owner.post('/api/metadata/workflow', { name: 'refused_names_owned', tasks: [task] });
  await maker.post('/api/metadata/workflow', { name: 'refused_names_made', tasks: [task] });
  await owner.post('/api/metadata/taskdefs', [{ name: 'refused_names_owned' }]);
});

const asPerson = [
  '* ',
  '*',
  'a*',
  'app:1',
  'USER:refused_names_maker@x.org',
  'WORKFLOW_DEF:refused_names_owned',
  'tail:',
];

describe.each(asPerson)('the name %j', (name) => {
  it.each<[string, Method, string, unknown]>([
    ['workflow', 'POST', '/api/metadata/workflow', { name, tasks: [task] }],
    ['workflow of a list', 'PUT', '/api/metadata/workflow', [{ name, tasks: [task] }]],
    ['inline workflow', 'POST', '/api/workflow', { name, workflowDef: { name, tasks: [task] } }],
    ['task definition', 'POST', '/api/metadata/taskdefs', [{ name }]],
    [
      'schedule',
      'POST',
      '/api/scheduler/schedules',
      {
        name,
        cronExpression: '0 0 0 * * *',
        startWorkflowRequest: { name: 'refused_names_owned' },
      },
    ],
    ['event handler', 'POST', '/api/event', { name, event: 'conductor:x', actions: [] }],
    ['webhook', 'POST', '/api/metadata/webhook', { ...webhook, id: name, name: 'refused_names_w' }],
    ['webhook by name', 'POST', '/api/metadata/webhook', { ...webhook, name }],
    ['secret', 'PUT', `/api/secrets/${encoded(name)}`, 'value'],
    ['environment variable', 'PUT', `/api/environment/${encoded(name)}`, 'value'],
    ['prompt', 'POST', `/api/prompts/${encoded(name)}?description=d`, 'text'],
    ['schema', 'POST', '/api/schema', { name, type: 'JSON', data: { type: 'object' } }],
    ['form', 'POST', '/api/human/template', { name, jsonSchema: {}, templateUI: {} }],
    [
      'integration',
      'POST',
      `/api/integrations/provider/${encoded(name)}`,
      { type: 'openai', category: 'AI_MODEL', description: '', enabled: true, configuration: {} },
    ],
    [
      'remote service',
      'POST',
      '/api/registry/service',
      { name, type: 'HTTP', serviceURI: 'http://x.org' },
    ],
    ['application', 'POST', '/api/applications', { name }],
    ['user', 'PUT', `/api/users/${encoded(name)}`, { name: 'n', roles: ['USER'], groups: [] }],
    ['group', 'PUT', `/api/groups/${encoded(name)}`, { description: 'd', roles: ['USER'] }],
    ['role', 'POST', '/api/roles', { name, permissions: ['READ_WORKFLOW_DEF'] }],
  ])('names no %s', async (kind, method, route, body) => {
    // A person's id is stored in lower case, in which no type is written.
    if (kind === 'user' && /^[A-Z]/.test(name)) return;
    // Only administrators make these.
    const isForAdmin = ['user', 'group', 'role', 'environment variable'].includes(kind);
    const answer = await (isForAdmin ? server.admin : maker).request(method, route, body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/name|id|schedule/i)]);
  });

  it('has given nobody a right on what others own', async () => {
    expect(await maker.status('GET', '/api/metadata/workflow/refused_names_owned')).toBe(403);
    expect(await maker.status('GET', '/api/metadata/taskdefs/refused_names_owned')).toBe(403);
    expect(await maker.status('DELETE', '/api/metadata/workflow/refused_names_owned/1')).toBe(403);
  });
});

describe('a name with a colon', () => {
  it('stays one where nothing else reads it', async () => {
    const handler = { name: 'refused_names_a:b', event: 'conductor:x', actions: [] };
    expect(await maker.status('POST', '/api/event', handler)).toBe(200);
    const schema = { name: 'refused_names_orders:v1', type: 'JSON', data: { type: 'object' } };
    expect(await maker.status('POST', '/api/schema', schema)).toBe(200);
    const tags = [{ key: 'app', value: 'orders' }];
    expect(await maker.status('PUT', '/api/event/refused_names_a%3Ab/tags', tags)).toBe(200);
    const all = [{ key: '*', value: '*' }];
    expect(await maker.status('PUT', '/api/event/refused_names_a%3Ab/tags', all)).toBe(400);
  });
});

describe('a name with half of a surrogate pair, which stores write as U+FFFD', () => {
  const name = 'paid\ud800';
  const inline = (inner: object): object => ({ name: 'inline', tasks: [{ ...task, ...inner }] });

  it.each<[string, Method, string, unknown]>([
    ['workflow', 'POST', '/api/metadata/workflow', { name, tasks: [task] }],
    ['workflow of a list', 'PUT', '/api/metadata/workflow', [{ name, tasks: [task] }]],
    ['inline workflow', 'POST', '/api/workflow', { name, workflowDef: { name, tasks: [task] } }],
    ['task of a workflow', 'POST', '/api/metadata/workflow', inline({ name, type: 'SIMPLE' })],
    ['type of a task', 'POST', '/api/metadata/workflow', inline({ type: name })],
    ['reference of a task', 'POST', '/api/metadata/workflow', inline({ taskReferenceName: name })],
    ['task definition', 'POST', '/api/metadata/taskdefs', [{ name }]],
    ['event handler', 'POST', '/api/event', { name, event: 'conductor:x', actions: [] }],
    ['webhook', 'POST', '/api/metadata/webhook', { ...webhook, id: 'refused_names_w', name }],
    ['schema', 'POST', '/api/schema', { name, type: 'JSON', data: { type: 'object' } }],
    ['form', 'POST', '/api/human/template', { name, jsonSchema: {}, templateUI: {} }],
    [
      'remote service',
      'POST',
      '/api/registry/service',
      { name, type: 'HTTP', serviceURI: 'http://x.org' },
    ],
    [
      'idempotency key',
      'POST',
      '/api/workflow',
      { name: 'refused_names_made', idempotencyKey: name },
    ],
  ])('names no %s', async (_kind, method, route, body) => {
    const answer = await maker.request(method, route, body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('surrogate')]);
  });
});

describe('METADATA_API', () => {
  it('creates definitions, forms and schedules, and nothing that it has no CREATE for', async () => {
    const app = await server.application('refused_names_app', ['METADATA_API']);
    const made: [Method, string, unknown][] = [
      ['POST', '/api/metadata/workflow', { name: 'refused_names_m', tasks: [task] }],
      ['POST', '/api/metadata/taskdefs', [{ name: 'refused_names_m' }]],
      ['POST', '/api/human/template', { name: 'refused_names_m', jsonSchema: {}, templateUI: {} }],
      ['POST', '/api/scheduler/schedules', {
        name: 'refused_names_m', cronExpression: '0 0 0 * * *', paused: true, startWorkflowRequest: { name: 'refused_names_m' },
      }],
    ]; // prettier-ignore
    for (const [method, route, body] of made) {
      expect([route, await app.status(method, route, body)]).toEqual([route, 200]);
    }
    const refused: [Method, string, unknown][] = [
      ['POST', '/api/event', { name: 'refused_names_m', event: 'conductor:x', actions: [] }],
      ['POST', '/api/metadata/webhook', { ...webhook, name: 'refused_names_m' }],
      ['POST', '/api/prompts/refused_names_m?description=d', 'text'],
      ['POST', '/api/schema', { name: 'refused_names_m', type: 'JSON', data: {} }],
      [
        'POST',
        '/api/registry/service',
        { name: 'refused_names_m', type: 'HTTP', serviceURI: 'http://x.org' },
      ],
      ['PUT', '/api/secrets/refused_names_m', 'value'],
      ['POST', '/api/applications', { name: 'refused_names_m' }],
    ];
    for (const [method, route, body] of refused) {
      expect([route, await app.status(method, route, body)]).toEqual([route, 403]);
    }
  });
});
