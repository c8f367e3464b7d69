// Executions and event handlers read user forms, schemas and messages of integrations by names that
// they give. Rights count when something is read, not when the name was written:
// the thing may come, and rights may end, after that (docs/access.md).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBroker, type RunningBroker } from '../support/brokers/broker.js';
import { redisProgram } from '../support/brokers/programs.js';
import type { Session } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const canary = 'canary-51ab';
const set = { name: 'v', taskReferenceName: 'v', type: 'SET_VARIABLE', inputParameters: {} };

const server = sharedSecuredServer(import.meta.url);
let broker: RunningBroker;
let owner: Session;
/** USER without grants. */
let stranger: Session;

beforeAll(async () => {
  broker = await startBroker(redisProgram);
  owner = await server.user('reads_by_name_owner@x.org', ['USER']);
  stranger = await server.user('reads_by_name_stranger@x.org', ['USER']);
});
afterAll(async () => {
  await broker.stop();
});

async function done(answer: Promise<{ status: number; text: string }>): Promise<string> {
  const { status, text } = await answer;
  expect([status, text]).toEqual([200, text]);
  return text;
}

function inline(by: Session, tasks: object[], more: object = {}): Promise<string> {
  const name = `of-${by.subject.split('@')[0]}`;
  return done(by.post('/api/workflow', { name, workflowDef: { name, tasks, ...more } }));
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function ended(id: string): Promise<any> {
  return await until(`the end of ${id}`, async () => {
    const { body } = await server.admin.get(`/api/workflow/${id}`);
    return body.status === 'RUNNING' ? undefined : body;
  });
}

describe('a user form', () => {
  const human = (form: string, user: string): object => {
    const assignments = [{ assignee: { userType: 'CONDUCTOR_USER', user }, slaMinutes: 0 }];
    const definition = { userFormTemplate: { name: form, version: 0 }, assignments };
    return {
      ...{ name: 'ask', taskReferenceName: 'ask', type: 'HUMAN' },
      inputParameters: { __humanTaskDefinition: definition },
    };
  };
  const save = (name: string): Promise<string> =>
    done(
      owner.post('/api/human/template', {
        ...{ name, version: 1, templateUI: {} },
        jsonSchema: { type: 'object', title: canary, required: ['amount'] },
      }),
    );
  const taskOf = async (by: Session, id: string): Promise<string> => {
    const { body } = await by.get(`/api/workflow/${id}`);
    return body.tasks[0].taskId as string;
  };
  /** All that shows a form, and says what it asks for. */
  async function shown(by: Session, id: string): Promise<string> {
    const taskId = await taskOf(by, id);
    const answers = [
      await by.post(`/api/human/tasks/${taskId}/claim?withTemplate=true`),
      await by.get(`/api/human/tasks/${taskId}?withTemplate=true`),
      await by.get(`/api/human/template/${taskId}`),
      await by.post(`/api/human/tasks/${taskId}/update?complete=true`, { other: 1 }),
    ];
    return answers.map(({ text }) => text).join('\n');
  }

  it('is not read by a HUMAN task of somebody without the right', async () => {
    await save('reads_by_name_claims');
    const id = await inline(stranger, [human('reads_by_name_claims', stranger.subject)]);
    const { status, reasonForIncompletion } = await ended(id);
    const lacked =
      'reads_by_name_stranger@x.org has no READ access on USER_FORM_TEMPLATE reads_by_name_claims';
    expect([status, reasonForIncompletion]).toEqual(['FAILED', expect.stringContaining(lacked)]);
    expect(await shown(stranger, id)).not.toMatch(new RegExp(`${canary}|amount`));
  });

  it('that is saved later is not shown either', async () => {
    const id = await inline(stranger, [human('reads_by_name_later', stranger.subject)]);
    await save('reads_by_name_later');
    expect(await shown(stranger, id)).not.toMatch(new RegExp(`${canary}|amount`));
  });

  it('of a registered definition is shown to whom its author asks', async () => {
    await save('reads_by_name_questions');
    const tasks = [human('reads_by_name_questions', stranger.subject)];
    await done(owner.put('/api/metadata/workflow', [{ name: 'reads_by_name_asks', tasks }]));
    await server.grant(stranger, 'WORKFLOW_DEF', 'reads_by_name_asks', ['READ', 'EXECUTE']);
    const id = await done(stranger.post('/api/workflow', { name: 'reads_by_name_asks' }));
    expect(await shown(stranger, id)).toContain(canary);
  });
});

describe('a schema', () => {
  const schema = (name: string): object => ({ name, version: 1, type: 'JSON' });
  const data = { type: 'object', required: [canary] };
  beforeAll(() => done(owner.post('/api/schema', [{ ...schema('reads_by_name_order'), data }])));
  const lacked = 'reads_by_name_stranger@x.org has no READ access on SCHEMA reads_by_name_order';

  it('checks nothing for somebody without the right, and tells nothing', async () => {
    const checked = { inputSchema: schema('reads_by_name_order'), enforceSchema: true };
    const name = 'reads_by_name_checked';
    const workflowDef = { name, tasks: [set], ...checked };
    const { status, text } = await stranger.post('/api/workflow', { name, workflowDef });
    expect([status, text]).toEqual([400, expect.stringContaining(lacked)]);
    expect(text).not.toContain(canary);
    const taskDef = { name: 'reads_by_name_checked_work', ...checked };
    await done(stranger.post('/api/metadata/taskdefs', [taskDef]));
    const work = { name: 'reads_by_name_checked_work', taskReferenceName: 'work' };
    const forged = { ...work, taskDefinition: { ...taskDef, createdBy: owner.subject } };
    for (const task of [work, forged]) {
      const { reasonForIncompletion } = await ended(await inline(stranger, [task]));
      expect(reasonForIncompletion).toContain(lacked);
      expect(reasonForIncompletion).not.toContain(canary);
    }
  });

  it('that the definition brings along checks in place of a foreign one of that name', async () => {
    const own = { ...schema('reads_by_name_order'), data: { type: 'object', required: ['mine'] } };
    const workflowDef = {
      name: 'reads_by_name_own',
      tasks: [set],
      inputSchema: own,
      enforceSchema: true,
    };
    const refused = await stranger.post('/api/workflow', {
      name: 'reads_by_name_own',
      workflowDef,
    });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("'mine'")]);
    await done(
      stranger.post('/api/workflow', {
        name: 'reads_by_name_own',
        workflowDef,
        input: { mine: 1 },
      }),
    );
  });

  it('of a definition that others may start, and of an open task type, checks as it does', async () => {
    const checked = { inputSchema: schema('reads_by_name_order'), enforceSchema: true };
    await done(
      owner.post('/api/metadata/taskdefs', [{ name: 'reads_by_name_open_work', ...checked }]),
    );
    const def = { name: 'reads_by_name_checking', tasks: [set], ...checked };
    await done(owner.put('/api/metadata/workflow', [def]));
    await server.grant(stranger, 'WORKFLOW_DEF', 'reads_by_name_checking', ['EXECUTE']);
    const { status, text } = await stranger.post('/api/workflow', {
      name: 'reads_by_name_checking',
    });
    expect([status, text]).toEqual([400, expect.stringContaining('does not match the schema')]);
    const work = { name: 'reads_by_name_open_work', taskReferenceName: 'work' };
    const { reasonForIncompletion } = await ended(await inline(stranger, [work]));
    expect(reasonForIncompletion).toContain('does not match the schema');
  });
});

