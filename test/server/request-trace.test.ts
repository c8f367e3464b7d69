// A request id and a trace context travel with the command and with what it leads to.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import { toResult } from '../support/workers.js';
import type { TaskConfig, WireTask } from '../../testkit/wire.js';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const headers = { 'content-type': 'application/json', 'x-request-id': 'req-17', traceparent };

let server: RunningServer;
let api: ApiClient;
let stub: http.Server;
let calls: http.IncomingHttpHeaders[];

beforeAll(async () => {
  stub = http.createServer((request, response) => {
    calls.push(request.headers);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
  const uri = `http://127.0.0.1:${(stub.address() as AddressInfo).port}/`;
  server = await startServer({ args: ['--outbound-allow-inside=true', '--log-level=debug'] });
  api = new ApiClient(server.url);
  const call = (ref: string, more = {}): TaskConfig => ({
    name: ref,
    taskReferenceName: ref,
    type: 'HTTP',
    inputParameters: { http_request: { uri, method: 'GET', ...more } },
  });
  const define = (name: string, tasks: TaskConfig[]): object => ({
    name,
    version: 1,
    schemaVersion: 2,
    ownerEmail: 'trace@downbeat.test',
    tasks,
  });
  const worker = { name: 'trace_work', taskReferenceName: 'work', type: 'SIMPLE' } as const;
  const child: TaskConfig = {
    name: 'child',
    taskReferenceName: 'child',
    type: 'SUB_WORKFLOW',
    subWorkflowParam: { name: 'trace_calls', version: 1 },
  };
  const own = call('own', { headers: { 'X-Request-ID': 'mine' } });
  await api.registerWorkflows(
    define('trace_calls', [call('one'), call('two')]) as never,
    define('trace_child', [child]) as never,
    define('trace_work', [worker, call('after')]) as never,
    define('trace_own', [own]) as never,
  );
});
afterAll(async () => {
  await api.close();
  await server.stop();
  await new Promise((resolve) => stub.close(resolve));
});
beforeEach(() => {
  calls = [];
});

function post(
  path: string,
  body: unknown,
  more: Record<string, string> = headers,
): Promise<Response> {
  return fetch(server.url + path, { method: 'POST', headers: more, body: JSON.stringify(body) });
}

function sent(): { id: unknown; traceparent: unknown }[] {
  return calls.map((call) => ({ id: call['x-request-id'], traceparent: call['traceparent'] }));
}

const given = { id: 'req-17', traceparent };
const none = { id: undefined, traceparent: undefined };

describe('the id and trace context of a request', () => {
  it('go with the calls of the tasks that it leads to, and come back in the answer', async () => {
    const answer = await post('/api/workflow', { name: 'trace_calls', version: 1 });
    expect(answer.headers.get('x-request-id')).toBe('req-17');
    await until('both calls', () => calls.length === 2);
    expect(sent()).toEqual([given, given]);
  });

  it('go over into a sub-workflow', async () => {
    await post('/api/workflow', { name: 'trace_child', version: 1 });
    await until('both calls', () => calls.length === 2);
    expect(sent()).toEqual([given, given]);
  });

  it('are those of the report that led to the call, not those of the start', async () => {
    const first = { ...headers, 'x-request-id': 'the-start' };
    await post('/api/workflow', { name: 'trace_work', version: 1 }, first);
    const [task] = await api.poll('trace_work', { timeoutMs: 5000 });
    await post('/api/tasks', toResult(task as WireTask, { status: 'COMPLETED' }));
    await until('the call', () => calls.length === 1);
    expect(sent()).toEqual([given]);
  });

  it('do not go over to what others have asked for', async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        post(
          '/api/workflow',
          { name: 'trace_calls', version: 1 },
          i % 2 === 0 ? headers : { 'content-type': 'application/json' },
        ),
      ),
    );
    await until('all calls', () => calls.length === 20);
    expect(sent().filter(({ id }) => id === 'req-17')).toHaveLength(10);
    expect(sent().filter(({ id }) => id === undefined)).toEqual(
      Array.from({ length: 10 }, () => none),
    );
  });

  it('leave headers alone that the task itself gives', async () => {
    await post('/api/workflow', { name: 'trace_own', version: 1 });
    await until('the call', () => calls.length === 1);
    expect(sent()).toEqual([{ id: 'mine', traceparent }]);
  });

  it('stand in the log line of a refused command', async () => {
    const answer = await post('/api/workflow', { name: 'trace_unknown', version: 1 });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('x-request-id')).toBe('req-17');
    const line = await until('the line', () =>
      server.output.split('\n').find((text) => text.includes('trace_unknown')),
    );
    const { requestId, kind, subject } = JSON.parse(line) as Record<string, string>;
    expect({ requestId, kind, subject }).toEqual({
      requestId: 'req-17',
      kind: 'not-found',
      subject: 'POST /api/workflow',
    });
    expect(line).toContain(traceparent);
  });

  it('are replaced or left out when they have no proper form', async () => {
    const bad = { ...headers, 'x-request-id': 'a b"c', traceparent: 'x' };
    const answer = await post('/api/workflow', { name: 'trace_calls', version: 1 }, bad);
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    await until('both calls', () => calls.length === 2);
    expect(sent()[0]).toEqual({ id: answer.headers.get('x-request-id'), traceparent: undefined });
  });
});
