// Limits on what clients send and hold open; each is a setting, and each has a small value here.
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient, type ApiAnswer } from '../../testkit/api-client.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

const connectionsMax = 40;
const parkedPollsMax = 5;

let server: RunningServer;
let client: ApiClient;

beforeAll(async () => {
  server = await startServer({
    args: [
      ...['--body-bytes-max', '20000', '--json-depth-max', '8', '--json-keys-max', '100'],
      ...[
        '--connections-max',
        String(connectionsMax),
        '--parked-polls-max',
        String(parkedPollsMax),
      ],
      ...['--poll-count-max', '3', '--poll-timeout-ms-max', '6500'],
      ...['--task-payload-bytes-max', '2000'],
      ...[
        '--tasks-per-execution-max',
        '12',
        '--child-depth-max',
        '2',
        '--variables-bytes-max',
        '1024',
      ],
      ...['--log-lines-per-task-max', '3', '--messages-max', '2'],
    ],
  });
  client = new ApiClient(server.url, { connections: 12 });
});

afterAll(async () => {
  await client.close();
  await server.stop();
});

async function gauge(name: string): Promise<number> {
  const { text } = await client.ask('GET', '/metrics');
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

describe('a request', () => {
  const start = (input: unknown): Promise<{ status: number; text: string }> =>
    client.request('POST', '/api/workflow', { name: 'unknown', input });

  it('with a larger body than allowed is refused with 413, one below is read', async () => {
    expect((await start({ text: 'x'.repeat(20_000) })).status).toBe(413);
    expect((await start({ text: 'x'.repeat(19_000) })).status).toBe(404);
  });

  it('with JSON that is nested deeper or has more keys than allowed is refused with 400', async () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(await start({ a: nested(8) })).toMatchObject({
      status: 400,
      text: expect.stringContaining('deeper') as string,
    });
    expect((await start({ a: nested(5) })).status).toBe(404);
    const keys = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, key) => [`k${key}`, 1]));
    expect((await start(keys(101))).status).toBe(400);
    expect((await start(keys(90))).status).toBe(404);
  });
});

describe('connections', () => {
  it('above the limit are closed, and there is room again when others have gone', async () => {
    const sockets = Array.from({ length: connectionsMax + 10 }, () => {
      const socket = net.connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      return socket;
    });
    await until('the surplus to be closed', () => {
      for (const socket of sockets) socket.read();
      return sockets.filter((socket) => socket.destroyed || socket.readableEnded).length >= 10;
    });
    expect(
      sockets.filter((socket) => !socket.destroyed && !socket.readableEnded).length,
    ).toBeGreaterThan(connectionsMax - 15);
    for (const socket of sockets) socket.destroy();
    await until(
      'room',
      async () => (await client.request('GET', '/health').catch(() => undefined))?.status === 200,
    );
  });
});

describe('long polls', () => {
  it('above the limit get 429 with Retry-After, and there is room again when one has ended', async () => {
    const parked = Array.from({ length: parkedPollsMax }, (_, index) =>
      client.poll(`parked_${index}`, { timeoutMs: 1500 }),
    );
    await until('the polls', async () => (await gauge('downbeat_parked_polls')) === parkedPollsMax);
    const refused = await fetch(`${server.url}/api/tasks/poll/batch/parked?timeout=1000`);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ status: 429, retryable: true });
    expect(await Promise.all(parked)).toEqual(parked.map(() => []));
    expect(await client.poll('parked', { timeoutMs: 10 })).toEqual([]);
  });

  it('are forgotten when their client goes away', async () => {
    const leaving = new AbortController();
    const poll = fetch(`${server.url}/api/tasks/poll/batch/left?timeout=6500`, leaving).catch(
      () => 'gone',
    );
    await until('the poll', async () => (await gauge('downbeat_parked_polls')) === 1);
    leaving.abort();
    expect(await poll).toBe('gone');
    await until('its end', async () => (await gauge('downbeat_parked_polls')) === 0);
  });

  it('ask for no longer wait, and get no more tasks, than the limits', async () => {
    expect(await client.request('GET', '/api/tasks/poll/batch/x?timeout=6501')).toMatchObject({
      status: 400,
      body: { message: 'Long Poll Timeout value cannot be more than 6.5 seconds' },
    });
    await client.registerWorkflows({
      name: 'batch',
      version: 1,
      tasks: [{ name: 'batch_task', taskReferenceName: 't', type: 'SIMPLE' }],
    });
    for (let i = 0; i < 5; i += 1) await client.start({ name: 'batch' });
    const first = await client.poll('batch_task', { count: 100, timeoutMs: 1000 });
    const rest = await client.poll('batch_task', { count: 100, timeoutMs: 1000 });
    expect([first.length, rest.length]).toEqual([3, 2]);
  });
});

