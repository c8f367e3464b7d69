// HTTP_POLL (semantics 4.23) against a real local server.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
import { createSandbox } from '../../src/sandbox/script-sandbox.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { systemClock } from '../../src/std/clock.js';
import { createHttpPollTask } from '../../src/system-task/http-poll.js';
import { defaultOutboundSettings, OutboundClient } from '../../src/system-task/outbound-client.js';
import type { SystemTask, TaskOutcome, TaskRun } from '../../src/system-task/system-task.js';
import { taskRun } from './task-run.js';

let stub: http.Server;
let base: string;
let client: OutboundClient;
let sandbox: Sandbox;
let task: SystemTask;
const notInPlace = { kind: 'error', message: 'not in place' } as const;
let keys: string[] = [];
let polls = 0;

beforeAll(async () => {
  stub = http.createServer((request, response) => {
    keys.push(String(request.headers['idempotency-key']));
    const status = request.url === '/busy' ? 503 : 200;
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ polls: ++polls }));
  });
  await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
  client = new OutboundClient({ ...defaultOutboundSettings, allowInside: true }, systemClock);
  sandbox = createSandbox({
    scriptTimeMsMax: 4000,
    scriptMemoryBytesMax: 32 * 1024 * 1024,
    scriptOutputBytesMax: 1024 * 1024,
    scriptWorkersMax: 1,
    clock: systemClock,
  });
  task = createHttpPollTask({
    client,
    requestTimeMsMax: 10_000,
    instance: 'node',
    httpPollIntervalSecondsMin: 60,
    // What is not evaluated in place is tried on a built server (test/server/http-poll.test.ts).
    evaluate: (request) => Promise.resolve(sandbox.tryInPlace(request) ?? notInPlace),
    executions: { read: () => Promise.reject(new Error('nothing earlier is read')) } as never,
  });
});

afterAll(async () => {
  await client.stop();
  await sandbox.stop();
  await new Promise((resolve) => stub.close(resolve));
});

beforeEach(() => {
  keys = [];
  polls = 0;
});

const poll = (fields: JsonMap, more: Partial<TaskRun> = {}): Promise<TaskOutcome> =>
  task.run(taskRun({ http_request: { uri: `${base}/state`, method: 'GET', ...fields } }, more));

const untilThird = { terminationCondition: '$.output.response.body.polls >= 3;' };

describe('an HTTP_POLL task', () => {
  it('stays in progress with the newest answer until its condition holds', async () => {
    const outcomes: TaskOutcome[] = [];
    for (const pollCount of [0, 1, 2]) outcomes.push(await poll(untilThird, { pollCount }));
    expect(outcomes.map(({ status }) => status)).toEqual([
      'IN_PROGRESS',
      'IN_PROGRESS',
      'COMPLETED',
    ]);
    expect(outcomes.map(({ callbackAfterSeconds }) => callbackAfterSeconds)).toEqual([
      60,
      60,
      undefined,
    ]);
    expect(outcomes[1]?.output).toMatchObject({
      response: { statusCode: 200, body: { polls: 2 } },
    });
    expect(new Set(keys).size).toBe(3);
  });

  it.each([
    ['FIXED', 120, [120, 120, 120]],
    ['LINEAR_BACKOFF', '70', [70, 140, 210]],
    ['EXPONENTIAL_BACKOFF', 60, [120, 240, 480]],
    ['exponential_backoff', 1, [120, 240, 480]],
    ['EXPONENTIAL_BACKOFF', 80_000, [86_400, 86_400, 86_400]],
  ])('waits by %s with an interval of %s s', async (pollingStrategy, pollingInterval, waits) => {
    const fields = { terminationCondition: 'false', pollingStrategy, pollingInterval };
    const seconds: unknown[] = [];
    for (const pollCount of [0, 1, 2]) {
      seconds.push((await poll(fields, { pollCount })).callbackAfterSeconds);
    }
    expect(seconds).toEqual(waits);
  });

  it('ends with its first accepted answer when it has no condition', async () => {
    expect((await poll({})).status).toBe('COMPLETED');
  });

  it('leaves the end to others when it asks for that', async () => {
    const outcome = await poll({ terminationCondition: 'true' }, { asyncComplete: true });
    expect(outcome.status).toBe('IN_PROGRESS');
    expect(outcome.callbackAfterSeconds).toBeUndefined();
  });

  it('fails like HTTP with an answer that is not accepted', async () => {
    const outcome = await poll({ ...untilThird, uri: `${base}/busy` });
    expect(outcome.status).toBe('FAILED');
    expect(outcome.reason).toContain('503 Service Unavailable');
  });

  it('fails for good when its condition cannot be evaluated, and shows the answer', async () => {
    const outcome = await poll({ terminationCondition: '$.output.response.body.a.b.c' });
    expect(outcome.status).toBe('FAILED_WITH_TERMINAL_ERROR');
    expect(outcome.reason).toContain('Unable to evaluate condition $.output.response.body.a.b.c');
    expect(outcome.output).toHaveProperty('response');
  });

  it.each([
    [{ pollingStrategy: 'RANDOM' }, /pollingStrategy must be one of FIXED, LINEAR_BACKOFF/],
    [{ pollingInterval: 'soon' }, /pollingInterval must be a number of seconds, not soon/],
    [{ pollingInterval: -1 }, /pollingInterval must be a number of seconds, not -1/],
  ])('sends nothing with %j', async (fields, reason) => {
    const outcome = await poll(fields);
    expect([outcome.status, keys]).toEqual(['FAILED', []]);
    expect(outcome.reason).toMatch(reason);
  });
});
