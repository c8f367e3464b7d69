// An execution has the rights of its starter as they are at each moment, and a name in a registered
// definition counts while who saved it holds the right (docs/access.md, "What runs in an
// execution's name"). Here rights end between the start and the task that needs them.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const canary = 'canary-of-the-target-4410';
const gate = { name: 'gate', taskReferenceName: 'gate', type: 'WAIT' };
const end = { name: 'end', taskReferenceName: 'end', type: 'NOOP' };

const server = sharedSecuredServer(import.meta.url);
let admin: Session;
/** Starts what others saved. */
let ann: Session;
/** Running execution of the administrator. */
let foreign: string;
let people = 0;

beforeAll(async () => {
  ({ admin } = server);
  ann = await server.user('withdrawn_rights_ann@x.org', ['USER']);
  await define(admin, 'withdrawn_rights_target', [gate]);
  await admin.put('/api/environment/withdrawn_rights_REGION', canary);
  await admin.put('/api/secrets/withdrawn_rights_KEY', canary);
  foreign = await start(admin, { name: 'withdrawn_rights_target', input: { canary } });
});

async function define(by: Session, name: string, tasks: unknown, more = {}): Promise<void> {
  const { status, text } = await by.post('/api/metadata/workflow', { name, tasks, ...more });
  expect([name, status, text]).toEqual([name, 200, expect.anything()]);
}

async function start(by: Session, request: object): Promise<string> {
  const { status, text } = await by.post('/api/workflow', request);
  expect([status, text]).toEqual([200, expect.any(String)]);
  return text;
}

async function withdraw(from: Session, type: string, id: string, access: string[]): Promise<void> {
  const grant = { subject: { type: 'USER', id: from.subject }, target: { type, id }, access };
  expect(await admin.status('DELETE', '/api/auth/authorization', grant)).toBe(200);
}

/** A new user who may save definitions. */
const person = (): Promise<Session> =>
  server.user(`withdrawn_rights_p${String(++people)}@x.org`, ['USER']);

/** Lets the execution pass its gate; the execution as it has ended. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function pass(id: string): Promise<any> {
  const { status, text } = await admin.post(`/api/tasks/${id}/gate/COMPLETED`, {});
  expect(status, text).toBe(200);
  return await ended(id);
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function ended(id: string): Promise<any> {
  return await until(`the end of ${id}`, async () => {
    const { body } = await admin.get(`/api/workflow/${id}`);
    return body.status === 'RUNNING' ? undefined : body;
  });
}

async function executionsOf(name: string): Promise<number> {
  const query = encodeURIComponent(`workflowType = ${name}`);
  return (await admin.get(`/api/workflow/search?query=${query}`)).body.totalHits as number;
}

const task = (type: string, inputParameters: object, more = {}): object => ({
  ...{ name: 'reach', taskReferenceName: 'reach', type, inputParameters, ...more },
});
const child = (name: string): object =>
  task('SUB_WORKFLOW', {}, { subWorkflowParam: { name, version: 1 } });

/** What needs a right of the starter alone, the right, and on what it is. */
const reaches: readonly (readonly [string, () => object, string, string, string])[] = [
  [
    'GET_WORKFLOW',
    () => task('GET_WORKFLOW', { id: foreign }),
    'WORKFLOW_DEF',
    'withdrawn_rights_target',
    'READ',
  ],
  [
    'UPDATE_TASK',
    () =>
      task('UPDATE_TASK', { workflowId: foreign, taskRefName: 'gate', taskStatus: 'COMPLETED' }),
    ...(['WORKFLOW_DEF', 'withdrawn_rights_target', 'EXECUTE'] as const),
  ],
  [
    'TERMINATE_WORKFLOW',
    () => task('TERMINATE_WORKFLOW', { workflowId: [foreign] }),
    ...(['WORKFLOW_DEF', 'withdrawn_rights_target', 'EXECUTE'] as const),
  ],
  [
    'a computed SUB_WORKFLOW',
    () => child('${workflow.input.name}'),
    ...(['WORKFLOW_DEF', 'withdrawn_rights_target', 'EXECUTE'] as const),
  ],
  [
    'a computed START_WORKFLOW',
    () => task('START_WORKFLOW', { startWorkflow: { name: '${workflow.input.name}' } }),
    ...(['WORKFLOW_DEF', 'withdrawn_rights_target', 'EXECUTE'] as const),
  ],
  [
    'an environment variable',
    () => task('SET_VARIABLE', { region: '${workflow.env.withdrawn_rights_REGION}' }),
    ...(['ENV_VARIABLE', 'withdrawn_rights_REGION', 'READ'] as const),
  ],
  [
    'a secret',
    () =>
      task('HTTP', {
        http_request: { uri: 'http://[::1]:1/${workflow.secrets.withdrawn_rights_KEY}' },
      }),
    ...(['SECRET_NAME', 'withdrawn_rights_KEY', 'READ'] as const),
  ],
];

