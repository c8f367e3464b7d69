// Human tasks and user forms over the API (contract-admin 10, 11).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient, type ApiAnswer } from '../../../testkit/api-client.js';
import { checkAnswers } from '../../../testkit/api-schemas.js';
import { sharedMortalServer } from '../../support/shared-server.js';
import { until } from '../../../testkit/until.js';
import type { JsonObject } from '../../../testkit/wire.js';

const base = '/api/human';
/** Of all that the file leaves on the server. */
const prefix = 'human_human_tasks_';
const toldName = `${prefix}told`;
const server = sharedMortalServer(import.meta.url);
let api: ApiClient;
let names = 0;

beforeAll(async () => {
  api = new ApiClient(server.url);
  await checkAnswers(api);
  const inline = { name: 'v', taskReferenceName: 'v', type: 'SET_VARIABLE', inputParameters: {} };
  await api.registerWorkflows({ name: toldName, tasks: [inline] });
});
afterAll(() => api.close());

interface Entry {
  taskId: string;
  state: string;
  assignee?: JsonObject;
  claimant?: JsonObject;
  input: {
    __humanTaskProcessContext: { humanTaskActionLogs: JsonObject[] } & JsonObject;
  } & JsonObject;
  output: JsonObject;
  [name: string]: unknown;
}

const user = (id: string): JsonObject => ({ userType: 'EXTERNAL_USER', user: id });
const group = (id: string): JsonObject => ({ userType: 'EXTERNAL_GROUP', user: id });
const chain = (...entries: [JsonObject, number?][]): JsonObject[] =>
  entries.map(([assignee, slaMinutes = 0]) => ({ assignee, slaMinutes }));

/** Starts a workflow of one human task; resolves with the ids. */
async function begin(
  definition: JsonObject | undefined,
  input: JsonObject = {},
  name = `${prefix}${++names}`,
): Promise<{ workflowId: string; taskId: string; name: string }> {
  const inputParameters = {
    ...(definition === undefined ? {} : { __humanTaskDefinition: definition }),
    ...input,
  };
  const task = { name: `${name}_def`, taskReferenceName: 'ask', type: 'HUMAN', inputParameters };
  const workflowId = await api.start({ name, workflowDef: { name, tasks: [task] } } as never);
  const execution = await api.workflow(workflowId);
  return { workflowId, taskId: execution.tasks?.[0]?.taskId as string, name };
}

async function entryOf(taskId: string, query = ''): Promise<Entry> {
  const answer = await api.request('GET', `${base}/tasks/${taskId}${query}`);
  expect(answer.status).toBe(200);
  return answer.body as Entry;
}

async function post(path: string, body?: unknown): Promise<ApiAnswer> {
  return await api.request('POST', `${base}/tasks/${path}`, body);
}

async function search(query: JsonObject): Promise<{ totalHits: number; results: Entry[] }> {
  const answer = await post('search', query);
  expect(answer.status).toBe(200);
  return answer.body as { totalHits: number; results: Entry[] };
}

const actions = (entry: Entry): unknown[] =>
  entry.input.__humanTaskProcessContext.humanTaskActionLogs.map(({ action, state, actedBy }) => [
    action,
    state,
    actedBy,
  ]);

function expectVoid(answer: ApiAnswer): void {
  expect([answer.status, answer.contentType, answer.text]).toEqual([200, '', '']);
}

