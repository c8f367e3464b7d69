// A name is owned once (docs/access.md, "Whose executions"): who registers a name after somebody
// else owns nothing of what was done under it before.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecuredServer, type Method, type Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

let server: SecuredServer;
/** Owns the name first. */
let first: Session;
/** Registers it after that. */
let second: Session;
let stranger: Session;

const work = { name: 'work', taskReferenceName: 'work', type: 'WAIT' };
const inline = (name: string): object => ({ name, workflowDef: { name, tasks: [work] } });

beforeAll(async () => {
  server = await SecuredServer.start({ args: ['--archive'] });
  first = await server.user('first@x.org', ['USER']);
  second = await server.user('second@x.org', ['USER']);
  stranger = await server.user('stranger@x.org', ['USER']);
});
afterAll(() => server.stop());

interface Made {
  readonly id: string;
  readonly taskId: string;
  readonly name: string;
  readonly canary: string;
}

let canaries = 0;

async function executionOf(owner: Session, name: string, request: object): Promise<Made> {
  const canary = `canary${++canaries}`;
  const started = await owner.post('/api/workflow', {
    ...request,
    input: { payload: canary },
    correlationId: `c-${name}`,
  });
  expect([started.status, started.text]).toEqual([200, expect.any(String)]);
  const shown = await server.admin.get(`/api/workflow/${started.text}`);
  return { id: started.text, taskId: shown.body.tasks[0].taskId as string, name, canary };
}

const reads = (made: Made): [Method, string, unknown?][] => [
  ['GET', `/api/workflow/${made.id}`],
  ['GET', `/api/workflow/${made.id}/status`],
  ['GET', `/api/workflow/${made.id}/tasks`],
  ['GET', `/api/workflow/${made.id}/outline`],
  ['GET', `/api/workflow/${made.id}/why`],
  ['GET', `/api/workflow/${made.id}/history`],
  ['GET', `/api/tasks/${made.taskId}`],
];

/** Refused, or an answer that names neither the execution nor its payload. */
async function expectHidden(caller: Session, made: Made): Promise<void> {
  for (const [method, route, body] of reads(made)) {
    expect([route, await caller.status(method, route, body)]).toEqual([route, 403]);
  }
  for (const [method, route, body] of lists(made)) {
    const { text } = await caller.request(method, route, body);
    expect([route, text.includes(made.id), text.includes(made.canary)]).toEqual([
      route,
      false,
      false,
    ]);
  }
}

async function expectShown(caller: Session, made: Made): Promise<void> {
  for (const [method, route, body] of reads(made)) {
    expect([route, await caller.status(method, route, body)]).toEqual([route, 200]);
  }
  for (const [method, route, body] of lists(made)) {
    const { text } = await caller.request(method, route, body);
    expect([route, text.includes(made.id)]).toEqual([route, true]);
  }
}

/** Whatever lists executions, when they may be closed. */
function lists({ id, name, canary }: Made): [Method, string, unknown?][] {
  const byName = encodeURIComponent(`workflowType='${name}'`);
  const byId = encodeURIComponent(`workflowId='${id}'`);
  return [
    ['GET', `/api/workflow/search?query=${byName}&size=100`],
    ['GET', `/api/workflow/search-v2?query=${byName}&size=100`],
    ['GET', `/api/workflow/search?query=${byId}`],
    ['GET', `/api/workflow/search?freeText=${encodeURIComponent(canary)}`],
    ['GET', `/api/tasks/search?query=${byId}`],
    ['GET', `/api/workflow/search-by-tasks?query=${byId}`],
    ['GET', `/api/workflow/${name}/correlated/c-${name}?includeClosed=true`],
    ['POST', `/api/workflow/${name}/correlated?includeClosed=true`, [`c-${name}`]],
  ];
}

const controls = ({ id, taskId }: Made): [Method, string, unknown?][] => [
  ['PUT', `/api/workflow/${id}/pause`],
  ['PUT', `/api/workflow/${id}/resume`],
  ['POST', `/api/workflow/${id}/variables`, { v: 1 }],
  ['POST', `/api/workflow/${id}/messages`, { m: 1 }],
  ['POST', '/api/tasks', { workflowInstanceId: id, taskId, status: 'IN_PROGRESS' }],
  ['POST', `/api/tasks/${taskId}/log`, 'line'],
];