describe('messages of an integration', () => {
  const event = 'redis_stream:reads_by_name_till:sales';
  const sources = async (): Promise<{ handlers: string[]; status: string; reason?: string }[]> =>
    (await server.admin.get('/api/event/queue/source')).body;
  const sourceOf = (handler: string, status: string): Promise<unknown> =>
    until(
      `${handler} to be ${status}`,
      async () =>
        (await sources()).find((each) => each.handlers.includes(handler) && each.status === status),
      { timeoutMs: 40_000 },
    );
  async function handle(by: Session, name: string): Promise<string> {
    const flow = `${name}_flow`;
    await done(by.put('/api/metadata/workflow', [{ name: flow, tasks: [set] }]));
    const start = { name: flow, version: 1, input: { got: '${n}' } };
    const actions = [{ action: 'start_workflow', start_workflow: start }];
    return done(by.post('/api/event', { name, event, active: true, actions }));
  }
  const publish = (): Promise<string> => {
    const tasks = [{ name: 'e', taskReferenceName: 'e', type: 'EVENT', sink: event }];
    return inline(owner, [{ ...tasks[0], inputParameters: { n: canary } }]);
  };
  const startedOf = async (handler: string): Promise<number> => {
    const { body } = await server.admin.get(
      `/api/workflow/search?query=${encodeURIComponent(`workflowType = ${handler}_flow`)}`,
    );
    return body.totalHits as number;
  };

  it('do not go to a handler that was there before, without the right, and do with it', async () => {
    await handle(stranger, 'reads_by_name_early');
    await done(
      owner.post('/api/integrations/provider/reads_by_name_till', {
        ...{ type: 'redis_stream', category: 'MESSAGE_BROKER', enabled: true },
        configuration: broker.configuration,
      }),
    );
    await handle(owner, 'reads_by_name_own');
    await sourceOf('reads_by_name_own', 'CONNECTED');
    expect(await sourceOf('reads_by_name_early', 'UNREACHABLE')).toMatchObject({
      reason:
        'reads_by_name_stranger@x.org has no EXECUTE access on INTEGRATION_PROVIDER reads_by_name_till',
    });
    await ended(await publish());
    await until('what the owner starts', async () => (await startedOf('reads_by_name_own')) === 1);
    const path = `/api/event/message/${encodeURIComponent(event)}?from=0`;
    expect((await owner.get(path)).text).toContain(canary);
    expect((await stranger.get(path)).text).not.toContain(canary);
    expect(await startedOf('reads_by_name_early')).toBe(0);
    await server.grant(stranger, 'INTEGRATION_PROVIDER', 'reads_by_name_till', ['EXECUTE']);
    await sourceOf('reads_by_name_early', 'CONNECTED');
    // What came before waits in the stream for each of its readers.
    await until('what waited', async () => (await startedOf('reads_by_name_early')) === 1);
    const subject = { type: 'USER', id: stranger.subject };
    const target = { type: 'INTEGRATION_PROVIDER', id: 'reads_by_name_till' };
    const grant = { subject, target, access: ['EXECUTE'] };
    await server.admin.delete('/api/auth/authorization', grant);
    await sourceOf('reads_by_name_early', 'UNREACHABLE');
    await ended(await publish());
    await until('what the owner starts', async () => (await startedOf('reads_by_name_own')) === 2);
    expect(await startedOf('reads_by_name_early')).toBe(1);
  });

  it('and its type are told to nobody without the right', async () => {
    const sink = 'kafka:reads_by_name_till:sales';
    const task = { name: 'e', taskReferenceName: 'e', type: 'EVENT', sink };
    const { reasonForIncompletion } = await ended(await inline(stranger, [task]));
    expect(reasonForIncompletion).toContain(
      'no EXECUTE access on INTEGRATION_PROVIDER reads_by_name_till',
    );
    const actions = [{ action: 'terminate_workflow', terminate_workflow: { workflowId: 'x' } }];
    const handler = { name: 'reads_by_name_other_kind', event: sink, active: true, actions };
    expect(await stranger.status('POST', '/api/event', handler)).toBe(403);
  });
});
