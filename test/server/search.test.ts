import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient, type ApiAnswer } from '../../testkit/api-client.js';
import { ApiSchemas, type ApiDescription } from '../../testkit/api-schemas.js';
import { startServer, type RunningServer } from '../../testkit/server.js';

interface Found {
  totalHits: number;
  results: Record<string, unknown>[];
  nextCursor?: string;
}

let server: RunningServer;
let api: ApiClient;
let forms: ApiSchemas;
/** Ended ones of `se_done`, oldest first. */
const done: string[] = [];
/** Waiting ones of `se_wait`, oldest first. */
const waiting: string[] = [];

const setVariable = { name: 'v', taskReferenceName: 'v', type: 'SET_VARIABLE' };
const human = { name: 'h', taskReferenceName: 'h', type: 'HUMAN' };

beforeAll(async () => {
  server = await startServer();
  api = new ApiClient(server.url);
  const description = await api.request('GET', '/api-docs.json');
  forms = new ApiSchemas(description.body as ApiDescription);
  const common = { version: 1, ownerEmail: 'a@b.co', schemaVersion: 2, timeoutSeconds: 0 };
  await api.registerWorkflows(
    { ...common, name: 'se_done', tasks: [{ ...setVariable, inputParameters: { a: 1 } }] },
    { ...common, name: 'se_wait', tasks: [human] },
  );
  for (let n = 0; n < 5; n++) {
    const start = { correlationId: `done ${n % 2}`, input: { k: n, city: `Town-${n}` } };
    done.push(await api.start({ name: 'se_done', ...start }));
  }
  for (let n = 0; n < 3; n++) {
    waiting.push(await api.start({ name: 'se_wait', correlationId: 'w', priority: n, input: {} }));
  }
});

afterAll(async () => {
  await api.close();
  await server.stop();
});

async function ask(path: string, parameters: Record<string, string | number>): Promise<ApiAnswer> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) query.set(name, String(value));
  const answer = await api.request('GET', `/api/${path}?${query}`);
  forms.check('GET', `/api/${path}`, answer);
  return answer;
}

async function find(
  query: string,
  more: Record<string, string | number> = {},
  path = 'workflow/search',
): Promise<Found> {
  const answer = await ask(path, { query, ...more });
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Found;
}

const idsOf = ({ results }: Found): unknown[] => results.map((each) => each['workflowId']);

