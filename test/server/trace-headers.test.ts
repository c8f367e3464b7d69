// The headers that a worker's poll is answered with, on both HTTP servers: the context of the task,
// where it is the only one. Without a trace there are none.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { OtlpReceiver } from '../support/otlp-receiver.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import type { TaskConfig, WireTask } from '../../testkit/wire.js';
import { toResult } from '../support/workers.js';
import { httpLibraries } from '../support/http-libraries.js';

const callerSpan = '00f067aa0ba902b7';
const traceIds = ['4bf92f3577b34da6a3ce929d0000aaaa', '4bf92f3577b34da6a3ce929d0000bbbb'] as const;
const [traceId] = traceIds;

let server: RunningServer;
let api: ApiClient;
let receiver: OtlpReceiver;

async function begin(httpServer: string, asks: boolean): Promise<void> {
  receiver = new OtlpReceiver();
  await receiver.start();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '50' };
  const args = [`--http-server=${httpServer}`];
  server = await startServer(asks ? { env, args } : { args });
  api = new ApiClient(server.url);
  const tasks: TaskConfig[] = ['a', 'b', 'c'].map((ref) => ({
    ...{ name: 'headed', taskReferenceName: ref, type: 'SIMPLE' },
  }));
  await api.registerWorkflows({ name: 'headed', version: 1, tasks } as never);
}

async function end(): Promise<void> {
  await api?.close();
  await server?.stop();
  await receiver?.stop();
}

async function start(headers: Record<string, string> = {}): Promise<void> {
  const answer = await fetch(`${server.url}/api/workflow`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ name: 'headed', version: 1 }),
  });
  expect(answer.status).toBe(200);
}

interface Answer<T> {
  readonly body: T;
  /** `traceparent` and `tracestate`. */
  readonly told: readonly (string | null)[];
}

async function ask<T>(route: string, report?: object): Promise<Answer<T>> {
  const answer = await fetch(`${server.url}/api/tasks/${route}`, {
    ...(report !== undefined && { method: 'POST', body: JSON.stringify(report) }),
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.status).toBe(200);
  const told = [answer.headers.get('traceparent'), answer.headers.get('tracestate')];
  return { body: (await answer.json()) as T, told };
}

function contextOf(task: WireTask | undefined): readonly (string | null)[] {
  const { executionMetadata: given } = task as unknown as {
    executionMetadata: { additionalContext: Record<string, string> };
  };
  const { traceparent = null, tracestate = null } = given.additionalContext;
  return [traceparent, tracestate];
}

describe.each(httpLibraries)('an answer of the server %s', { timeout: 60_000 }, (name) => {
  beforeAll(() => begin(name, true));
  afterAll(end);

  it('that brings one task has its context as headers', async () => {
    const own = { traceparent: `00-${traceId}-${callerSpan}-01`, tracestate: 'v="a\\1"' };
    await start(own);
    const first = await ask<WireTask>('poll/headed');
    expect(first.told).toEqual(contextOf(first.body));
    expect(first.told[0]).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    expect(first.told[1]).toBe(own.tracestate);
    const metadata = { additionalContext: { traceparent: 'x', '1': 'kept' }, more: 1 };
    const report = {
      ...toResult(first.body, { status: 'COMPLETED' }),
      executionMetadata: metadata,
    };
    const next = await ask<WireTask>('update-v2', report);
    expect(next.told).toEqual(contextOf(next.body));
    expect(next.told[0]).not.toBe(first.told[0]);
    await api.update(toResult(next.body, { status: 'COMPLETED' }));
    const batch = await ask<WireTask[]>('poll/batch/headed?count=5&timeout=5000');
    expect(batch.body).toHaveLength(1);
    expect(batch.told).toEqual(contextOf(batch.body[0]));
    await api.update(toResult(batch.body[0] as WireTask, { status: 'COMPLETED' }));
    for (const told of [first.told, next.told, batch.told]) {
      const id = String(told[0]).slice(36, 52);
      const executed = await until('the span', () =>
        receiver.spans.find(({ spanId }) => spanId === id),
      );
      expect(executed.name).toBe('execute headed');
    }
  });

  it('that brings several has none, and each task its own', async () => {
    for (const each of traceIds) await start({ traceparent: `00-${each}-${callerSpan}-01` });
    const { body, told } = await ask<WireTask[]>('poll/batch/headed?count=2&timeout=5000');
    expect(told).toEqual([null, null]);
    const traces = body.map((task) => String(contextOf(task)[0]).slice(3, 35)).sort();
    expect(traces).toEqual([...traceIds]);
  });
});

describe('a task of an execution without a trace', { timeout: 60_000 }, () => {
  beforeAll(() => begin(httpLibraries[0], false));
  afterAll(end);

  it('is handed out without headers', async () => {
    await start();
    const { body, told } = await ask<WireTask>('poll/headed');
    expect(told).toEqual([null, null]);
    expect(contextOf(body)).toEqual([null, null]);
  });
});