describe('a name that was deleted and registered by somebody else', () => {
  let old: Made;
  beforeAll(async () => {
    await first.post('/api/metadata/workflow', { name: 'moved', tasks: [work] });
    old = await executionOf(first, 'moved', { name: 'moved' });
    await expectShown(first, old);
    expect(await first.status('DELETE', '/api/metadata/workflow/moved/1')).toBe(200);
  });

  it('cannot be taken while executions of others run under it', async () => {
    for (const [method, body] of [
      ['POST', { name: 'moved', tasks: [work] }],
      ['PUT', [{ name: 'moved', tasks: [work] }]],
    ] as const) {
      const refused = await second.request(method, '/api/metadata/workflow', body);
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('moved')]);
    }
    await expectShown(first, old);
  });

  it('leaves the executions to who owned it then', async () => {
    expect(await first.status('DELETE', `/api/workflow/${old.id}`)).toBe(200);
    const def = { name: 'moved', tasks: [work] };
    expect(await second.status('POST', '/api/metadata/workflow', def)).toBe(200);
    await expectHidden(second, old);
    await expectShown(first, old);
    for (const path of ['restart', 'retry', 'rerun']) {
      expect(await second.status('POST', `/api/workflow/${old.id}/${path}`, {})).toBe(403);
    }
    const ids = [old.id];
    const bulk = await second.post('/api/workflow/bulk/restart', ids);
    expect(bulk.body.bulkSuccessfulResults).toEqual([]);
    const job = { action: 'REMOVE', ids };
    const made = await second.post('/api/bulk-jobs', job);
    expect(made.text).not.toContain(`"total":1`);
  });

  it('gives its new owner what begins from then on', async () => {
    const own = await executionOf(second, 'moved', { name: 'moved' });
    await expectShown(second, own);
    await expectHidden(stranger, own);
    expect(await first.status('GET', `/api/workflow/${own.id}`)).toBe(403);
    const version = { name: 'moved', version: 2, tasks: [work] };
    expect(await second.status('POST', '/api/metadata/workflow', version)).toBe(200);
    expect(await second.status('DELETE', '/api/metadata/workflow/moved/1')).toBe(200);
    await expectShown(second, own);
    await server.grant(stranger, 'WORKFLOW_DEF', 'moved', ['READ']);
    await expectShown(stranger, own);
    await expectHidden(stranger, old);
    const running = await second.get('/api/workflow/running/moved');
    expect(running.body).toEqual([own.id]);
  });

  it('runs nothing of the new owner for the old one', async () => {
    const restarted = `/api/workflow/${old.id}/restart?useLatestDefinitions=true`;
    expect(await first.status('POST', restarted)).toBe(403);
    expect(await first.status('POST', `/api/workflow/${old.id}/restart`)).toBe(204);
    await expectHidden(second, old);
    expect(await first.status('DELETE', `/api/workflow/${old.id}`)).toBe(200);
  });
});

describe('a running execution whose name another one has registered', () => {
  it('is not moved to that definition, which those who had the name before would be shown', async () => {
    const def = { name: 'moved_on', tasks: [work] };
    await first.post('/api/metadata/workflow', def);
    await server.grant(stranger, 'WORKFLOW_DEF', 'moved_on', ['READ', 'EXECUTE']);
    const { id } = await executionOf(stranger, 'moved_on', { name: 'moved_on' });
    await first.delete('/api/metadata/workflow/moved_on/1');
    expect(await server.admin.status('POST', '/api/metadata/workflow', def)).toBe(200);
    await server.grant(stranger, 'WORKFLOW_DEF', 'moved_on', ['READ', 'EXECUTE']);
    const upgrade = { name: 'moved_on', version: 1 };
    const route = `/api/workflow/${id}`;
    expect(await stranger.status('POST', `${route}/upgrade`, upgrade)).toBe(403);
    expect(await stranger.status('DELETE', route)).toBe(200);
  });
});

