// What the route tests share: one started server with its definitions, calls that note the route
// they lead to, and expectations.
import { afterAll, beforeAll, expect } from 'vitest';
import { Router } from '../../src/api/router.js';
import { allRoutes, type RouteParts } from '../../src/api/routes.js';
import { ApiClient, type ApiAnswer } from '../../testkit/api-client.js';
import { ApiSchemas, type ApiDescription } from '../../testkit/api-schemas.js';
import { sharedServer, type SharedServer } from '../support/shared-server.js';
import type { JsonObject, WireTask } from '../../testkit/wire.js';

/** All are there from `serveRoutes` on. */
export let server: SharedServer;
export let api: ApiClient;
/** Checks each answer against the schema that the server describes. */
export let forms: ApiSchemas;

export const routes = allRoutes({ metadata: {}, state: {} } as unknown as RouteParts);
const router = new Router(routes);
/** Routes that were called, as `METHOD /pattern`. */
export const hit = new Set<string>();

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Sends a request, notes the route that it leads to and checks the answer against its schema. */
export async function ask(method: Method, path: string, body?: unknown): Promise<ApiAnswer> {
  const match = router.find(method, path.split('?')[0] as string);
  if (match.kind === 'found') hit.add(`${method} ${match.endpoint.pattern}`);
  const answer = await api.request(method, path, body);
  forms.check(method, path, answer);
  return answer;
}

export const simple = (
  ref: string,
  over: JsonObject = {},
): { name: string; taskReferenceName: string } => ({
  name: 'routes_work',
  taskReferenceName: ref,
  ...over,
});
export const wait = { name: 'wait', taskReferenceName: 'wait', type: 'WAIT' };
let names = 0;
/** A name that no other test uses. */
export function fresh(stem: string): string {
  return `routes_${stem}_${++names}`;
}
export const unknownId = '00000000-0000-8000-8000-000000000000';

/** Gives the tests of `file`, whose name is `routes`, their server and its definitions. */
export function serveRoutes(file: string): void {
  server = sharedServer(file);
  beforeAll(async () => {
    // A check of the store may walk for 30 s, and looks again 6 s later.
    api = new ApiClient(server.url, { requestTimeoutMs: 50_000 });
    const description = await api.request('GET', '/api-docs.json');
    forms = new ApiSchemas(description.body as ApiDescription);
    await api.registerTasks({ name: 'routes_work', retryCount: 0 });
    await api.registerWorkflows(
      { name: 'routes_chain', tasks: [simple('a'), simple('b')] },
      { name: 'routes_waits', tasks: [wait, { ...wait, taskReferenceName: 'second' }] },
      {
        name: 'routes_outer',
        tasks: [
          {
            name: 's',
            taskReferenceName: 's',
            type: 'SUB_WORKFLOW',
            subWorkflowParam: { name: 'routes_waits' },
          },
        ],
      },
      {
        name: 'routes_inline',
        tasks: [
          {
            name: 'v',
            taskReferenceName: 'v',
            type: 'SET_VARIABLE',
            inputParameters: { k: '${workflow.input.k}' },
          },
        ],
        outputParameters: { k: '${workflow.variables.k}' },
      },
    );
  });
  afterAll(async () => {
    await api.close();
  });
}

/** Starts a chain under a task type of its own, so that tests do not take each other's tasks. */
export async function startChain(): Promise<{ id: string; taskType: string }> {
  const taskType = fresh('work');
  const tasks = ['a', 'b'].map((ref) => ({ name: taskType, taskReferenceName: ref }));
  const id = await api.start({ name: taskType, workflowDef: { name: taskType, tasks } } as never);
  return { id, taskType };
}

export async function pollOne(taskType: string): Promise<WireTask> {
  const [task] = await api.poll(taskType, { timeoutMs: 5000 });
  if (task === undefined) throw new Error(`no task of ${taskType}`);
  return task;
}

export async function failChain(): Promise<{ id: string; taskType: string; task: WireTask }> {
  const { id, taskType } = await startChain();
  const task = await pollOne(taskType);
  await api.update({
    workflowInstanceId: id,
    taskId: task.taskId,
    status: 'FAILED_WITH_TERMINAL_ERROR',
  });
  expect((await api.workflow(id)).status).toBe('FAILED');
  return { id, taskType, task };
}

export function expectEmpty(answer: ApiAnswer, status: 200 | 204 = 200): void {
  expect([answer.status, answer.contentType, answer.text]).toEqual([status, '', '']);
}

export function expectText(answer: ApiAnswer, text: string | RegExp): void {
  expect([answer.status, answer.contentType]).toEqual([200, 'text/plain;charset=UTF-8']);
  if (typeof text === 'string') expect(answer.text).toBe(text);
  else expect(answer.text).toMatch(text);
}

export function expectJson(answer: ApiAnswer): unknown {
  expect([answer.status, answer.contentType]).toEqual([200, 'application/json']);
  return answer.body;
}

export function expectRefusal(answer: ApiAnswer, status: number, message: string | RegExp): void {
  expect(answer.body).toMatchObject({ status, retryable: false });
  expect(answer.status).toBe(status);
  expect((answer.body as { message: string }).message).toMatch(message);
}

export const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
