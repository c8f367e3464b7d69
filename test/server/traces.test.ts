// The spans of executions, as a receiver of OTLP gets them from a server whose plug-in sends them;
// and the trace context that goes out to workers, calls and what executions start.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { DeliveryReceiver } from '../support/delivery-receiver.js';
import { OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import { toResult } from '../support/workers.js';
import type { TaskConfig, WireTask } from '../../testkit/wire.js';

const callerSpan = '00f067aa0ba902b7';
let receiver: OtlpReceiver;
let deliveries: DeliveryReceiver;
let server: RunningServer;
let api: ApiClient;
let stub: http.Server;
let calls: http.IncomingHttpHeaders[] = [];

function define(name: string, tasks: TaskConfig[], more = {}): never {
  return {
    name,
    version: 1,
    schemaVersion: 2,
    ownerEmail: 't@downbeat.test',
    tasks,
    ...more,
  } as never;
}

beforeAll(async () => {
  stub = http.createServer((request, response) => {
    calls.push(request.headers);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
  const uri = `http://127.0.0.1:${(stub.address() as AddressInfo).port}/`;
  receiver = new OtlpReceiver();
  deliveries = new DeliveryReceiver();
  await Promise.all([receiver.start(), deliveries.start()]);
  server = await startServer({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
    },
    args: ['--outbound-allow-inside=true', '--log-level=debug', '--access-log'],
  });
  api = new ApiClient(server.url);
  const work: TaskConfig = { name: 'traced_work', taskReferenceName: 'work', type: 'SIMPLE' };
  const call: TaskConfig = {
    ...{ name: 'call', taskReferenceName: 'call', type: 'HTTP' },
    inputParameters: { http_request: { uri, method: 'GET' } },
  };
  const child: TaskConfig = {
    ...{ name: 'child', taskReferenceName: 'child', type: 'SUB_WORKFLOW' },
    subWorkflowParam: { name: 'traced_child', version: 1 },
  };
  const publish: TaskConfig = {
    ...{ name: 'publish', taskReferenceName: 'publish', type: 'EVENT', sink: 'conductor:traced' },
  };
  const set: TaskConfig = {
    ...{ name: 'set', taskReferenceName: 'set', type: 'SET_VARIABLE' },
    inputParameters: { one: 1 },
  };
  const never = { retryCount: 0, responseTimeoutSeconds: 60 };
  await api.registerTasks({ name: 'traced_work', ...never }, { name: 'traced_fails', ...never });
  await api.registerWorkflows(
    define('traced', [work, call]),
    define('traced_child', [set]),
    define('traced_parent', [child]),
    define('traced_publisher', [publish]),
    define('traced_started', [set]),
    define('traced_waiter', [{ ...work, name: 'traced_fails' }]),
  );
});
afterAll(async () => {
  await api.close();
  await server.stop();
  await Promise.all([receiver.stop(), deliveries.stop()]);
  await new Promise((resolve) => stub.close(resolve));
});

let traces = 0;
/** Headers of a new trace, and its id. */
function newTrace(): { traceId: string; headers: Record<string, string> } {
  const traceId = `4bf92f3577b34da6a3ce929d${(++traces).toString(16).padStart(8, '0')}`;
  const traceparent = `00-${traceId}-${callerSpan}-01`;
  const headers = { 'content-type': 'application/json', traceparent, tracestate: 'vendor=a1' };
  return { traceId, headers };
}

async function start(name: string, headers: Record<string, string>): Promise<string> {
  const body = JSON.stringify({ name, version: 1 });
  const answer = await fetch(`${server.url}/api/workflow`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  return await answer.text();
}

function contextOf(task: WireTask): { traceparent: string; tracestate: string } {
  const { executionMetadata } = task as unknown as {
    executionMetadata: { additionalContext: { traceparent: string; tracestate: string } };
  };
  return executionMetadata.additionalContext;
}

const spanIn = (traceparent: unknown): string => String(traceparent).slice(36, 52);
const traceIn = (traceparent: unknown): string => String(traceparent).slice(3, 35);

describe('the spans of an execution', () => {
  let traceId: string;
  let id: string;
  let told: ReturnType<typeof contextOf>;
  const span = (name: string): Promise<ReceivedSpan> => receiver.span(traceId, name);

  beforeAll(async () => {
    const trace = newTrace();
    ({ traceId } = trace);
    calls = [];
    id = await start('traced', trace.headers);
    const [task] = await api.poll('traced_work', { timeoutMs: 5000 });
    told = contextOf(task as WireTask);
    await api.update(toResult(task as WireTask, { status: 'COMPLETED' }));
    await api.untilWorkflow(id, ({ status }) => status === 'COMPLETED');
  });

  it('stand below the span of the caller, in its trace', async () => {
    const whole = await span('workflow traced');
    expect(whole.parentSpanId).toBe(callerSpan);
    expect(whole.traceState).toBe('vendor=a1');
    expect(whole.attributes['downbeat.workflow.id']).toBe(id);
    expect(whole.attributes['downbeat.workflow.status']).toBe('COMPLETED');
    expect(whole.service).toBe('downbeat');
    const { startTime, endTime } = (await api.workflow(id)) as unknown as Record<string, number>;
    expect([whole.startAt, whole.endAt]).toEqual([startTime, endTime]);
  });

  it('are of the start, each decision with its commit, and the tasks', async () => {
    const root = (await span('workflow traced')).spanId;
    for (const name of ['start traced', 'decide start', 'decide update-task', 'task work']) {
      expect((await span(name)).parentSpanId, name).toBe(root);
    }
    await span('decide system-task-result');
    const decisions = receiver.spans.filter(({ name }) => name.startsWith('decide '));
    const commit = await span('commit');
    expect(decisions.map(({ spanId }) => spanId)).toContain(commit.parentSpanId);
    expect(commit.attributes['downbeat.commit.batch_size']).toBeGreaterThan(0);
    expect(commit.endAt).toBeGreaterThan(commit.startAt);
  });

  it('tell of the queue, the hand-out and the worker below the task', async () => {
    const task = await span('task work');
    const names = ['queue wait traced_work', 'hand-out traced_work', 'execute traced_work'];
    for (const name of names) expect((await span(name)).parentSpanId, name).toBe(task.spanId);
    const execute = await span('execute traced_work');
    expect(execute.attributes['downbeat.worker.id']).toBe('scripted');
    expect(execute.spanId).toBe(spanIn(told.traceparent));
    for (const name of names) expect(receiver.named(traceId, name), name).toHaveLength(1);
  });

  it('are told to the worker, and to the address that a task calls', async () => {
    expect(told).toEqual({
      traceparent: `00-${traceId}-${spanIn(told.traceparent)}-01`,
      tracestate: 'vendor=a1',
    });
    const run = await span('run call');
    const [call] = calls;
    expect(traceIn(call?.['traceparent'])).toBe(traceId);
    expect(spanIn(call?.['traceparent'])).toBe(run.spanId);
    expect(call?.['tracestate']).toBe('vendor=a1');
    expect(run.parentSpanId).toBe((await span('task call')).spanId);
  });

  it('come as protobuf, to the path of traces', () => {
    expect([...receiver.requests]).toEqual(['application/x-protobuf /v1/traces']);
  });

  it('say what failed, without its reason', async () => {
    const failing = newTrace();
    const failed = await start('traced_waiter', failing.headers);
    const [task] = await api.poll('traced_fails', { timeoutMs: 5000 });
    const reasonForIncompletion = 'the card 4111 was refused';
    await api.update({
      ...toResult(task as WireTask, { status: 'FAILED' }),
      reasonForIncompletion,
    });
    await api.untilWorkflow(failed, ({ status }) => status === 'FAILED');
    expect((await receiver.span(failing.traceId, 'workflow traced_waiter')).failure).toBe('FAILED');
    expect((await receiver.span(failing.traceId, 'execute traced_fails')).failure).toBe('FAILED');
    expect(JSON.stringify(receiver.spans)).not.toContain('4111');
    await api.ask('POST', `/api/workflow/${failed}/retry`);
    const [again] = await api.poll('traced_fails', { timeoutMs: 5000 });
    await api.update(toResult(again as WireTask, { status: 'COMPLETED' }));
    const runs = await until('the second run', () => {
      const found = receiver.named(failing.traceId, 'workflow traced_waiter');
      return found.length === 2 ? found : undefined;
    });
    expect(runs[1]?.parentSpanId).toBe(runs[0]?.spanId);
  });
});

describe('the trace of an execution', () => {
  it('goes over into a sub-workflow, below the task that starts it', async () => {
    const { traceId, headers } = newTrace();
    await start('traced_parent', headers);
    const task = await receiver.span(traceId, 'task child');
    const child = await receiver.span(traceId, 'workflow traced_child');
    expect(child.parentSpanId).toBe(task.spanId);
  });

  it('goes over an event into what that starts', async () => {
    await api.ask('POST', '/api/event', {
      ...{ name: 'traced_handler', event: 'conductor:traced_publisher:traced', active: true },
      actions: [
        { action: 'start_workflow', start_workflow: { name: 'traced_started', version: 1 } },
      ],
    });
    const { traceId, headers } = newTrace();
    await start('traced_publisher', headers);
    const published = await receiver.span(traceId, 'run publish');
    const event = await receiver.span(traceId, 'event conductor:traced_publisher:traced');
    expect(event.parentSpanId).toBe(published.spanId);
    const started = await receiver.span(traceId, 'workflow traced_started');
    expect(started.parentSpanId).toBe(event.spanId);
  });

  it('goes on in what a dead letter starts when it is delivered again', async () => {
    const late = { name: 'traced_late', version: 1 };
    await api.ask('POST', '/api/event', {
      ...{ name: 'traced_letters', event: 'conductor:traced_publisher:traced', active: true },
      actions: [{ action: 'start_workflow', start_workflow: late }],
    });
    const { traceId, headers } = newTrace();
    await start('traced_publisher', headers);
    const letters = '/api/event/handler/traced_letters/dead-letters';
    const [letter] = await until('a dead letter', async () => {
      const { body } = await api.ask('GET', letters);
      const found = body as { traceparent: string; tracestate: string }[];
      return found.length > 0 ? found : undefined;
    });
    expect(traceIn(letter?.traceparent)).toBe(traceId);
    expect(letter?.tracestate).toBe('vendor=a1');
    const set: TaskConfig = { name: 's', taskReferenceName: 's', type: 'SET_VARIABLE' };
    await api.registerWorkflows(define('traced_late', [{ ...set, inputParameters: { one: 1 } }]));
    await api.ask('POST', `${letters}/redeliver`);
    await api.ask('DELETE', '/api/event/traced_letters');
    const started = await receiver.span(traceId, 'workflow traced_late');
    const published = await receiver.span(traceId, 'run publish');
    const event = receiver.spans.find(({ spanId }) => spanId === started.parentSpanId);
    expect(event?.parentSpanId).toBe(published.spanId);
  });

  it('begins with a schedule that starts the execution', async () => {
    await api.ask('POST', '/api/scheduler/schedules', {
      name: 'traced_schedule',
      cronExpression: '* * * * * ?',
      startWorkflowRequest: { name: 'traced_started', version: 1, input: {} },
    });
    const due = await until('the span of the schedule', () =>
      receiver.spans.find(({ name }) => name === 'schedule traced_schedule'),
    );
    await api.ask('DELETE', '/api/scheduler/schedules/traced_schedule');
    expect(due.parentSpanId).toBe('');
    const started = await receiver.span(due.traceId, 'workflow traced_started');
    expect(started.parentSpanId).toBe(due.spanId);
  });

  it('comes in with a call of a webhook: into what that starts and what it wakes', async () => {
    const matches = { matches: { "$['order']": '${workflow.input.order}' } };
    const waits: TaskConfig = {
      ...{ name: 'wait', taskReferenceName: 'wait', type: 'WAIT_FOR_WEBHOOK' },
      inputParameters: matches,
    };
    await api.registerWorkflows(define('traced_waits', [waits]));
    const { body } = await api.request('POST', '/api/metadata/webhook', {
      ...{ name: 'traced_in', sourcePlatform: 'Custom', verifier: 'HEADER_BASED' },
      ...{ headers: { 'X-Key': 'k1' }, workflowsToStart: { traced_started: 1 } },
      receiverWorkflowNamesToVersions: { traced_waits: 1 },
    });
    const id = await api.start({ name: 'traced_waits', version: 1, input: { order: 7 } } as never);
    const { traceId, headers } = newTrace();
    const called = await fetch(`${server.url}/webhook/${(body as { id: string }).id}`, {
      method: 'POST',
      headers: { ...headers, 'X-Key': 'k1' },
      body: JSON.stringify({ order: 7 }),
    });
    expect(called.status).toBe(200);
    const event = await receiver.span(traceId, 'webhook traced_in');
    expect(event.parentSpanId).toBe(callerSpan);
    const started = await receiver.span(traceId, 'workflow traced_started');
    expect(started.parentSpanId).toBe(event.spanId);
    const woken = await until('the decision', () =>
      receiver.spans.find(
        ({ name, attributes }) =>
          name === 'decide update-task' && attributes['downbeat.workflow.id'] === id,
      ),
    );
    expect(woken.links).toEqual([callerSpan]);
  });

  it('goes out with what an outgoing webhook is told', async () => {
    await api.ask('POST', '/api/metadata/outgoing-webhook', {
      ...{ name: 'traced_hook', url: deliveries.url, events: ['WORKFLOW_COMPLETED'] },
      workflowNames: ['traced_child'],
    });
    const { traceId, headers } = newTrace();
    await start('traced_child', headers);
    const delivery = await until('the delivery', () => deliveries.received[0]);
    const whole = await receiver.span(traceId, 'workflow traced_child');
    expect(delivery.headers['traceparent']).toBe(`00-${traceId}-${whole.spanId}-01`);
    expect(delivery.headers['tracestate']).toBe('vendor=a1');
  });

  it('is a new one without a caller, and none where the caller does not want it', async () => {
    const id = await api.start({ name: 'traced_child', version: 1 });
    const whole = await until('the span', () =>
      receiver.spans.find(({ attributes }) => attributes['downbeat.workflow.id'] === id),
    );
    expect(whole.traceId).toMatch(/^[0-9a-f]{32}$/);
    const { traceId, headers } = newTrace();
    const traceparent = `00-${traceId}-${callerSpan}-00`;
    calls = [];
    const unsampled = await start('traced', { ...headers, traceparent });
    const [task] = await api.poll('traced_work', { timeoutMs: 5000 });
    expect(contextOf(task as WireTask)).toEqual({ traceparent, tracestate: 'vendor=a1' });
    await api.update(toResult(task as WireTask, { status: 'COMPLETED' }));
    await api.untilWorkflow(unsampled, ({ status }) => status === 'COMPLETED');
    expect(calls.map((call) => call['traceparent'])).toEqual([traceparent]);
    expect(receiver.spans.filter((span) => span.traceId === traceId)).toEqual([]);
  });

  it('stands in the lines of the log, and in what the page shows', async () => {
    const { traceId, headers } = newTrace();
    const id = await start('traced_child', headers);
    const line = await until('the line', () =>
      server.output.split('\n').find((text) => text.includes(`"trace_id":"${traceId}"`)),
    );
    expect(JSON.parse(line)).toMatchObject({ msg: 'request', span_id: callerSpan });
    const { head } = (await api.ask('GET', `/api/workflow/${id}/outline`)).body as {
      head: { traceId: string };
    };
    expect(head.traceId).toBe(traceId);
  });
});
