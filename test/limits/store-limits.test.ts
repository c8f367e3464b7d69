// What the server does when its store is full or does not keep up, and what it keeps in memory.
// Small settings here; the full size is `node bin/tool.mjs bench/sizes`.
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { stretched, timed, times } from '../../testkit/load.js';
import { signalProcess } from '../../testkit/process.js';
import { startRedis } from '../../testkit/redis.js';
import { startServer, type ServerSettings } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function clientOf(settings: ServerSettings): Promise<ApiClient> {
  const server = await startServer(settings);
  cleanUps.push(() => server.stop());
  const client = new ApiClient(server.url);
  cleanUps.push(() => client.close());
  const signalled = { name: 'h', taskReferenceName: 'h', type: 'HUMAN' };
  await client.registerWorkflows(
    {
      name: 'filling',
      version: 1,
      tasks: [{ name: 'filling_task', taskReferenceName: 't', type: 'SIMPLE' }],
    },
    { name: 'waiting', version: 1, tasks: [signalled] },
  );
  return client;
}

interface Answer {
  status: number;
  retryAfter: number;
  text: string;
}

async function start(client: ApiClient, bytes: number): Promise<Answer> {
  const input = { text: randomBytes(bytes / 2).toString('hex') };
  const body = JSON.stringify({ name: 'filling', input });
  const answer = await fetch(`${client.url}/api/workflow`, { method: 'POST', body });
  const retryAfter = Number(answer.headers.get('retry-after') ?? 0);
  return { status: answer.status, retryAfter, text: await answer.text() };
}

async function gauge(client: ApiClient, name: string): Promise<number> {
  const { text } = await client.ask('GET', '/metrics');
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

describe('a store that is nearly full', () => {
  it('gets no new executions, while those that run go on and make room', async () => {
    const client = await clientOf({ args: ['--redis-memory-bytes', String(40_000_000)] });
    const ids: string[] = [];
    const refused = await until(
      'a refusal',
      async () => {
        const answer = await start(client, ids.length < 60 ? 400_000 : 40_000);
        if (answer.status !== 200) return answer;
        ids.push(answer.text);
        return undefined;
      },
      { everyMs: 5, timeoutMs: 20_000 },
    );
    expect(refused).toMatchObject({
      status: 503,
      text: expect.stringMatching(/above 85 %/) as string,
    });
    expect(refused.retryAfter).toBeGreaterThan(0);
    const [task] = await client.poll('filling_task', { timeoutMs: 1000 });
    const { workflowInstanceId = '', taskId = '' } = task ?? {};
    await client.update({ workflowInstanceId, taskId, status: 'COMPLETED' });
    expect((await client.workflow(workflowInstanceId)).status).toBe('COMPLETED');
    for (const id of ids.slice(0, 20)) {
      await client.ask('DELETE', `/api/workflow/${id}/remove?archiveWorkflow=false`);
    }
    await until('room', async () => (await start(client, 1000)).status === 200);
  });
});

describe('a store that does not answer', () => {
  it('is not sent more than the limit: the rest gets 503 with Retry-After at once', async () => {
    const redis = await startRedis();
    cleanUps.push(() => redis.stop());
    const { pid } = redis;
    if (pid === undefined) return; // A container cannot be stopped in its tracks.
    const client = await clientOf({
      redisUrl: redis.url,
      args: ['--uncommitted-bytes-max', '1000000'],
    });
    expect((await start(client, 1000)).status).toBe(200);
    signalProcess(pid, 'SIGSTOP');
    let waiting: Promise<Answer>[];
    try {
      waiting = Array.from({ length: 40 }, () => start(client, 100_000));
      const first = await timed(() => Promise.race(waiting));
      expect(first.ms).toBeLessThan(stretched(2000));
      expect([429, 503]).toContain(first.result.status);
      expect(first.result.retryAfter).toBeGreaterThan(0);
    } finally {
      signalProcess(pid, 'SIGCONT');
    }
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    const accepted = statuses.filter((status) => status === 200).length;
    // One request may pass the bound, the next one finds it passed.
    expect(accepted).toBeGreaterThanOrEqual(9);
    expect(accepted).toBeLessThanOrEqual(12);
    expect(statuses.filter((status) => status !== 200 && status !== 503 && status !== 429)).toEqual(
      [],
    );
    expect(await gauge(client, 'downbeat_uncommitted_bytes')).toBe(0);
  });
});

describe('a store that has stood still for seconds', () => {
  it('takes no start: it is refused at once, and nothing of it comes later', async () => {
    const redis = await startRedis();
    cleanUps.push(() => redis.stop());
    const { pid } = redis;
    if (pid === undefined) return; // A container cannot be stopped in its tracks.
    const client = await clientOf({ redisUrl: redis.url });
    expect((await start(client, 1000)).status).toBe(200);
    signalProcess(pid, 'SIGSTOP');
    try {
      await until(
        'the health',
        async () => (await client.request('GET', '/health')).status === 503,
      );
      // Its own question to the store may be a second younger than the lease's.
      const answers: Awaited<ReturnType<typeof start>>[] = [];
      const ask = (): (typeof answers)[number] | undefined => {
        void start(client, 1000).then((answer) => answers.push(answer));
        return answers[0];
      };
      const refused = await until('a refusal', ask, { everyMs: 1000 });
      expect(refused).toMatchObject({ status: 503, text: expect.stringMatching(/not answered/) });
      expect(refused.retryAfter).toBeGreaterThan(0);
    } finally {
      signalProcess(pid, 'SIGCONT');
    }
    await until('a start again', async () => (await start(client, 1000)).status === 200);
  });
});

describe('executions that wait', () => {
  it('leave memory above its limit, and one that is needed again is there in milliseconds', async () => {
    const bytesMax = 1_048_576;
    const client = await clientOf({ args: ['--actor-bytes-max', String(bytesMax)] });
    const ids = await times(1500, 32, () => client.start({ name: 'waiting' }));
    expect(await gauge(client, 'downbeat_execution_memory_bytes')).toBeLessThan(bytesMax * 1.1);
    expect(await gauge(client, 'downbeat_executions_in_memory')).toBeLessThan(500);
    const wakes: number[] = [];
    for (const id of ids.slice(0, 60)) {
      wakes.push((await timed(() => client.signal(id, 'COMPLETED', { woken: true }))).ms);
      expect((await client.workflow(id)).status).toBe('COMPLETED');
    }
    wakes.sort((a, b) => a - b);
    expect(wakes[15]).toBeLessThan(stretched(5));
  });
});
