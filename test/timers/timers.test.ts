// Everything that has a time comes within one second of it, never early: also many at once, and
// straight after a restart.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { crowdedOutMs, stretched, times } from '../../testkit/load.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until, untilMoment } from '../../testkit/until.js';
import type { WireWorkflow } from '../../testkit/wire.js';
import { outcome, pollAll, registerDeadlines, startDeadlines, type Kind } from './deadlines.js';

const seconds = 3;
const perKind = 10;

let server: RunningServer;
let client: ApiClient;
/** A WAIT until a full minute; started first, because that takes its time. */
let untilMinute: { id: string; dueAt: number };
/** Since when the server serves; what was due before then comes within 5 s of it. */
let servingAt = 0;

beforeAll(async () => {
  server = await startServer();
  client = new ApiClient(server.url);
  await registerDeadlines(client, seconds);
  await client.registerWorkflows({
    name: 'due_until',
    version: 1,
    tasks: [
      {
        ...{ name: 'w', taskReferenceName: 't', type: 'WAIT' },
        inputParameters: { until: '${workflow.input.at}' },
      },
    ],
  });
  untilMinute = await startUntilMinute();
});

afterAll(async () => {
  await client.close();
  await server.stop();
});

async function startUntilMinute(): Promise<{ id: string; dueAt: number }> {
  const minute = 60_000;
  const dueAt = Math.ceil((Date.now() + 2000) / minute) * minute;
  const at = `${new Date(dueAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return { id: await client.start({ name: 'due_until', input: { at } }), dueAt };
}

/** Waits for what is due of every execution; while it waits, polls take the retries. */
async function outcomes(
  started: ReadonlyMap<Kind, string[]>,
): Promise<{ kind: Kind; dueAt: number; cameAt: number }[]> {
  const retries = pollAll(client, 'due_retry', perKind, 20_000);
  const found = [...started].flatMap(([kind, ids]) =>
    ids.map((id) =>
      until(
        `${kind} of ${id}`,
        async () => {
          const came = outcome(kind, await client.workflow(id), seconds);
          return came && { kind, ...came };
        },
        { everyMs: 250, timeoutMs: 20_000 },
      ),
    ),
  );
  const [all] = await Promise.all([Promise.all(found), retries]);
  return all;
}

describe('what is due', () => {
  it('comes within a second: all timeouts, waits, and retries with a delay', async () => {
    const crowdedBefore = crowdedOutMs(server.pid);
    const all = await outcomes(await startDeadlines(client, perKind));
    const crowded = crowdedOutMs(server.pid) - crowdedBefore;
    expect(all).toHaveLength(7 * perKind);
    for (const { kind, dueAt, cameAt } of all) {
      expect(cameAt - dueAt, kind).toBeGreaterThanOrEqual(0);
      expect(cameAt - dueAt, kind).toBeLessThan(1000 + crowded);
    }
  });

  it('comes within a second also when thousands are due in the same second', async () => {
    const count = 1500;
    await client.registerWorkflows({
      name: 'due_crowd',
      version: 1,
      tasks: [
        {
          ...{ name: 'w', taskReferenceName: 't', type: 'WAIT' },
          inputParameters: { duration: '${workflow.input.seconds} seconds' },
        },
      ],
    });
    const dueAt = Date.now() + 6000;
    const ids = await times(count, 32, (): Promise<string> => {
      const left = Math.max(1, Math.ceil((dueAt - Date.now()) / 1000));
      return client.start({ name: 'due_crowd', input: { seconds: left } });
    });
    await untilMoment(dueAt + 1500);
    const crowdedBefore = crowdedOutMs(server.pid);
    const ended = await times(count, 32, (index) => client.untilEnd(ids[index] as string));
    const crowded = crowdedOutMs(server.pid) - crowdedBefore;
    const late = ended.map(latenessOfWait);
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThan(1000 + crowded);
  });

  it('comes at once after a restart when its time passed meanwhile, and in time otherwise', async () => {
    const started = await startDeadlines(client, perKind);
    const half = Date.now() + (seconds * 1000) / 2;
    await server.kill('SIGKILL');
    await untilMoment(half);
    await server.restart();
    servingAt = Date.now();
    for (const { kind, dueAt, cameAt } of await outcomes(started)) {
      expect(cameAt - dueAt, kind).toBeGreaterThanOrEqual(0);
      expect(cameAt, kind).toBeLessThan(Math.max(dueAt + stretched(1000), servingAt + 5000));
    }
  });

  it('until a minute of the clock comes within a second of it', async () => {
    const { id, dueAt } = untilMinute;
    const workflow = await client.untilEnd(id, { timeoutMs: dueAt - Date.now() + 10_000 });
    const endedAt = workflow.tasks[0]?.endTime ?? 0;
    expect(endedAt).toBeGreaterThanOrEqual(dueAt);
    expect(endedAt).toBeLessThan(Math.max(dueAt + stretched(1000), servingAt + 5000));
  });
});

function latenessOfWait({ input, tasks: [wait] }: WireWorkflow): number {
  const { scheduledTime = 0, endTime = 0 } = wait ?? {};
  return endTime - scheduledTime - Number(input['seconds']) * 1000;
}
