// Requests that are unusual or wrong, against a started server: what is taken leniently, what is
// refused, and with which words (contract-core 1.1, 1.2, 2, 6.4, 10.1, 11, 15.1, 17.2, 18.5).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient, type ApiAnswer } from '../../testkit/api-client.js';
import { sharedServer } from '../support/shared-server.js';
import type { JsonObject } from '../../testkit/wire.js';

const server = sharedServer(import.meta.url);
let api: ApiClient;

beforeAll(async () => {
  api = new ApiClient(server.url);
  await api.registerTasks({ name: 'odd_requests_work', retryCount: 0 });
  await api.registerWorkflows({ name: 'odd_requests_one', tasks: [work('a')] });
});

afterAll(async () => {
  await api.close();
});

const work = (ref: string): { name: string; taskReferenceName: string } => ({
  name: 'odd_requests_work',
  taskReferenceName: ref,
});
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
interface Row {
  what: string;
  ask: [Method, string, unknown?];
  status: number;
  /** Part of the JSON body, or the whole text. */
  body?: JsonObject | string;
}

/** The one violation of a 400. */
const violation = (path: string, message: string, invalidValue?: string): JsonObject => ({
  message: 'Validation failed, check below errors for detail.',
  validationErrors: [{ path, message, ...(invalidValue === undefined ? {} : { invalidValue }) }],
});
const inline = (task: JsonObject): JsonObject => ({
  name: 'odd_requests_odd',
  tasks: [{ name: 't', taskReferenceName: 't', ...task }],
});
const cases = (type: string, of: JsonObject): JsonObject => inline({ type, ...of });

