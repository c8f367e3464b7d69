import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { sharedMortalServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';
import type { TaskConfig, WireWorkflow } from '../../testkit/wire.js';

const server = sharedMortalServer(import.meta.url);
let api: ApiClient;
let stub: http.Server;
let base: string;
const keys: string[] = [];
const held: http.ServerResponse[] = [];
/** Answers to /flaky before it succeeds. */
let failures = 0;

beforeAll(async () => {
  stub = http.createServer((request, response) => {
    keys.push(String(request.headers['idempotency-key']));
    if (request.url === '/hold') {
      held.push(response);
      return;
    }
    const status = request.url === '/flaky' && failures-- > 0 ? 503 : 200;
    response.writeHead(status, { 'Content-Type': 'application/json' }).end('{"answer":42}');
  });
  await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
  api = new ApiClient(server.url);
});

afterAll(async () => {
  for (const response of held) response.destroy();
  await api.close();
  await new Promise((resolve) => stub.close(resolve));
});

async function start(
  name: string,
  tasks: TaskConfig[],
  input: { [key: string]: unknown } = {},
): Promise<string> {
  await api.registerWorkflows({
    name,
    version: 1,
    ownerEmail: 'a@b.co',
    schemaVersion: 2,
    timeoutSeconds: 0,
    tasks,
  });
  return api.start({ name, version: 1, input });
}

function ended(id: string): Promise<WireWorkflow> {
  return api.untilWorkflow(id, (workflow) => workflow.status !== 'RUNNING');
}

function httpTask(ref: string, path: string, more: { [key: string]: unknown } = {}): TaskConfig {
  return {
    name: ref,
    taskReferenceName: ref,
    type: 'HTTP',
    inputParameters: { http_request: { uri: base + path, method: 'GET' } },
    ...more,
  };
}

describe('HTTP tasks of the server', () => {
  it('run one after the other and hand their answers on', async () => {
    const id = await start('system_tasks_http', [
      httpTask('first', '/a'),
      {
        name: 'second',
        taskReferenceName: 'second',
        type: 'HTTP',
        inputParameters: {
          uri: `${base}/b`,
          method: 'POST',
          body: { from: '${first.output.response.body.answer}' },
        },
      },
    ]);
    const workflow = await ended(id);
    expect(workflow.status).toBe('COMPLETED');
    const [first, second] = workflow.tasks;
    expect(first).toMatchObject({
      taskType: 'HTTP',
      status: 'COMPLETED',
      pollCount: 1,
      inputData: { asyncComplete: false },
      outputData: { response: { statusCode: 200, body: { answer: 42 } } },
    });
    expect(first?.workerId).toBeTruthy();
    expect(first?.startTime).toBeGreaterThan(0);
    expect(second?.inputData).toMatchObject({ body: { from: 42 } });
    expect(keys.slice(-2)).toEqual([`${first?.taskId}:0`, `${second?.taskId}:0`]);
  });

  it('are retried as their definition says, each attempt under its own key', async () => {
    await api.registerTasks({
      name: 'system_tasks_flaky',
      ownerEmail: 'a@b.co',
      retryCount: 2,
      retryDelaySeconds: 0,
      timeoutSeconds: 0,
    });
    failures = 1;
    const id = await start('system_tasks_retry', [
      httpTask('flaky', '/flaky', { name: 'system_tasks_flaky' }),
    ]);
    const workflow = await ended(id);
    expect(workflow.status).toBe('COMPLETED');
    expect(workflow.tasks.map((task) => task.status)).toEqual(['FAILED', 'COMPLETED']);
    expect(workflow.tasks[0]?.reasonForIncompletion).toContain('503 Service Unavailable');
    expect(new Set(keys.slice(-2)).size).toBe(2);
  });

  it('end with their execution, and a slow host does not hold up others', async () => {
    const slow = await start('system_tasks_slow', [
      {
        ...httpTask('slow', '/hold'),
        inputParameters: { uri: `${base}/hold`, method: 'GET', readTimeOut: 60_000 },
      },
    ]);
    await until('the request to the slow host', () => held.length > 0);
    const fast = await start('system_tasks_fast', [httpTask('fast', '/a')]);
    expect((await ended(fast)).status).toBe('COMPLETED');
    const gone = new Promise((resolve) => held[0]?.on('close', resolve));
    await api.terminate(slow);
    await gone;
    expect((await api.workflow(slow)).tasks[0]?.status).toBe('CANCELED');
  });

  it('are run again after the server was killed, under the same key', async () => {
    const before = held.length;
    const id = await start('system_tasks_crash', [
      {
        ...httpTask('slow', '/hold'),
        inputParameters: { uri: `${base}/hold`, method: 'GET', readTimeOut: 60_000 },
      },
    ]);
    await until('the first request', () => held.length > before);
    const first = keys.at(-1);
    await server.kill('SIGKILL');
    await server.restart();
    await until('the repeated request', () => held.length > before + 1);
    expect(keys.at(-1)).toBe(first);
    held.at(-1)?.writeHead(200).end('"late"');
    const workflow = await ended(id);
    expect(workflow.status).toBe('COMPLETED');
    expect(workflow.tasks[0]?.outputData).toMatchObject({ response: { body: 'late' } });
  });
});

describe('EVENT tasks of the server', () => {
  it('complete with what they published', async () => {
    const event = { name: 'e', taskReferenceName: 'e', type: 'EVENT', sink: 'conductor:probe' };
    const id = await start('system_tasks_event', [{ ...event, inputParameters: { m: 1 } }]);
    const workflow = await ended(id);
    expect(workflow.status).toBe('COMPLETED');
    expect(workflow.tasks[0]?.inputData).toEqual({
      m: 1,
      sink: 'conductor:probe',
      asyncComplete: false,
    });
    expect(workflow.tasks[0]?.outputData).toEqual({
      m: 1,
      sink: 'conductor:probe',
      asyncComplete: false,
      workflowInstanceId: id,
      workflowType: 'system_tasks_event',
      workflowVersion: 1,
      correlationId: null,
      taskToDomain: {},
      event_produced: 'conductor:system_tasks_event:probe',
    });
  });

  it('fail for a queue of a broker that nothing connects', async () => {
    const event = { name: 'e', taskReferenceName: 'e', type: 'EVENT', sink: 'kafka:orders' };
    const workflow = await ended(await start('system_tasks_kafka', [event]));
    expect(workflow.status).toBe('FAILED');
    expect(workflow.reasonForIncompletion).toContain('kafka:orders has no queue configuration');
  });
});

describe('tasks about other executions', () => {
  const human = { name: 'h', taskReferenceName: 'h', type: 'HUMAN' };

  it('read, update and terminate them', async () => {
    const reader = await start('system_tasks_human', [human]);
    const updated = await api.start({ name: 'system_tasks_human', version: 1, input: { n: 1 } });
    const id = await start(
      'system_tasks_others',
      [
        {
          name: 'get',
          taskReferenceName: 'get',
          type: 'GET_WORKFLOW',
          inputParameters: { id: '${workflow.input.updated}', includeTasks: true },
        },
        {
          name: 'update',
          taskReferenceName: 'update',
          type: 'UPDATE_TASK',
          inputParameters: {
            taskStatus: 'COMPLETED',
            taskId: '${get.output.tasks[0].taskId}',
            taskOutput: { by: 'task' },
          },
        },
        {
          name: 'end',
          taskReferenceName: 'end',
          type: 'TERMINATE_WORKFLOW',
          inputParameters: {
            workflowId: ['${workflow.input.reader}'],
            terminationReason: 'enough',
          },
        },
      ],
      { updated, reader },
    );
    const workflow = await ended(id);
    expect(workflow.status, workflow.reasonForIncompletion).toBe('COMPLETED');
    const [get, update, end] = workflow.tasks;
    expect(get?.outputData).toMatchObject({ workflowId: updated, status: 'RUNNING' });
    const target = await ended(updated);
    expect(target.status).toBe('COMPLETED');
    expect(target.tasks[0]?.outputData).toEqual({ by: 'task' });
    expect(update?.outputData).toEqual({
      updatedTaskId: target.tasks[0]?.taskId,
      taskOutput: { by: 'task' },
    });
    expect(end?.outputData).toEqual({ terminatedWorkflows: [reader] });
    expect(await api.workflow(reader)).toMatchObject({
      status: 'TERMINATED',
      reasonForIncompletion: 'enough',
    });
  });

  it('fail for an execution that does not exist', async () => {
    const get = { name: 'get', taskReferenceName: 'get', type: 'GET_WORKFLOW' };
    const workflow = await ended(
      await start('system_tasks_none', [{ ...get, inputParameters: { id: 'x' } }]),
    );
    expect(workflow.status).toBe('FAILED');
    expect(workflow.reasonForIncompletion).toContain('No such workflow found by id: x');
  });
});