describe('a human task', () => {
  it('is assigned to the first of its chain, claimed, released and completed', async () => {
    const definition = {
      displayName: 'Check invoice',
      assignments: chain([group('accounting'), 5], [user('boss')]),
    };
    const { workflowId, taskId, name } = await begin(definition, { amount: 12 });
    const first = await entryOf(taskId);
    expect(first).toMatchObject({
      taskId,
      state: 'ASSIGNED',
      displayName: 'Check invoice',
      definitionName: `${name}_def`,
      workflowId,
      workflowName: name,
      taskRefName: 'ask',
      assignee: group('accounting'),
      humanTaskDef: {
        displayName: 'Check invoice',
        assignmentCompletionStrategy: 'LEAVE_OPEN',
        assignments: definition.assignments,
      },
      output: {},
      createdBy: '',
    });
    expect(first.claimant).toBeUndefined();
    expect(first.input).toMatchObject({
      amount: 12,
      _createdBy: '',
      __humanTaskDefinition: definition,
      __humanTaskProcessContext: {
        state: 'ASSIGNED',
        assigneeIndex: 0,
        assignmentsCompleted: false,
        skippedAssigneeIndexes: [],
        humanTaskTriggerLog: [],
      },
    });

    const claimed = await post(`${taskId}/externalUser/kim%40example.org`);
    expect(claimed.body).toMatchObject({
      state: 'IN_PROGRESS',
      assignee: group('accounting'),
      claimant: user('kim@example.org'),
    });
    const twice = await post(`${taskId}/externalUser/lee?overrideAssignment=true`);
    expect(twice.status).toBe(400);
    expectVoid(await post(`${taskId}/release`));
    expect((await post(`${taskId}/release`)).status).toBe(400);
    const released = await entryOf(taskId);
    expect(released).toMatchObject({ state: 'ASSIGNED', assignee: group('accounting') });
    expect(released.claimant).toBeUndefined();
    expect(actions(released)).toEqual([
      ['ASSIGNMENT', 'ASSIGNED', 'system'],
      ['CLAIM', 'IN_PROGRESS', 'EXTERNAL_USER:kim@example.org'],
      ['RELEASE', 'PENDING', 'local'],
      ['ASSIGNMENT', 'ASSIGNED', 'system'],
    ]);

    await post(`${taskId}/externalUser/kim`);
    expectVoid(await post(`${taskId}/update`, { checked: { ok: true }, note: { text: 'a' } }));
    expect(await entryOf(taskId)).toMatchObject({
      state: 'IN_PROGRESS',
      output: { checked: { ok: true }, note: { text: 'a' } },
    });
    expectVoid(await post(`${taskId}/update?complete=true`, { note: { text: 'b' } }));
    const output = { checked: { ok: true }, note: { text: 'b' } };
    const execution = await api.workflow(workflowId);
    expect(execution).toMatchObject({ status: 'COMPLETED', output });
    const done = await entryOf(taskId);
    expect(done).toMatchObject({ state: 'COMPLETED', output, updatedBy: 'local' });
    expect(actions(done).slice(-2)).toEqual([
      ['UPDATE', 'IN_PROGRESS', 'local'],
      ['COMPLETE', 'COMPLETED', 'local'],
    ]);
    for (const path of ['claim', 'release', 'skip', 'update', 'externalUser/x']) {
      expect((await post(`${taskId}/${path}`)).status).toBe(400);
    }
    expect((await post(`${taskId}/reassign`, [])).status).toBe(400);
  });

  it('without a chain is open to everybody', async () => {
    const { workflowId, taskId } = await begin(undefined, { k: 1 });
    const open = await entryOf(taskId);
    expect(open).toMatchObject({ state: 'ASSIGNED', displayName: open['definitionName'] });
    expect(open.assignee).toBeUndefined();
    expect(actions(open)).toEqual([['ASSIGNMENTS_COMPLETED', 'ASSIGNED', 'system']]);
    // Its workflow task is the plain wait of the open-source server.
    const execution = await api.workflow(workflowId);
    expect(execution.tasks?.[0]).toMatchObject({ status: 'IN_PROGRESS', inputData: { k: 1 } });
    expect(execution.tasks?.[0]?.inputData).not.toHaveProperty('__humanTaskProcessContext');
    expect((await post(`${taskId}/skip`)).status).toBe(400);
    const claimed = (await post(`${taskId}/claim`)).body as Entry;
    expect(claimed.claimant).toEqual({ userType: 'CONDUCTOR_USER', user: 'local' });
    expectVoid(await post(`${taskId}/release`));
    expect(actions(await entryOf(taskId)).slice(2)).toEqual([
      ['RELEASE', 'PENDING', 'local'],
      ['ASSIGNMENT', 'ASSIGNED', 'system'],
    ]);
  });

  it('is claimed by somebody else only with override, who then is its assignee', async () => {
    const { taskId } = await begin({ assignments: chain([user('ann')]) });
    expect((await post(`${taskId}/externalUser/bob`)).status).toBe(400);
    expect((await post(`${taskId}/claim`)).status).toBe(400);
    const path = `${taskId}/externalUser/bob?overrideAssignment=true`;
    expect((await post(path)).body).toMatchObject({ assignee: user('bob'), claimant: user('bob') });
  });

  it('is claimed at once for its first assignee with autoClaim, unless that is a group', async () => {
    const auto = { autoClaim: true };
    const one = await begin({ ...auto, assignments: chain([user('ann')]) });
    expect(await entryOf(one.taskId)).toMatchObject({
      state: 'IN_PROGRESS',
      claimant: user('ann'),
    });
    const many = await begin({ ...auto, assignee: group('g') });
    expect(await entryOf(many.taskId)).toMatchObject({ state: 'ASSIGNED', assignee: group('g') });
  });

  it('is skipped along its chain, which may leave it open or end it', async () => {
    const assignments = chain([user('a'), 60], [user('b'), 60]);
    const open = await begin({ assignments });
    expectVoid(await post(`${open.taskId}/skip?reason=ill`));
    expect(await entryOf(open.taskId)).toMatchObject({ assignee: user('b') });
    expectVoid(await post(`${open.taskId}/skip`));
    const left = await entryOf(open.taskId);
    expect(left.assignee).toBeUndefined();
    expect(left.input.__humanTaskProcessContext).toMatchObject({
      assignmentsCompleted: true,
      skippedAssigneeIndexes: [0, 1],
    });
    const strict = await begin({ assignments, assignmentCompletionStrategy: 'TERMINATE' });
    await post(`${strict.taskId}/skip`);
    expectVoid(await post(`${strict.taskId}/skip`));
    expect(await entryOf(strict.taskId)).toMatchObject({ state: 'DELETED' });
    const execution = await api.workflow(strict.workflowId);
    expect(execution.status).toBe('FAILED');
    expect(execution.reasonForIncompletion).toContain(
      'Task terminated as no more assignments pending and completion strategy is TERMINATE',
    );
  });

  it('gets another chain while nobody has claimed it', async () => {
    const { taskId } = await begin({ assignments: chain([user('a')]) });
    expectVoid(await post(`${taskId}/reassign`, chain([group('g'), 3], [user('z')])));
    expect(await entryOf(taskId)).toMatchObject({
      assignee: group('g'),
      humanTaskDef: { assignments: chain([group('g'), 3], [user('z')]) },
    });
    await post(`${taskId}/externalUser/q`);
    expect((await post(`${taskId}/reassign`, chain([user('a')]))).status).toBe(400);
    expect((await post(`${taskId}/reassign`, [{}])).status).toBe(400);
    expect((await post(`${taskId}/reassign`, {})).status).toBe(400);
    await post(`${taskId}/release`);
    for (const [wrong, field] of [
      [chain([user('a'), -1]), '[0].slaMinutes'],
      [[...chain([user('a'), 1]), { assignee: { userType: 'NOBODY', user: 'b' } }], '[1].assignee'],
    ] as const) {
      const answer = await post(`${taskId}/reassign`, wrong);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(field);
    }
    expect((await entryOf(taskId)).assignee).toEqual(group('g'));
  });

  it('is updated by reference, also in a loop, by POST and PUT', async () => {
    const human = { name: 'h', taskReferenceName: 'ask', type: 'HUMAN', inputParameters: {} };
    const loop = {
      name: 'l',
      taskReferenceName: 'l',
      type: 'DO_WHILE',
      loopCondition: '$.l.iteration < 2',
      loopOver: [human],
    };
    const name = `${prefix}${++names}`;
    const id = await api.start({ name, workflowDef: { name, tasks: [loop] } } as never);
    const path = (query: string): string =>
      `${base}/tasks/update/taskRef?workflowId=${id}&taskRefName=ask&${query}`;
    expectVoid(await api.request('POST', path('complete=false'), { a: { v: 1 } }));
    expectVoid(await api.request('PUT', path('complete=true&iteration=1'), { b: { v: 2 } }));
    expectVoid(await api.request('PUT', path('complete=true&iteration=1&iteration=2'), {}));
    const execution = await api.workflow(id);
    expect(execution.status).toBe('COMPLETED');
    expect(execution.tasks?.find((task) => task.referenceTaskName === 'ask__1')).toMatchObject({
      outputData: { a: { v: 1 }, b: { v: 2 } },
    });
    for (const query of [`workflowId=${id}&taskRefName=none`, 'workflowId=none&taskRefName=ask']) {
      expect((await post(`update/taskRef?${query}`, {})).status).toBe(404);
    }
    expect((await post(`update/taskRef?workflowId=${id}`, {})).status).toBe(400);
    expect((await post('update/taskRef?taskRefName=ask', {})).status).toBe(400);
  });

  it('follows what happens to its workflow task by other ways', async () => {
    const completed = await begin({ displayName: 'x' });
    await api.request('POST', `/api/tasks/${completed.workflowId}/ask/COMPLETED`, { by: 'ref' });
    expect(await entryOf(completed.taskId)).toMatchObject({
      state: 'COMPLETED',
      output: { by: 'ref' },
    });
    const terminated = await begin({ displayName: 'x' });
    await api.terminate(terminated.workflowId);
    expect(await entryOf(terminated.taskId)).toMatchObject({ state: 'DELETED' });
    for (const [state, { workflowId }] of [
      ['COMPLETED', completed],
      ['DELETED', terminated],
    ] as const) {
      await until('the index follows', async () => {
        const { results } = await search({ workflowIds: [workflowId], states: [state] });
        return results.length === 1 ? true : undefined;
      });
    }
  });

  it('times out with its task definition', async () => {
    const name = `${prefix}${++names}`;
    await api.registerTasks({
      name: `${name}_def`,
      timeoutSeconds: 1,
      responseTimeoutSeconds: 1,
      timeoutPolicy: 'TIME_OUT_WF',
      retryCount: 0,
    } as never);
    const { taskId, workflowId } = await begin({ displayName: 'x' }, {}, name);
    await api.untilEnd(workflowId);
    expect(await entryOf(taskId)).toMatchObject({ state: 'TIMED_OUT' });
  });

  it('names the business key of its execution, alone, in searches and not in what it triggers', async () => {
    const name = `${prefix}${++names}`;
    const triggers = [
      { triggerType: 'ASSIGNED', startWorkflowRequest: { name: toldName, correlationId: name } },
    ];
    const task = {
      ...{ name: 'ask', taskReferenceName: 'ask', type: 'HUMAN' },
      inputParameters: {
        __humanTaskDefinition: { assignments: chain([user('a')]), taskTriggers: triggers },
      },
    };
    const workflowId = await api.start({
      ...{ name, correlationId: 'order-7', workflowDef: { name, tasks: [task] } },
    } as never);
    const taskId = (await api.workflow(workflowId)).tasks?.[0]?.taskId as string;
    expect(await entryOf(taskId)).toMatchObject({ correlationId: 'order-7' });
    const { results } = await search({ workflowNames: [name] });
    expect(results).toMatchObject([{ taskId, correlationId: 'order-7' }]);
    const told = await until('the workflow told', async () => {
      const path = `/api/workflow/${toldName}/correlated/${name}?includeClosed=true`;
      return ((await api.request('GET', path)).body as { input: JsonObject }[])[0];
    });
    expect(told.input['humanTask']).not.toHaveProperty('correlationId');
  });

  it('starts the workflows of its triggers', async () => {
    const told = (triggerType: string): JsonObject => ({
      triggerType,
      startWorkflowRequest: {
        name: toldName,
        version: 1,
        input: { on: triggerType },
        correlationId: `human-${names}`,
        // No start would take it, and the task does not depend on its triggers.
        priority: 120,
      },
    });
    const types = ['ASSIGNED', 'IN_PROGRESS', 'CLAIMANT_CHANGED', 'ASSIGNEE_CHANGED', 'COMPLETED'];
    const triggers = [
      ...types.map(told),
      { triggerType: 'COMPLETED', startWorkflowRequest: { name: 'no' } },
    ];
    const correlationId = `human-${names}`;
    const { taskId } = await begin({ assignments: chain([user('a')]), taskTriggers: triggers });
    await post(`${taskId}/externalUser/a`);
    await post(`${taskId}/update?complete=true`, {});
    const started = await until('the workflows', async () => {
      const path = `/api/workflow/${toldName}/correlated/${correlationId}?includeClosed=true`;
      const found = (await api.request('GET', path)).body as {
        input: JsonObject;
        priority: number;
      }[];
      return found.length >= types.length ? found : undefined;
    });
    expect(started.map(({ input }) => input['on']).sort()).toEqual([...types].sort());
    expect(started.map(({ priority }) => priority)).toEqual(types.map(() => 0));
    expect(started[0]?.input['humanTask']).toMatchObject({ taskId });
    const log = (await entryOf(taskId)).input.__humanTaskProcessContext['humanTaskTriggerLog'];
    expect((log as { triggerType: string }[]).length).toBe(types.length + 1);
  });

  it('shows the workflow task behind it', async () => {
    const { taskId } = await begin({ displayName: 'x' });
    const answer = await api.request('GET', `${base}/tasks/${taskId}/conductorTask`);
    expect(answer.body).toMatchObject({
      taskId,
      taskType: 'HUMAN',
      status: 'IN_PROGRESS',
      callbackAfterSeconds: 0,
      inputData: { __humanTaskProcessContext: { state: 'ASSIGNED' } },
    });
  });

  it('is forgotten without touching its workflow task', async () => {
    const [one, two, three] = [await begin({}), await begin({}), await begin({})];
    expectVoid(await api.request('DELETE', `${base}/tasks/delete/${one.taskId}`));
    expectVoid(await api.request('DELETE', `${base}/tasks/delete`, [two.taskId, three.taskId]));
    for (const { taskId, workflowId } of [one, two, three]) {
      expect((await api.request('GET', `${base}/tasks/${taskId}`)).status).toBe(404);
      expect((await api.workflow(workflowId)).status).toBe('RUNNING');
    }
  });

  it('that does not exist is refused by its id', async () => {
    const id = '00000000-0000-8000-8000-000000000001';
    for (const each of [id, 'nonsense']) {
      const get = await api.request('GET', `${base}/tasks/${each}`);
      expect([get.status, get.text]).toEqual([404, expect.stringContaining(each)]);
      for (const path of ['claim', 'externalUser/u', 'release', 'skip', 'update']) {
        expect((await post(`${each}/${path}`)).status).toBe(400);
      }
      expect((await post(`${each}/reassign`, [])).status).toBe(400);
      expect((await api.request('GET', `${base}/tasks/${each}/conductorTask`)).status).toBe(400);
      expect((await api.request('GET', `${base}/template/${each}`)).status).toBe(400);
    }
  });

  it('keeps its state through kills, and the index is complete afterwards', async () => {
    const name = `${prefix}${++names}`;
    const started = await Promise.all(
      Array.from({ length: 20 }, () => begin({ assignments: chain([user('kill')]) }, {}, name)),
    );
    await Promise.all(
      started.slice(0, 10).map(({ taskId }) => post(`${taskId}/externalUser/kill`)),
    );
    await server.kill('SIGKILL');
    await server.restart();
    const query = { definitionNames: [`${name}_def`], size: 100 };
    await until('the index', async () => {
      const claimed = await search({ ...query, states: ['IN_PROGRESS'] });
      const open = await search({ ...query, states: ['ASSIGNED'] });
      return claimed.totalHits === 10 && open.totalHits === 10 ? true : undefined;
    });
    for (const { taskId } of started) await post(`${taskId}/update?complete=true`, {});
    await until('the index', async () => {
      const done = await search({ ...query, states: ['COMPLETED'] });
      return done.totalHits === 20 ? true : undefined;
    });
  });
});