describe('an execution', () => {
  it('may have only so many tasks: it fails, and the server goes on', async () => {
    const inner = { name: 'i', taskReferenceName: 'i', type: 'INLINE' };
    const script = { evaluatorType: 'javascript', expression: '1' };
    await client.registerWorkflows({
      name: 'endless',
      version: 1,
      tasks: [
        {
          ...{ name: 'loop', taskReferenceName: 'loop', type: 'DO_WHILE' },
          loopCondition: 'true',
          loopOver: [{ ...inner, inputParameters: script }],
        },
      ],
    });
    const ended = await client.untilEnd(await client.start({ name: 'endless' }));
    expect(ended.status).toBe('FAILED');
    expect(ended.reasonForIncompletion).toMatch(/12/);
    expect(ended.tasks.length).toBeLessThanOrEqual(12);
  });

  it('may start others only so deep', async () => {
    await client.registerWorkflows({
      name: 'deep',
      version: 1,
      tasks: [
        {
          ...{ name: 's', taskReferenceName: 's', type: 'SUB_WORKFLOW' },
          subWorkflowParam: { name: 'deep', version: 1 },
        },
      ],
    });
    expect((await client.untilEnd(await client.start({ name: 'deep' }))).status).toBe('FAILED');
  });

  it('may have only so large outputs: the task fails for good', async () => {
    const id = await client.start({ name: 'batch' });
    const [task] = await client.poll('batch_task', { timeoutMs: 2000 });
    await client.update({
      ...{ workflowInstanceId: id, taskId: task?.taskId ?? '', status: 'COMPLETED' },
      outputData: { text: 'x'.repeat(3000) },
    });
    const ended = await client.untilEnd(id);
    expect(ended.tasks[0]).toMatchObject({ status: 'FAILED_WITH_TERMINAL_ERROR', outputData: {} });
  });

  it('keeps only the newest lines of a task log, and only so many messages', async () => {
    const id = await client.start({ name: 'batch' });
    const [task] = await client.poll('batch_task', { timeoutMs: 2000 });
    const log = `/api/tasks/${task?.taskId}/log`;
    for (let line = 1; line <= 5; line += 1) await client.ask('POST', log, `line ${line}`);
    expect((await client.ask('GET', log)).body).toHaveLength(3);
    const messages = `/api/workflow/${id}/messages`;
    const statuses = [];
    for (let i = 0; i < 3; i += 1) {
      statuses.push((await client.request('POST', messages, { i })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });
});

describe('other settings', () => {
  let other: RunningServer;
  let api: ApiClient;
  beforeAll(async () => {
    const args = ['--service.workflow-message-queue.enabled=false'];
    args.push('--starts-per-second-max=2', '--schedule-interval-seconds-min=60');
    other = await startServer({ args });
    api = new ApiClient(other.url);
  });
  afterAll(async () => {
    await api.close();
    await other.stop();
  });

  it('switch the message queue off', async () => {
    const answer = await api.request('POST', '/api/workflow/some-id/messages', {});
    expect(answer).toMatchObject({
      status: 404,
      body: { message: expect.stringMatching(/^No static resource/) as string },
    });
  });

  it('bound the starts of callers per second', async () => {
    const start = (): Promise<ApiAnswer> => api.request('POST', '/api/workflow', { name: 'none' });
    const answers = await Promise.all(Array.from({ length: 20 }, start));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 404).length).toBeGreaterThanOrEqual(2);
    expect(refused[0]?.text).toContain('startsPerSecondMax');
  });

  it.each([
    ['0 * * * * *', 200],
    ['*/30 * * * * *', 400],
    ['0,1 0 0 1 1 *', 400],
  ])('refuse schedules that are due too often: %s answers %i', async (cronExpression, status) => {
    const schedule = { name: 'often', cronExpression, startWorkflowRequest: { name: 'none' } };
    const answer = await api.request('POST', '/api/scheduler/schedules', schedule);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.text).toContain('scheduleIntervalSecondsMin');
  });
});
