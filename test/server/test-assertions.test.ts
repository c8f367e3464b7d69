// The assertions of `@downbeat/server/testing`, with why in the message of a failure; and that a
// run with a seed repeats.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../cli/testing.js';
import { projectRoot } from '../../testkit/project.js';

const order = {
  ...{ name: 'order', version: 1, ownerEmail: 'test@example.com' },
  tasks: [
    {
      ...{ name: 'charge', taskReferenceName: 'charge', type: 'SIMPLE' },
      inputParameters: { amount: '${workflow.input.amount}', lines: [1, 2] },
    },
    {
      ...{ name: 'pause', taskReferenceName: 'pause', type: 'WAIT' },
      inputParameters: { duration: '30 days' },
    },
    {
      ...{ name: 'draw', taskReferenceName: 'draw', type: 'INLINE' },
      inputParameters: {
        ...{ evaluatorType: 'graaljs', lot: '${workflow.input.lot}' },
        expression: '({ drawn: [Math.random(), Math.random()], at: new Date().getTime() })',
      },
    },
  ],
};
const declined = {
  status: 'FAILED_WITH_TERMINAL_ERROR',
  reasonForIncompletion: 'declined',
} as const;

describe('assertions of a test server', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
    await server.register(order);
  });
  afterAll(() => server.stop());

  it('starts, waits for the end with the clock running, and looks at what happened', async () => {
    const mock = await server.mock({ taskReferenceName: 'charge', output: { ok: true } });
    const { workflowId: id, status } = await server.run('order', { amount: 12 });
    expect(status).toBe('COMPLETED');
    await server.completed(id);
    await server.tookPath(id, ['charge', 'pause', 'draw']);
    await server.gotInput(id, 'charge', { amount: 12, lines: [1, 2] });
    await server.removeMocks(mock.id);
  });

  it('shows scripts the time of the moved clock', async () => {
    const mock = await server.mock({ taskReferenceName: 'charge' });
    const before = (await server.clock()).now;
    const { tasks } = await server.run('order');
    const { at } = tasks.at(-1)?.outputData['result'] as { at: number };
    expect(at - before).toBeGreaterThanOrEqual(30 * 86_400_000);
    expect(at - (await server.clock()).now).toBeLessThanOrEqual(5);
    await server.removeMocks(mock.id);
  });

  it('says why in the message of a failure', async () => {
    const mock = await server.mock({ taskReferenceName: 'charge', ...declined });
    const { workflowId: id, status } = await server.run('order', { amount: 12 });
    expect(status).toBe('FAILED');
    const failing: Promise<unknown>[] = [
      server.completed(id),
      server.tookPath(id, ['charge', 'pause']),
      server.gotInput(id, 'charge', { amount: 13 }),
      server.inputOf(id, 'pause'),
    ];
    const said = await Promise.all(failing.map((each) => each.catch(String)));
    for (const message of said) expect(message).toMatch(/Why: .*\nTasks: charge FAILED.*declined/);
    expect(said[0]).toContain('is FAILED, not COMPLETED');
    expect(said[1]).toContain('took the path ["charge"], not ["charge","pause"]');
    expect(said[2]).toContain(`gave task 'charge' amount = 12, not 13`);
    expect(said[3]).toContain(`has no task 'pause'`);
    await server.removeMocks(mock.id);

    const stuck = server.run('order', {}, 50);
    await expect(stuck).rejects.toThrow(
      /has not ended\. The clock stands: .*charge.*\nWhy: .*charge.*\nTasks: charge SCHEDULED/,
    );
  });
});

describe('a run with a seed', () => {
  /** Ids, jitter and what scripts drew. */
  const runWith = async (seed: number): Promise<unknown> => {
    const server = await startTestServer({ seed });
    try {
      const jitter = { retryLogic: 'FIXED', retryDelaySeconds: 60, backoffJitterMs: 60_000 };
      await server.request('POST', '/api/metadata/taskdefs', [
        {
          ...{ name: 'charge', retryCount: 2, ...jitter, ownerEmail: 'test@example.com' },
          ...{ timeoutSeconds: 600, responseTimeoutSeconds: 60 },
        },
      ]);
      await server.register(order);
      const attempts = [{ status: 'FAILED' }, { status: 'FAILED' }, { output: {} }] as const;
      await server.mock({ taskReferenceName: 'charge', attempts });
      const key = { idempotencyKey: 'k1', idempotencyStrategy: 'RETURN_EXISTING' };
      const keyed = await server.request('POST', '/api/workflow', { name: 'order', ...key });
      const runs = [await server.ended(keyed as string), await server.run('order')];
      return runs.map(({ workflowId, tasks }) => ({
        ...{ workflowId, path: tasks.map((each) => each.referenceTaskName) },
        ids: tasks.map((each) => (each as unknown as { taskId: string }).taskId),
        drawn: (tasks.at(-1)?.outputData['result'] as { drawn: number[] }).drawn,
        delays: tasks.map((each) => delayOf(each)),
      }));
    } finally {
      await server.stop();
    }
  };
  /** Between scheduling and start, in seconds: real time of a few ms is in it. */
  const delayOf = (task: object): number => {
    const { scheduledTime, startTime } = task as { scheduledTime: number; startTime: number };
    return Math.round((startTime - scheduledTime) / 1000);
  };

  it('repeats exactly, and differs with another seed', async () => {
    const [first, again, other] = [await runWith(7), await runWith(7), await runWith(8)];
    const apart = (run: unknown): number[][] =>
      (run as { delays: number[] }[]).map((it) => it.delays);
    const rest = (run: unknown): object[] => (run as object[]).map((it) => ({ ...it, delays: 0 }));
    expect(rest(again)).toEqual(rest(first));
    apart(first)
      .flat()
      .forEach((delay, i) => {
        expect(Math.abs(delay - (apart(again).flat()[i] ?? 0))).toBeLessThan(3);
      });
    expect(other).not.toEqual(first);
    const [{ delays } = { delays: [] }] = first as { delays: number[] }[];
    expect(Math.max(...delays)).toBeGreaterThan(60);
  });

  it('refuses a seed that is no number, and a clock that is none', () => {
    const refused = (...words: string[]): { status: number | null; stderr: string } => {
      const file = path.join(projectRoot, 'dist', 'test-server.js');
      return spawnSync(process.execPath, [file, ...words], { encoding: 'utf8' });
    };
    const seed = refused('--seed', 'x');
    expect([seed.status, seed.stderr]).toEqual([
      2,
      `--seed must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, not 'x'\n`,
    ]);
    const clock = refused('--clock=slow');
    expect([clock.status, clock.stderr]).toEqual([
      2,
      `--clock must be auto or manual, not 'slow'\n`,
    ]);
  });
});