describe('an archived execution', () => {
  it('belongs to whom it belonged to', async () => {
    await first.post('/api/metadata/workflow', { name: 'archived', tasks: [work] });
    const old = await executionOf(first, 'archived', { name: 'archived' });
    await first.delete(`/api/workflow/${old.id}`);
    expect(await first.status('DELETE', `/api/workflow/${old.id}/remove`)).toBe(200);
    await first.delete('/api/metadata/workflow/archived/1');
    const def = { name: 'archived', tasks: [work] };
    expect(await second.status('POST', '/api/metadata/workflow', def)).toBe(200);
    const route = `/api/workflow/${old.id}`;
    const shown = await first.get(route);
    expect(shown.body).toMatchObject({ workflowName: 'archived', status: 'TERMINATED' });
    expect((await server.admin.get(route)).text).not.toContain('nameOwner');
    expect(await second.status('GET', route)).toBe(403);
    const query = encodeURIComponent(`workflowId='${old.id}'`);
    expect((await second.get(`/api/workflow/search?query=${query}`)).text).not.toContain(old.id);
    expect((await first.get(`/api/workflow/search?query=${query}`)).text).toContain(old.id);
    expect(await second.status('DELETE', `${route}/remove`)).toBe(403);
    expect(await first.status('DELETE', `${route}/remove`)).toBe(200);
  });
});

describe('an inline definition', () => {
  let own: Made;
  beforeAll(async () => {
    own = await executionOf(first, 'adhoc', inline('adhoc'));
  });

  it('is shown to its starter and controlled by it', async () => {
    await expectShown(first, own);
    await expectHidden(stranger, own);
    expect((await first.get('/api/workflow/running/adhoc')).body).toEqual([own.id]);
    expect(await stranger.status('GET', '/api/workflow/running/adhoc')).toBe(403);
    for (const [method, route, body] of controls(own)) {
      expect([route, await stranger.status(method, route, body)]).toEqual([route, 403]);
      expect([200, 204]).toContain(await first.status(method, route, body));
    }
  });

  it('stays the starter’s after somebody else has registered the name', async () => {
    const def = { name: 'adhoc', tasks: [work] };
    expect(await second.status('POST', '/api/metadata/workflow', def)).toBe(403);
    expect(await first.status('DELETE', `/api/workflow/${own.id}`)).toBe(200);
    expect(await second.status('POST', '/api/metadata/workflow', def)).toBe(200);
    await expectHidden(second, own);
    await expectShown(first, own);
  });
});

describe('the name of a task that nobody has defined', () => {
  const simple = (name: string): object => ({ name, taskReferenceName: name, type: 'SIMPLE' });
  const started: string[] = [];
  const begin = async (request: object): Promise<void> => {
    const { status, text } = await first.post('/api/workflow', request);
    expect(status).toBe(200);
    started.push(text);
  };
  beforeAll(async () => {
    await first.post('/api/metadata/workflow', { name: 'uses', tasks: [simple('queued')] });
    await begin({ name: 'uses' });
    await begin({ name: 'uses', taskToDomain: { queued: 'd' } });
    await begin({
      name: 'later',
      workflowDef: { name: 'later', tasks: [work, simple('scheduled-later')] },
    });
    await begin({
      name: 'computed',
      input: { task: 'computed-name' },
      workflowDef: {
        name: 'computed',
        tasks: [
          {
            name: 'dynamic',
            taskReferenceName: 'dynamic',
            type: 'DYNAMIC',
            dynamicTaskNameParam: 'task',
            inputParameters: { task: '${workflow.input.task}' },
          },
        ],
      },
    });
  });

  it.each(['queued', 'scheduled-later', 'computed-name'])(
    'is not taken by others while open executions use it: %s',
    async (name) => {
      const refused = await second.post('/api/metadata/taskdefs', [{ name }]);
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining(name)]);
      const poll = `/api/tasks/poll/batch/${name}?count=1&timeout=100`;
      expect(await second.status('GET', poll)).toBe(403);
    },
  );

  it('is registered by who runs the executions, and by others once they have ended', async () => {
    expect(await first.status('POST', '/api/metadata/taskdefs', [{ name: 'queued' }])).toBe(200);
    for (const id of started) await first.delete(`/api/workflow/${id}`);
    // Inline definitions named these two, so nothing that is registered does.
    const names = [{ name: 'scheduled-later' }, { name: 'computed-name' }];
    const left = await until('the queues are empty', async () => {
      const answer = await second.post('/api/metadata/taskdefs', names);
      return answer.status === 200 ? answer : undefined;
    });
    expect(left.status).toBe(200);
  });

  it('is not taken where people have tasks of it', async () => {
    const human = { name: 'approve', taskReferenceName: 'approve', type: 'HUMAN' };
    const { text } = await first.post('/api/workflow', {
      name: 'asks',
      workflowDef: { name: 'asks', tasks: [human] },
    });
    const taskId = await until('the task', async () => {
      const { body } = await server.admin.get(`/api/workflow/${text}`);
      return (body.tasks as { taskId: string }[])[0]?.taskId;
    });
    await until('it is listed', async () => {
      const { status } = await first.get(`/api/human/tasks/${taskId}`);
      return status === 200 || undefined;
    });
    const body = [{ name: 'approve' }];
    expect(await second.status('POST', '/api/metadata/taskdefs', body)).toBe(403);
    await first.delete(`/api/workflow/${text}`);
    expect(await second.status('POST', '/api/metadata/taskdefs', body)).toBe(403);
    expect(await second.status('GET', `/api/human/tasks/${taskId}`)).toBe(403);
    expect(await first.status('POST', '/api/metadata/taskdefs', body)).toBe(200);
  });

  it('is registered by a worker before anything names it', async () => {
    const app = await server.application('worker', ['METADATA_API', 'WORKER']);
    const body = [{ name: 'not-running' }];
    expect(await app.status('POST', '/api/metadata/taskdefs', body)).toBe(200);
    await first.post('/api/metadata/workflow', { name: 'idle', tasks: [simple('not-running')] });
    const poll = '/api/tasks/poll/batch/not-running?count=1&timeout=100';
    expect([200, 204]).toContain(await app.status('GET', poll));
  });
});

