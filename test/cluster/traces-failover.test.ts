// A trace outlives the node: an execution that another node takes over goes on in its trace, and
// the span that a worker was told before the node died is the one that ends after it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LocalCluster } from '../../cluster/local-cluster.js';
import { ApiClient } from '../../testkit/api-client.js';
import { OtlpReceiver } from '../support/otlp-receiver.js';
import { startSettledCluster } from '../../cluster/settled-cluster.js';
import { until } from '../../testkit/until.js';
import { toResult } from '../support/workers.js';
import type { WireTask } from '../../testkit/wire.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerSpan = '00f067aa0ba902b7';
const receiver = new OtlpReceiver();
let cluster: LocalCluster;

beforeAll(async () => {
  await receiver.start();
  // The nodes are started with the environment of this process.
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
  process.env['OTEL_EXPORTER_OTLP_PROTOCOL'] = 'http/json';
  process.env['OTEL_BSP_SCHEDULE_DELAY'] = '50';
  cluster = await startSettledCluster({ redis: 'single' });
}, 120_000);
afterAll(async () => {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('OTEL_')) Reflect.deleteProperty(process.env, name);
  }
  await cluster.stop();
  await receiver.stop();
}, 60_000);

it('goes on where a node was killed, with the span that the worker was told', async () => {
  const [dying, living] = cluster.nodes;
  if (dying === undefined || living === undefined) throw new Error('no nodes');
  const api = new ApiClient(living.url);
  await api.registerTasks({ name: 'outlives', retryCount: 0, responseTimeoutSeconds: 60 });
  await api.registerWorkflows({
    name: 'outlives',
    version: 1,
    tasks: [
      { name: 'outlives', taskReferenceName: 'one' },
      { name: 'outlives', taskReferenceName: 'two' },
    ],
  });
  const started = await fetch(`${dying.url}/api/workflow`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      traceparent: `00-${traceId}-${callerSpan}-01`,
    },
    body: JSON.stringify({ name: 'outlives', version: 1 }),
  });
  const id = await started.text();
  const [task] = await api.poll('outlives', { timeoutMs: 5000 });
  const { executionMetadata } = task as unknown as {
    executionMetadata: { additionalContext: { traceparent: string } };
  };
  const told = executionMetadata.additionalContext.traceparent;
  const begun = await receiver.span(traceId, 'start outlives');
  await receiver.span(traceId, 'hand-out outlives');
  const owner = cluster.nodes.find(({ name }) => name === begun.node);
  expect(owner?.name).toBe(dying.name);
  await dying.kill();
  await until('the report', async () => {
    const report = toResult(task as WireTask, { status: 'COMPLETED' });
    return (await api.request('POST', '/api/tasks', report)).status === 200;
  });
  const [second] = await api.poll('outlives', { timeoutMs: 5000 });
  await api.update(toResult(second as WireTask, { status: 'COMPLETED' }));
  await api.untilWorkflow(id, ({ status }) => status === 'COMPLETED');

  const whole = await receiver.span(traceId, 'workflow outlives');
  expect(whole.parentSpanId).toBe(callerSpan);
  expect(whole.node).not.toBe(dying.name);
  expect(begun.parentSpanId).toBe(whole.spanId);
  const execute = receiver.spans.find(({ spanId }) => spanId === told.slice(36, 52));
  expect(execute).toMatchObject({ traceId, name: 'execute outlives', node: whole.node });
  const one = receiver.named(traceId, 'task one');
  expect(one.map(({ spanId }) => spanId)).toEqual([execute?.parentSpanId]);
  await api.close();
}, 60_000);