describe('GET /api/workflow/search', () => {
  it('answers summaries with the fields that clients know', async () => {
    const found = await find(`workflowId='${done[0]}'`, { freeText: '*', start: 0, size: 5 });
    expect(found.totalHits).toBe(1);
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(found.results[0]).toEqual({
      workflowType: 'se_done',
      version: 1,
      workflowId: done[0],
      correlationId: 'done 0',
      startTime: iso,
      updateTime: iso,
      endTime: iso,
      status: 'COMPLETED',
      input: '{"k":0,"city":"Town-0"}',
      output: '{}',
      inputSize: 23,
      outputSize: 2,
      executionTime: expect.any(Number),
      failedReferenceTaskNames: '',
      failedTaskNames: [],
      priority: 0,
      taskToDomain: {},
      parentWorkflowId: '',
      classifier: 'workflow',
    });
  });

  it.each([
    ["workflowType='se_done'", 5],
    ['workflowType IN (se_done,se_wait)', 8],
    ['workflowType=se_done AND status = RUNNING', 0],
    [' status IN (RUNNING) AND correlationId = "w" ', 3],
    ['status IN (COMPLETED) AND workflowType = se_done', 5],
    ["status = 'NOPE'", 0],
    ['status = RUNNING', 3],
    ['status != COMPLETED', 3],
    ["correlationId = 'done 0'", 3],
    ["correlationId IN ('done 0', 'done 1')", 5],
    ["correlationId = 'done*' AND workflowType = 'se_*'", 5],
    ['priority > 0', 2],
    ['priority >= 0 AND workflowType = se_wait', 3],
    ['priority BETWEEN 1 AND 2', 2],
    ['endTime IS NULL', 3],
    ['endTime IS not null', 5],
    ['workflowType STARTS_WITH se_w', 3],
    ['workflowType = se_done AND (priority = 1 OR version = 1)', 5],
    ['workflowType = se_done OR priority = 2', 6],
    ['input = town-3', 1],
    ['noSuchField = 1', 8],
    ['workflowType = elsewhere', 0],
    ['workflowId = nonsense', 0],
    ['', 8],
  ])('finds with %s', async (query, hits) => {
    const found = await find(query);
    expect(found.totalHits).toBe(hits);
    expect(found.results).toHaveLength(hits);
  });

  it.each([
    ['workflowType:"se_done"', 5],
    ['workflowType:se_done AND "Town-2"', 1],
    ['town-1 town-2', 2],
    ['town*', 5],
    ['se_wait', 3],
    ['nowhere', 0],
    ['', 8],
    ['*', 8],
  ])('finds with the free text %s', async (freeText, hits) => {
    expect((await find('', { freeText })).totalHits).toBe(hits);
  });

  it('knows the window of start times', async () => {
    const first = await api.workflow(done[2] as string);
    const startTime = first['startTime'] as number;
    const query = `workflowType = se_done AND startTime >= ${startTime}`;
    expect((await find(query)).totalHits).toBeGreaterThanOrEqual(3);
    expect(idsOf(await find(query))).toContain(done[2]);
    expect((await find(`startTime < ${startTime - 60_000}`)).totalHits).toBe(0);
  });

  it('gives pages that do not overlap, with the full number of hits', async () => {
    const all = idsOf(await find("workflowType='se_done'"));
    expect([...all].sort()).toEqual([...done].sort());
    const pages = [];
    for (const start of [0, 2, 4]) {
      const page = await find("workflowType='se_done'", { start, size: 2 });
      expect(page.totalHits).toBe(5);
      pages.push(...idsOf(page));
    }
    expect(pages).toEqual(all);
    expect(await find("workflowType='se_done'", { size: 0 })).toEqual({
      totalHits: 5,
      results: [],
    });
    expect(idsOf(await find("workflowType='se_done'", { start: -3, size: 2 }))).toEqual(
      all.slice(0, 2),
    );
  });

  it('goes on with a cursor where it was, whatever starts meanwhile', async () => {
    const query = "workflowType='se_wait'";
    const first = await find(query, { size: 2, cursor: '' });
    expect(idsOf(first)).toEqual([waiting[2], waiting[1]]);
    const late = await api.start({ name: 'se_wait', correlationId: 'late', input: {} });
    const cursor = first.nextCursor as string;
    const second = await find(query, { size: 2, cursor });
    expect(idsOf(second)).toEqual([waiting[0]]);
    expect(second.totalHits).toBe(4);
    expect(second.nextCursor).toBeUndefined();
    expect((await find(query, { size: 2 })).nextCursor).toBeUndefined();
    await api.request('DELETE', `/api/workflow/${late}/remove`);
    const refusals = [
      [{ query: 'status=RUNNING', cursor }, 'cursor: of a search with another query'],
      [{ query, cursor, sort: 'status' }, 'cursor: of a search with another query'],
      [{ query, cursor, start: 2 }, 'start: not together with cursor'],
      [{ query, cursor: 'nonsense' }, 'cursor: not one that a search has answered'],
    ] as const;
    for (const [asked, message] of refusals) {
      const refusal = await ask('workflow/search', { ...asked });
      expect([refusal.status, refusal.text]).toEqual([400, expect.stringContaining(message)]);
    }
  });

  it('leaves payloads out where they are not wanted', async () => {
    const query = `workflowId='${done[0]}'`;
    const [whole] = (await find(query)).results;
    const { input, output, inputSize, outputSize, ...rest } = whole as Record<string, unknown>;
    expect([input, inputSize]).toEqual(['{"k":0,"city":"Town-0"}', 23]);
    expect([typeof output, typeof outputSize]).toEqual(['string', 'number']);
    expect((await find(query, { includePayloads: 'false' })).results).toEqual([rest]);
  });

  it('sorts by any field and ignores unknown ones', async () => {
    const ascending = idsOf(await find('', { sort: 'workflowId:ASC' }));
    expect(ascending).toEqual([...done, ...waiting].sort());
    expect(idsOf(await find('', { sort: 'workflowId:DESC' }))).toEqual(ascending.reverse());
    expect(idsOf(await find('workflowType=se_wait', { sort: 'priority:DESC' }))).toEqual(
      [...waiting].reverse(),
    );
    const byTwo = await find('', { sort: 'workflowType:DESC|priority' });
    expect(idsOf(byTwo).slice(0, 3)).toEqual(waiting);
    expect((await find('', { sort: 'nonsense:DESC' })).totalHits).toBe(8);
  });

  it.each([
    ['workflow/search', 'workflowTyp'],
    ['workflow/search-v2', 'workflowTyp'],
    ['workflow/search-by-tasks', 'taskTyp'],
    ['tasks/search', 'taskTyp'],
    ['tasks/search-v2', 'taskTyp'],
  ])('tells of %s which fields it ignored, or refuses them', async (path, field) => {
    const query = `${field} = se_done AND (other > 1 OR status = COMPLETED)`;
    const lenient = await find(query, {}, path);
    expect(lenient).toMatchObject({ ignoredFields: [field, 'other'] });
    expect(await find('status = COMPLETED', {}, path)).not.toHaveProperty('ignoredFields');
    const strict = await ask(path, { query, strictFields: 'true' });
    expect(strict.status).toBe(400);
    expect(strict.body).toMatchObject({
      message: `There is no field ${field} to search by. Did you mean ${field}e?`,
    });
    const known = await ask(path, { query: 'status = COMPLETED', strictFields: 'true' });
    expect(known.status).toBe(200);
  });

  it('refuses what is no query and a page that is too large', async () => {
    const garbage = await ask('workflow/search', { query: '((' });
    expect(garbage.status).toBe(400);
    expect(garbage.body).toMatchObject({ message: 'Incorrectly formatted query string: ((' });
    for (const [path, name] of [
      ['workflow/search', 'searchWorkflows'],
      ['workflow/search-v2', 'searchWorkflowsV2'],
    ] as const) {
      const large = await ask(path, { size: 5001 });
      expect(large.status).toBe(400);
      expect(large.body).toEqual({
        status: 400,
        message: 'Validation failed, check below errors for detail.',
        retryable: false,
        validationErrors: [
          {
            path: `${name}.arg1`,
            message: 'Cannot return more than 5000 workflows. Please use pagination.',
            invalidValue: '5001',
          },
        ],
      });
    }
    expect((await ask('workflow/search', { size: 5000 })).status).toBe(200);
    expect((await ask('tasks/search', { size: 5001 })).status).toBe(200);
  });

  it('sees a write at once, in any status, and forgets what is removed', async () => {
    const id = await api.start({ name: 'se_wait', input: {} });
    const query = (status: string): string =>
      `workflowType = se_wait AND status = ${status} AND workflowId = '${id}'`;
    expect((await find(query('RUNNING'))).totalHits).toBe(1);
    await api.ask('PUT', `/api/workflow/${id}/pause`);
    expect((await find(query('RUNNING'))).totalHits).toBe(0);
    expect((await find('status = PAUSED')).totalHits).toBe(1);
    await api.ask('PUT', `/api/workflow/${id}/resume`);
    expect((await find('status = PAUSED')).totalHits).toBe(0);
    await api.terminate(id, 'over and out');
    expect((await find('status = TERMINATED')).totalHits).toBe(1);
    expect(idsOf(await find('', { freeText: '"over and out"' }))).toEqual([id]);
    await api.ask('DELETE', `/api/workflow/${id}/remove`);
    expect((await find('status = TERMINATED')).totalHits).toBe(0);
    expect((await find(`workflowId = '${id}'`)).totalHits).toBe(0);
  });
});