describe('a webhook', () => {
  it('wakes nothing that began before its creator had the name', async () => {
    const waits = {
      name: 'waits',
      taskReferenceName: 'waits',
      type: 'WAIT_FOR_WEBHOOK',
      inputParameters: { matches: { id: 'known' } },
    };
    const def = { name: 'hooked', tasks: [waits] };
    await first.post('/api/metadata/workflow', def);
    const { text: old } = await first.post('/api/workflow', { name: 'hooked' });
    await first.delete(`/api/workflow/${old}`);
    await first.delete('/api/metadata/workflow/hooked/1');
    expect(await second.status('POST', '/api/metadata/workflow', def)).toBe(200);
    expect(await first.status('POST', `/api/workflow/${old}/restart`)).toBe(204);
    const { text: own } = await second.post('/api/workflow', { name: 'hooked' });
    const waitsFor = (id: string): Promise<true> =>
      until('it waits', async () => {
        const { body } = await server.admin.get(`/api/workflow/${id}`);
        return body.tasks.at(-1)?.status === 'IN_PROGRESS' || undefined;
      });
    await Promise.all([waitsFor(old), waitsFor(own)]);
    const hook = {
      ...{ id: 'hook', name: 'hook', sourcePlatform: 'Custom', verifier: 'HEADER_BASED' },
      headers: { 'x-key': 'k' },
      receiverWorkflowNamesToVersions: { hooked: 1 },
    };
    expect(await second.status('POST', '/api/metadata/webhook', hook)).toBe(200);
    const call = { id: 'known' };
    await server.nobody.request('POST', '/webhook/hook', call, { 'x-key': 'k' });
    await until('the own one has ended', async () => {
      const { body } = await server.admin.get(`/api/workflow/${own}`);
      return body.status === 'COMPLETED' || undefined;
    });
    // The call's history is written once all that it wakes has been told.
    const [taken] = await until('the history of the call', async () => {
      const { body } = await second.get('/api/metadata/webhook/hook');
      return body.webhookExecutionHistory.length > 0 && body.webhookExecutionHistory;
    });
    expect(taken.workflowIds).toEqual([own]);
    expect((await first.get(`/api/workflow/${old}`)).body.status).toBe('RUNNING');
    await first.delete(`/api/workflow/${old}`);
  });
});

describe('a stream of changes', () => {
  it('shows an execution to those whose it is', async () => {
    const own = await executionOf(first, 'streamed', inline('streamed'));
    const topic = `/api/stream?topics=${encodeURIComponent(`execution:${own.id}`)}`;
    expect(await second.status('GET', topic)).toBe(403);
    const opened = await fetch(server.url + topic, { headers: first.headers });
    expect(opened.status).toBe(200);
    await opened.body?.cancel();
  });
});
