// A resource may not have a name that a grant would read as more than that resource
// (docs/access.md, "Names"): its creator owns it, and would own the others too.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecuredServer, type Method, type Session } from '../../testkit/secured-server.js';

let server: SecuredServer;
/** May create whatever people may create. */
let maker: Session;
let owner: Session;

const task = { name: 't', taskReferenceName: 't', type: 'NOOP' };
const encoded = encodeURIComponent;
const webhook = {
  sourcePlatform: 'Custom',
  verifier: 'HEADER_BASED',
  headers: { k: 'v' },
  workflowsToStart: { made: 1 },
};

beforeAll(async () => {
  server = await SecuredServer.start();
  maker = await server.user('maker@x.org', ['USER', 'PROMPT_MANAGER']);
  owner = await server.user('owner@x.org', ['USER']);
  await owner.post('/api/metadata/workflow', { name: 'owned', tasks: [task] });
  await maker.post('/api/metadata/workflow', { name: 'made', tasks: [task] });
  await owner.post('/api/metadata/taskdefs', [{ name: 'owned' }]);
});
afterAll(() => server.stop());

const asPerson = ['* ', '*', 'a*', 'app:1', 'USER:maker@x.org', 'WORKFLOW_DEF:owned', 'tail:'];

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
        startWorkflowRequest: { name: 'owned' },
      },
    ],
    ['event handler', 'POST', '/api/event', { name, event: 'conductor:x', actions: [] }],
    ['webhook', 'POST', '/api/metadata/webhook', { ...webhook, id: name, name: 'w' }],
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
    expect(await maker.status('GET', '/api/metadata/workflow/owned')).toBe(403);
    expect(await maker.status('GET', '/api/metadata/taskdefs/owned')).toBe(403);
    expect(await maker.status('DELETE', '/api/metadata/workflow/owned/1')).toBe(403);
  });
});

describe('a name with a colon', () => {
  it('stays one where nothing else reads it', async () => {
    const handler = { name: 'a:b', event: 'conductor:x', actions: [] };
    expect(await maker.status('POST', '/api/event', handler)).toBe(200);
    const schema = { name: 'orders:v1', type: 'JSON', data: { type: 'object' } };
    expect(await maker.status('POST', '/api/schema', schema)).toBe(200);
    const tags = [{ key: 'app', value: 'orders' }];
    expect(await maker.status('PUT', '/api/event/a%3Ab/tags', tags)).toBe(200);
    const all = [{ key: '*', value: '*' }];
    expect(await maker.status('PUT', '/api/event/a%3Ab/tags', all)).toBe(400);
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
    ['webhook', 'POST', '/api/metadata/webhook', { ...webhook, id: 'w', name }],
    ['schema', 'POST', '/api/schema', { name, type: 'JSON', data: { type: 'object' } }],
    ['form', 'POST', '/api/human/template', { name, jsonSchema: {}, templateUI: {} }],
    [
      'remote service',
      'POST',
      '/api/registry/service',
      { name, type: 'HTTP', serviceURI: 'http://x.org' },
    ],
    ['idempotency key', 'POST', '/api/workflow', { name: 'made', idempotencyKey: name }],
  ])('names no %s', async (_kind, method, route, body) => {
    const answer = await maker.request(method, route, body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('surrogate')]);
  });
});

describe('METADATA_API', () => {
  it('creates definitions, forms and schedules, and nothing that it has no CREATE for', async () => {
    const app = await server.application('app', ['METADATA_API']);
    const made: [Method, string, unknown][] = [
      ['POST', '/api/metadata/workflow', { name: 'm', tasks: [task] }],
      ['POST', '/api/metadata/taskdefs', [{ name: 'm' }]],
      ['POST', '/api/human/template', { name: 'm', jsonSchema: {}, templateUI: {} }],
      ['POST', '/api/scheduler/schedules', {
        name: 'm', cronExpression: '0 0 0 * * *', paused: true, startWorkflowRequest: { name: 'm' },
      }],
    ]; // prettier-ignore
    for (const [method, route, body] of made) {
      expect([route, await app.status(method, route, body)]).toEqual([route, 200]);
    }
    const refused: [Method, string, unknown][] = [
      ['POST', '/api/event', { name: 'm', event: 'conductor:x', actions: [] }],
      ['POST', '/api/metadata/webhook', { ...webhook, name: 'm' }],
      ['POST', '/api/prompts/m?description=d', 'text'],
      ['POST', '/api/schema', { name: 'm', type: 'JSON', data: {} }],
      ['POST', '/api/registry/service', { name: 'm', type: 'HTTP', serviceURI: 'http://x.org' }],
      ['PUT', '/api/secrets/m', 'value'],
      ['POST', '/api/applications', { name: 'm' }],
    ];
    for (const [method, route, body] of refused) {
      expect([route, await app.status(method, route, body)]).toEqual([route, 403]);
    }
  });
});