describe('the search for human tasks', () => {
  it('finds by facets, texts and fields, in pages', async () => {
    const name = `${prefix}${++names}`;
    const tasks = [];
    for (let i = 0; i < 5; i += 1) {
      const assignments = chain([i < 3 ? user('s-ann') : user('s-bob')]);
      const input = { city: i % 2 === 0 ? 'Rome' : 'Oslo', order: { id: i } };
      tasks.push(await begin({ displayName: `Task ${i}`, assignments }, input, name));
    }
    const [first] = tasks as [(typeof tasks)[0]];
    await post(`${first.taskId}/externalUser/s-ann`);
    await post(`${first.taskId}/update`, { answer: 'wonderful' });
    const here = { workflowNames: [name] };
    const found = async (query: JsonObject): Promise<number> => (await search(query)).totalHits;
    await until('the index', async () =>
      (await found({ ...here, fullTextQuery: 'wonderful' })) === 1 ? true : undefined,
    );
    expect(await found({ ...here })).toBe(5);
    expect(await found({ ...here, states: ['ASSIGNED'] })).toBe(4);
    expect(await found({ ...here, states: ['ASSIGNED', 'IN_PROGRESS'] })).toBe(5);
    expect(await found({ assignees: [user('s-ann')] })).toBe(3);
    expect(await found({ assignees: [user('s-ann'), user('s-bob')] })).toBe(5);
    expect(await found({ assignees: [user('s-*')] })).toBe(5);
    expect(await found({ claimants: [user('s-ann')] })).toBe(1);
    expect(await found({ claimants: [user('s-ann')], states: ['ASSIGNED'] })).toBe(0);
    expect(await found({ definitionNames: [`${name}_def`], assignees: [user('s-bob')] })).toBe(2);
    expect(await found({ ...here, displayNames: ['Task 1', 'Task 2'] })).toBe(2);
    expect(await found({ ...here, taskRefNames: ['ask'], workflowIds: [first.workflowId] })).toBe(
      1,
    );
    expect(await found({ ...here, fullTextQuery: 'rome AND wonderful' })).toBe(1);
    expect(await found({ ...here, fullTextQuery: 'oslo OR wonder*' })).toBe(3);
    expect(await found({ ...here, taskInputQuery: 'city = Rome AND order.id IN (0, 2)' })).toBe(2);
    expect(await found({ ...here, taskInputQuery: "city = 'O*'" })).toBe(2);
    expect(await found({ ...here, taskOutputQuery: 'answer = *ful' })).toBe(1);
    expect(await found({ ...here, updateStartTime: Date.now() + 60_000 })).toBe(0);
    expect(await found({ ...here, states: [], displayNames: [], fullTextQuery: '' })).toBe(5);
    const page = (await post('search', { definitionNames: [`${name}_def`], start: 1, size: 2 }))
      .body;
    expect(page).toMatchObject({ totalHits: 5, hits: 2, start: 1, pageSizeLimit: 2 });
    const { results } = await search({ definitionNames: [`${name}_def`] });
    const times = results.map(({ updatedOn }) => updatedOn as number);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(results[0]).not.toHaveProperty('humanTaskDef');
    const shown = await api.request('GET', `${base}/tasks/getTaskDisplayNames?searchType=ADMIN`);
    expect(shown.body).toEqual(expect.arrayContaining(['Task 0', 'Task 4']));
  });

  it('orders by due time, those without one behind, and follows an upgrade', async () => {
    const name = `${prefix}${++names}`;
    const limits = [0, 30, 10, 20];
    const ids: string[] = [];
    for (const minutes of limits) {
      const assignments = chain([user('due-ann'), minutes]);
      ids.push((await begin({ assignments }, {}, name)).taskId);
    }
    const [never, late, soon, middle] = ids;
    const asked = { assignees: [user('due-ann')], sort: 'dueTime:ASC' };
    const listed = async (more: JsonObject = {}): Promise<string[]> =>
      (await search({ ...asked, ...more })).results.map(({ taskId }) => taskId);
    await until('the index', async () => (await listed()).length === 4 || undefined);
    expect(await listed()).toEqual([soon, middle, late, never]);
    expect(await listed({ start: 1, size: 2 })).toEqual([middle, late]);
    expect(await listed({ definitionNames: [`${name}_def`] })).toEqual([soon, middle, late, never]);
    const { results } = await search({ ...asked, sort: 'updatedOn:DESC' });
    const times = results.map(({ updatedOn }) => updatedOn as number);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    const { createdOn, dueTime } = await entryOf(soon as string);
    expect(dueTime).toBe((createdOn as number) + 10 * 60_000);
    expect(await entryOf(never as string)).not.toHaveProperty('dueTime');

    await api.registerTasks({
      ...{ name: `${name}_def`, timeoutSeconds: 60, responseTimeoutSeconds: 30, retryCount: 0 },
    });
    const task = { name: `${name}_def`, taskReferenceName: 'ask', type: 'HUMAN' };
    await api.registerWorkflows({ name, version: 2, tasks: [task] });
    const { workflowId } = await entryOf(never as string);
    const path = `/api/workflow/${String(workflowId)}/upgrade`;
    expect((await api.request('POST', path, { name, version: 2 })).status).toBe(200);
    await until('the new time', async () => (await listed())[0] === never || undefined);
  });

  it.each([
    ['sort', { sort: 'createdOn:ASC' }],
    ['size', { size: 5000 }],
    ['start', { start: -1 }],
    ['states', { states: ['GONE'] }],
    ['assignees[0].userType', { assignees: [{ userType: 'ALIEN', user: 'u' }] }],
    ['searchType', { searchType: 'ALL' }],
    ['taskInputQuery', { taskInputQuery: 'nonsense' }],
  ])('refuses nonsense by naming %s', async (field, query: JsonObject) => {
    const answer = await post('search', query);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(field) as string]);
  });

  it('needs a search type for display names', async () => {
    const path = `${base}/tasks/getTaskDisplayNames`;
    expect((await api.request('GET', path)).status).toBe(400);
    expect((await api.request('GET', `${path}?searchType=MINE`)).status).toBe(400);
  });
});