describe('the other searches', () => {
  it('search-v2 answers whole executions with their tasks', async () => {
    const found = await find(
      'workflowType IN (se_done) AND status IN (COMPLETED)',
      {},
      'workflow/search-v2',
    );
    expect(found.totalHits).toBe(5);
    expect(found.results[0]).toMatchObject({
      workflowName: 'se_done',
      tasks: [{ taskType: 'SET_VARIABLE' }],
      workflowDefinition: { name: 'se_done' },
    });
  });

  it('tasks/search answers summaries of tasks', async () => {
    const found = await find(`workflowId = '${done[1]}'`, {}, 'tasks/search');
    expect(found.totalHits).toBe(1);
    expect(found.results[0]).toMatchObject({
      workflowId: done[1],
      workflowType: 'se_done',
      taskType: 'SET_VARIABLE',
      taskDefName: 'v',
      referenceTaskName: 'v',
      taskReferenceName: 'v',
      status: 'COMPLETED',
      correlationId: 'done 1',
      input: '{"a":1}',
      output: '{}',
      workflowPriority: 0,
    });
  });

  it.each([
    ["workflowType='se_done'", 5],
    ['taskType = HUMAN AND status = IN_PROGRESS', 3],
    ['status IN (SCHEDULED, IN_PROGRESS)', 3],
    ["taskDefName = 'v' AND correlationId = 'done 0'", 3],
    ['taskType = HUMAN AND endTime IS NULL', 3],
    ['', 8],
  ])('tasks/search finds with %s', async (query, hits) => {
    expect((await find(query, {}, 'tasks/search')).totalHits).toBe(hits);
    const v2 = await find(query, { size: 2 }, 'tasks/search-v2');
    expect(v2.totalHits).toBe(hits);
    expect(v2.results[0]).toHaveProperty('inputData');
  });

  it('tasks/search finds a task by its id', async () => {
    const [task] = (await api.workflow(waiting[0] as string)).tasks;
    const found = await find(`taskId = '${task?.taskId}'`, {}, 'tasks/search');
    expect(found.results).toMatchObject([{ taskId: task?.taskId, workflowId: waiting[0] }]);
  });

  it('search-by-tasks answers the executions that own the tasks', async () => {
    const found = await find(
      'taskType = HUMAN',
      { sort: 'workflowId' },
      'workflow/search-by-tasks',
    );
    expect(found.totalHits).toBe(3);
    expect(idsOf(found)).toEqual([...waiting].sort());
    expect(found.results[0]).toHaveProperty('executionTime');
    const full = await find('taskType = HUMAN', {}, 'workflow/search-by-tasks-v2');
    expect(full.results[0]).toHaveProperty('tasks');
  });
});