const rows: Row[] = [
  {
    what: 'an unknown path is 404 with its name',
    ask: ['GET', '/api/nope'],
    status: 404,
    body: { message: 'No static resource api/nope.', retryable: false },
  },
  {
    what: 'a wrong verb is 405',
    ask: ['DELETE', '/api/metadata/taskdefs'],
    status: 405,
    body: { message: "Request method 'DELETE' is not supported" },
  },
  { what: 'a trailing slash changes nothing', ask: ['GET', '/api/version/'], status: 200 },
  { what: 'a broken escape is refused', ask: ['GET', '/api/tasks/%zz'], status: 400 },
  {
    what: 'an escaped slash stays inside its segment',
    ask: ['GET', '/api/metadata/taskdefs/a%2Fb'],
    status: 404,
    body: { message: 'No such taskType found by name: a/b' },
  },
  {
    what: 'a query value that is no number is refused',
    ask: ['GET', '/api/metadata/workflow/odd_requests_one?version=abc'],
    status: 400,
    body: { message: "Parameter 'version' is not a number: 'abc'" },
  },
  {
    what: 'a query value may be the largest integer of 64 bits',
    ask: ['GET', '/api/workflow/running/nobody?startTime=1&endTime=9223372036854775807'],
    status: 200,
  },
  {
    what: 'a query value beyond its 32 bits is refused',
    ask: ['GET', '/api/metadata/workflow/odd_requests_one?version=9223372036854775807'],
    status: 400,
    body: { message: "Parameter 'version' is not a number: '9223372036854775807'" },
  },
  {
    what: 'a page far behind the last one is empty',
    ask: ['GET', '/api/workflow/search?start=2147483647&size=10'],
    status: 200,
    body: { results: [] },
  },
  {
    what: 'a domain may not be of any length',
    ask: ['GET', `/api/tasks/poll/odd_requests_one?domain=${'d'.repeat(1001)}`],
    status: 400,
    body: { message: 'domain is longer than 1000 characters' },
  },
  {
    what: 'an empty query value is none',
    ask: ['GET', '/api/metadata/workflow/odd_requests_one?version='],
    status: 200,
  },
  {
    what: 'a missing required parameter is refused',
    ask: ['GET', '/api/tasks/queue/size'],
    status: 400,
    body: { message: "Required request parameter 'taskType' is not present" },
  },
  {
    what: 'a missing body is refused',
    ask: ['POST', '/api/workflow'],
    status: 400,
    body: { message: 'Required request body is missing' },
  },
  {
    what: 'a version that is no number is refused in a path too',
    ask: ['POST', '/api/workflow/execute/odd_requests_one/1e0', {}],
    status: 400,
    body: { message: "Parameter 'version' is not a number: '1e0'" },
  },
  {
    what: 'a null name shows no rejected value',
    ask: ['POST', '/api/workflow', { name: null }],
    status: 400,
    body: violation('startWorkflow.arg0.name', 'Workflow name cannot be null or empty'),
  },
  {
    what: 'an empty name shows it',
    ask: ['POST', '/api/workflow', { name: '' }],
    status: 400,
    body: violation('startWorkflow.arg0.name', 'Workflow name cannot be null or empty', ''),
  },
  {
    what: 'a key that is there with null counts as there',
    ask: [
      'POST',
      '/api/metadata/workflow/validate',
      inline({ type: 'HTTP', inputParameters: { http_request: null } }),
    ],
    status: 200,
  },
  {
    what: 'an expression without a path is refused',
    ask: ['POST', '/api/metadata/workflow/validate', inline({ inputParameters: { v: '${}' } })],
    status: 400,
    body: violation('validateWorkflowDef.arg0', 'key: v input parameter value:  is not valid'),
  },
  {
    what: 'version 0 is no word for the latest in a start',
    ask: ['POST', '/api/workflow', { name: 'odd_requests_one', version: 0 }],
    status: 404,
    body: { message: 'No such workflow defined. name=odd_requests_one, version=0' },
  },
  {
    what: 'nor in a start by name',
    ask: ['POST', '/api/workflow/odd_requests_one?version=0', {}],
    status: 404,
    body: { message: 'No such workflow found by name: odd_requests_one, version: 0' },
  },
  {
    what: 'but in the path of execute',
    ask: ['POST', '/api/workflow/execute/odd_requests_one/0?waitForSeconds=1', {}],
    status: 200,
    body: { targetWorkflowStatus: 'RUNNING' },
  },
  {
    what: 'a blank name names nothing',
    ask: ['POST', '/api/workflow', { name: ' ' }],
    status: 400,
    body: { message: 'Workflow name must be specified when searching for a definition' },
  },
  {
    what: 'a null input is refused',
    ask: ['POST', '/api/workflow', { name: 'odd_requests_one', input: null }],
    status: 400,
    body: { message: 'NULL input passed when starting workflow' },
  },
  {
    what: 'texts count as numbers, numbers as texts',
    ask: [
      'POST',
      '/api/workflow',
      { name: 'odd_requests_one', version: '1', priority: '5', correlationId: 7 },
    ],
    status: 200,
  },
  {
    what: 'an object in place of a text is refused',
    ask: ['POST', '/api/workflow', { name: {} }],
    status: 400,
    body: { message: 'name must be a text' },
  },
  {
    what: 'an unknown word of an enumeration is refused',
    ask: ['POST', '/api/metadata/taskdefs', [{ name: 'e', retryLogic: 'fixed' }]],
    status: 400,
  },
  {
    what: 'a null among definitions is refused',
    ask: ['PUT', '/api/metadata/workflow', [null]],
    status: 400,
    body: violation('updateWorkflowDef.arg0[0]', 'WorkflowDef cannot be null'),
  },
  {
    what: 'no definitions at all are refused',
    ask: ['PUT', '/api/metadata/workflow', []],
    status: 400,
    body: violation('updateWorkflowDef.arg0', 'WorkflowDefList is empty'),
  },
  {
    what: 'decision cases that are empty are refused',
    ask: ['POST', '/api/metadata/workflow/validate', cases('DECISION', { caseValueParam: 'k' })],
    status: 400,
    body: violation(
      'validateWorkflowDef.arg0.tasks[0]',
      'decisionCases should have atleast one task for taskType: DECISION taskName: t',
    ),
  },
  {
    what: 'ids of a bulk request may be numbers',
    ask: ['PUT', '/api/workflow/bulk/pause', [7, null]],
    status: 200,
    body: {
      bulkErrorResults: {
        '7': 'No such workflow found by id: 7',
        '': 'WorkflowId cannot be null or empty.',
      },
      bulkSuccessfulResults: [],
    },
  },
  {
    what: 'too many ids of a bulk request are refused',
    ask: ['PUT', '/api/workflow/bulk/pause', Array.from({ length: 1001 }, () => 'x')],
    status: 400,
    body: violation(
      'pauseWorkflow.arg0',
      'Cannot process more than 1000 workflows. Please use multiple requests.',
    ),
  },
  {
    what: 'a poll may not wait longer than 5 seconds',
    ask: ['GET', '/api/tasks/poll/batch/none?timeout=5001'],
    status: 400,
    body: { message: 'Long Poll Timeout value cannot be more than 5 seconds' },
  },
  {
    what: 'no size means no task',
    ask: ['GET', '/api/tasks/poll/batch/odd_requests_work?count=0'],
    status: 200,
    body: '[]',
  },
  {
    what: 'a report without a status is refused',
    ask: ['POST', '/api/tasks', { workflowInstanceId: 'x', taskId: 'y' }],
    status: 400,
  },
  {
    what: 'a status that no worker reports is refused',
    ask: [
      'POST',
      '/api/tasks/update-v2',
      { workflowInstanceId: 'x', taskId: 'y', status: 'SKIPPED' },
    ],
    status: 400,
  },
  {
    what: 'a search that cannot be read is refused',
    ask: ['GET', '/api/workflow/search?query=(('],
    status: 400,
    body: { message: 'Incorrectly formatted query string: ((' },
  },
];