describe('a right of the starter that ends while its execution runs', () => {
  it.each(reaches)('is missing for %s', async (kind, reach, type, id, right) => {
    const name = `withdrawn_rights_${kind.replaceAll(/\W/g, '_')}`;
    await define(admin, name, [gate, reach()]);
    await server.grant(ann, 'WORKFLOW_DEF', name, ['READ', 'EXECUTE']);
    await server.grant(ann, type, id, ['READ', 'EXECUTE']);
    const before = await executionsOf('withdrawn_rights_target');
    const running = await start(ann, { name, input: { name: 'withdrawn_rights_target' } });
    await withdraw(ann, type, id, ['READ', 'EXECUTE']);
    const workflow = await pass(running);
    expect(workflow.status).toBe('FAILED');
    expect(JSON.stringify(workflow)).toMatch(new RegExp(`ann@x.org has no ${right} access on`));
    expect(JSON.stringify(workflow)).not.toContain(canary);
    expect(await executionsOf('withdrawn_rights_target')).toBe(before);
    const { body } = await admin.get(`/api/workflow/${foreign}`);
    expect([body.status, body.tasks[0].status]).toEqual(['RUNNING', 'IN_PROGRESS']);
    // Who retries it, or starts it again, does not lend it rights.
    expect(await admin.status('POST', `/api/workflow/${running}/retry`)).toBe(204);
    expect((await ended(running)).status).toBe('FAILED');
    for (const latest of [false, true]) {
      const route = `/api/workflow/${running}/restart?useLatestDefinitions=${String(latest)}`;
      expect(await admin.status('POST', route)).toBe(204);
      expect((await pass(running)).status).toBe('FAILED');
    }
    expect(await executionsOf('withdrawn_rights_target')).toBe(before);
  });
});

describe('the starter of an inline definition under a name that others own', () => {
  it('runs nothing of theirs by a restart once the right on the name has ended', async () => {
    const name = 'withdrawn_rights_borrowed';
    await define(admin, name, [gate]);
    await server.grant(ann, 'WORKFLOW_DEF', name, ['READ', 'EXECUTE']);
    const own = await start(ann, { name, version: 1, workflowDef: { name, tasks: [gate] } });
    expect(await ann.status('DELETE', `/api/workflow/${own}`)).toBe(200);
    await withdraw(ann, 'WORKFLOW_DEF', name, ['READ', 'EXECUTE']);
    const restart = `/api/workflow/${own}/restart`;
    expect(await ann.status('POST', `${restart}?useLatestDefinitions=true`)).toBe(403);
    expect(await ann.status('POST', restart)).toBe(204);
    expect(await ann.status('DELETE', `/api/workflow/${own}`)).toBe(200);
  });
});

describe('a retry that its parent made unnecessary', () => {
  it('is refused without a word about it to who may not control the execution', async () => {
    const [top, below] = ['withdrawn_rights_top', 'withdrawn_rights_below'];
    await define(admin, below, [gate]);
    await define(admin, top, [child(below)]);
    const parent = await start(admin, { name: top });
    const childOf = async (): Promise<string | undefined> => {
      const { tasks } = (await admin.get(`/api/workflow/${parent}`)).body;
      return (tasks as { subWorkflowId?: string }[]).at(-1)?.subWorkflowId || undefined;
    };
    const old = await until('the child', childOf);
    expect(await admin.status('DELETE', `/api/workflow/${old}`)).toBe(200);
    expect(await admin.status('POST', `/api/workflow/${parent}/retry`)).toBe(204);
    const retry = `/api/workflow/${old}/retry?retryIfRetriedByParent=false`;
    expect(await admin.status('POST', retry)).toBe(409);
    expect(await ann.status('POST', retry)).toBe(403);
    expect(await admin.status('DELETE', `/api/workflow/${parent}`)).toBe(200);
  });
});

describe('an author who loses what the definition names', () => {
  const named: readonly (readonly [string, (name: string) => object])[] = [
    ['SUB_WORKFLOW', (name) => ({ tasks: [gate, child(name)] })],
    [
      'START_WORKFLOW',
      (name) => ({ tasks: [gate, task('START_WORKFLOW', { startWorkflow: { name } })] }),
    ],
    [
      'a fork of one workflow',
      (name) => ({
        tasks: [
          gate,
          task('FORK_JOIN_DYNAMIC', { forkTaskWorkflow: name, forkTaskInputs: [{}] }),
          { name: 'join', taskReferenceName: 'join', type: 'JOIN' },
        ],
      }),
    ],
    [
      'failureWorkflow',
      (name) => ({
        tasks: [gate, task('TERMINATE', { terminationStatus: 'FAILED' })],
        failureWorkflow: name,
      }),
    ],
  ];
  const losses: readonly (readonly [
    string,
    (author: Session, name: string) => Promise<unknown>,
  ])[] = [
    [
      'whose grant is withdrawn',
      (author, name) => withdraw(author, 'WORKFLOW_DEF', name, ['READ', 'EXECUTE', 'UPDATE']),
    ],
    ['who is deleted', (author) => admin.delete(`/api/users/${author.subject}`)],
    [
      'who is deleted and made again',
      async (author) => {
        await admin.delete(`/api/users/${author.subject}`);
        await server.user(author.subject, ['USER']);
      },
    ],
  ];
  const cases = named.flatMap(([kind, def]) =>
    losses.map(([loss, lose]) => ({ kind, def, loss, lose })),
  );
  it.each(cases)('$loss: $kind starts nothing', async ({ def, lose }) => {
    const author = await person();
    const name = `${author.subject.slice(0, -6)}_flow`;
    await define(admin, `${name}_goal`, [end]);
    await server.grant(author, 'WORKFLOW_DEF', `${name}_goal`, ['READ', 'EXECUTE', 'UPDATE']);
    const { tasks, ...more } = def(`${name}_goal`) as { tasks: object[] };
    await define(author, name, tasks, more);
    await server.grant(ann, 'WORKFLOW_DEF', name, ['READ', 'EXECUTE']);
    const allowed = await start(ann, { name });
    await pass(allowed);
    await until(
      'what it starts',
      async () => (await executionsOf(`${name}_goal`)) === 1 || undefined,
    );
    const running = await start(ann, { name });
    await lose(author, `${name}_goal`);
    await pass(running);
    const told = await until('the reason', async () => {
      const { text } = await admin.get(`/api/workflow/${running}`);
      return text.includes('has no EXECUTE access on') ? text : undefined;
    });
    expect(told).toContain(`${name}_goal`);
    expect(await executionsOf(`${name}_goal`)).toBe(1);
  });
});