describe('an odd request', () => {
  it.each(rows)('$what', async ({ ask: [method, path, body], status, body: wanted }) => {
    const answer = await api.request(method, path, body);
    expect([answer.status, answer.text]).toEqual([status, expect.anything()]);
    if (typeof wanted === 'string') expect(answer.text).toBe(wanted);
    else if (wanted !== undefined) expect(answer.body).toMatchObject(wanted);
    if (status >= 400) expectErrorForm(answer);
  });

  it.each(['application/json', 'text/plain', 'application/json; charset=utf-8', 'x'])(
    'is JSON with the content type %s, also behind a byte order mark',
    async (type) => {
      for (const mark of ['', '\ufeff']) {
        const answer = await fetch(`${server.url}/api/workflow`, {
          method: 'POST',
          headers: { 'content-type': type },
          body: `${mark}{"name":"odd_requests_one"}`,
        });
        expect([answer.status, (await answer.text()).length]).toEqual([200, 36]);
      }
    },
  );

  it('whose decision cases are null misses them', async () => {
    const def = cases('SWITCH', {
      evaluatorType: 'value-param',
      expression: 'k',
      decisionCases: null,
    });
    const answer = await api.request('POST', '/api/metadata/workflow/validate', def);
    const { validationErrors } = answer.body as { validationErrors: { message: string }[] };
    expect(validationErrors.map(({ message }) => message)).toEqual([
      'decisionCases field is required for taskType: SWITCH taskName: t',
      'decisionCases should have atleast one task for taskType: SWITCH taskName: t',
    ]);
  });
});

/** Contract-core 2.1. */
function expectErrorForm(answer: ApiAnswer): void {
  expect(answer.contentType).toBe('application/json');
  const body = answer.body as JsonObject;
  expect(body['status']).toBe(answer.status);
  expect(typeof body['message']).toBe('string');
  expect(body['retryable']).toBe(false);
  expect('instance' in body).toBe(!('validationErrors' in body));
}

describe('a report of a task', () => {
  it('takes the place of all that was reported before', async () => {
    await api.start({ name: 'odd_requests_one', version: 1, input: {} });
    const [task] = await api.poll('odd_requests_work', { workerId: 'w1' });
    const { workflowInstanceId, taskId } = task as { workflowInstanceId: string; taskId: string };
    const ids = { workflowInstanceId, taskId };
    await api.ask('POST', '/api/tasks', {
      ...ids,
      status: 'IN_PROGRESS',
      workerId: 'w2',
      subWorkflowId: 'elsewhere',
      reasonForIncompletion: 'not yet',
      outputData: { a: 1 },
    });
    const before = (await api.ask('GET', `/api/tasks/${taskId}`)).body;
    expect(before).toMatchObject({
      workerId: 'w2',
      subWorkflowId: 'elsewhere',
      reasonForIncompletion: 'not yet',
    });
    await api.ask('POST', '/api/tasks', { ...ids, status: 'COMPLETED', outputData: { b: 2 } });
    const after = (await api.ask('GET', `/api/tasks/${taskId}`)).body as JsonObject;
    expect(after).toMatchObject({ status: 'COMPLETED', outputData: { b: 2 } });
    for (const gone of ['workerId', 'subWorkflowId', 'reasonForIncompletion']) {
      expect(after).not.toHaveProperty(gone);
    }
  });
});

describe('an execution with a definition of its own', () => {
  it('is found by those who look for pending tasks', async () => {
    const tasks = [{ name: 'odd_requests_own_type', taskReferenceName: 'x' }];
    const id = await api.start({
      name: 'odd_requests_own',
      version: 1,
      input: {},
      workflowDef: { name: 'odd_requests_own', tasks },
    } as never);
    const pending = (await api.ask('GET', '/api/admin/task/odd_requests_own_type'))
      .body as JsonObject[];
    expect(pending.map((each) => each['workflowInstanceId'])).toEqual([id]);
    expect((await api.ask('POST', '/api/tasks/queue/requeue/odd_requests_own_type')).text).toBe(
      '0',
    );
  });
});

describe('a rerun from a task of a sub-workflow', () => {
  it('gives input and correlation id to the execution that was named, the task input to the task', async () => {
    await api.registerWorkflows(
      { name: 'odd_requests_below', tasks: [work('c')] },
      {
        name: 'odd_requests_above',
        tasks: [
          {
            name: 's',
            taskReferenceName: 's',
            type: 'SUB_WORKFLOW',
            inputParameters: { v: '${workflow.input.v}' },
            subWorkflowParam: { name: 'odd_requests_below', version: 1 },
          },
        ],
      },
    );
    const id = await api.start({ name: 'odd_requests_above', version: 1, input: { v: 1 } });
    const { subWorkflowId } = (await api.untilTask(id, 's', 'IN_PROGRESS')) as unknown as {
      subWorkflowId: string;
    };
    const task = await api.untilTask(subWorkflowId, 'c', 'SCHEDULED');
    await api.update({ workflowInstanceId: subWorkflowId, taskId: task.taskId, status: 'FAILED' });
    expect((await api.untilEnd(id)).status).toBe('FAILED');
    const again = {
      reRunFromTaskId: task.taskId,
      taskInput: { t: 1 },
      workflowInput: { v: 2 },
      correlationId: 'again',
    };
    expect((await api.ask('POST', `/api/workflow/${id}/rerun`, again)).text).toBe(id);
    expect(await api.workflow(id)).toMatchObject({
      status: 'RUNNING',
      input: { v: 2 },
      correlationId: 'again',
      reRunFromWorkflowId: id,
    });
    const child = await api.workflow(subWorkflowId);
    expect(child).toMatchObject({ status: 'RUNNING', input: { v: 1 } });
    expect(child.tasks[0]).toMatchObject({ taskId: task.taskId, inputData: { t: 1 } });
    const found = await api.ask('GET', '/api/workflow/odd_requests_above/correlated/again');
    expect((found.body as JsonObject[]).map((each) => each['workflowId'])).toEqual([id]);
    await api.update({
      workflowInstanceId: subWorkflowId,
      taskId: task.taskId,
      status: 'COMPLETED',
    });
    expect((await api.untilEnd(id)).status).toBe('COMPLETED');
  });
});

describe('an answer', () => {
  it('that would be too long is refused before it is made', async () => {
    const id = await api.start({
      name: 'odd_requests_one',
      version: 1,
      input: { x: 'a'.repeat(9 * 1024 ** 2) },
    });
    const ids = Array.from({ length: 1000 }, () => id);
    const answer = await api.request('POST', '/api/workflow/bulk/search', ids);
    expect([answer.status, answer.body]).toMatchObject([
      400,
      {
        message: expect.stringMatching(/^The answer would be longer than \d+ characters/) as string,
      },
    ]);
    expect((await api.request('POST', '/api/workflow/bulk/search', [id])).status).toBe(200);
  });
});

describe('a log', () => {
  it('keeps of each line what leaves it readable', async () => {
    const id = await api.start({ name: 'odd_requests_one', version: 1, input: {} });
    const { taskId } = await api.untilTask(id, 'a', 'SCHEDULED');
    const lines = ['first', 'x'.repeat(3_000_000), 'last'];
    for (const line of lines) await api.ask('POST', `/api/tasks/${taskId}/log`, line);
    await api.update({
      workflowInstanceId: id,
      taskId,
      status: 'IN_PROGRESS',
      logs: [{ log: 'y'.repeat(200_000), createdTime: 1 }],
    });
    const answer = await api.ask('GET', `/api/tasks/${taskId}/log`);
    const logs = (answer.body as { log: string }[]).map(({ log }) => [log.length, log.slice(-20)]);
    expect(logs).toEqual([
      [100_000 + 23, 'y... (200000 characters)'.slice(-20)],
      [5, 'first'],
      [100_000 + 24, 'x... (3000000 characters)'.slice(-20)],
      [4, 'last'],
    ]);
  });
});
