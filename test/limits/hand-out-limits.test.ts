// Limits of hand-outs through the whole server: at once, per time, by domain, and how long polls
// wait.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { crowdedOutMs, timed, times } from '../../testkit/load.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import { workMeanwhile } from '../support/work-meanwhile.js';
import type { WireTask, WireTaskDef } from '../../testkit/wire.js';

let server: RunningServer;
let client: ApiClient;

beforeAll(async () => {
  server = await startServer();
  client = new ApiClient(server.url);
});

afterAll(async () => {
  await client.close();
  await server.stop();
});

/** A task definition and a workflow of one such task, under one name. */
async function register(name: string, def: Partial<WireTaskDef> = {}): Promise<void> {
  await client.registerTasks({ name, ...def });
  await client.registerWorkflows({
    name,
    version: 1,
    tasks: [{ name, taskReferenceName: 't', type: 'SIMPLE' }],
  });
}

const health = (): Promise<unknown> => client.request('GET', '/health');

function complete({ workflowInstanceId, taskId }: WireTask): Promise<void> {
  return client.update({ workflowInstanceId, taskId, status: 'COMPLETED' });
}

describe('a limit of tasks at once', () => {
  it('holds with many workers, and a slot that becomes free is given out at once', async () => {
    await register('at_once', { concurrentExecLimit: 3 });
    const count = 30;
    await times(count, 8, () => client.start({ name: 'at_once' }));
    let running = 0;
    let most = 0;
    let done = 0;
    let unserved = 0;
    const worker = async (): Promise<void> => {
      while (done < count) {
        const [task] = await client.poll('at_once', { timeoutMs: 3000 });
        if (task === undefined) {
          // The last ones that wait find all done.
          if (done < count) unserved += 1;
          continue;
        }
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        // The slot is free when the server takes the report, which may be before it answers.
        running -= 1;
        await complete(task);
        done += 1;
      }
    };
    await Promise.all(Array.from({ length: 6 }, worker));
    expect(done).toBe(count);
    // More than one at once, never more than three; whether three overlap here is up to the
    // machine.
    expect([2, 3]).toContain(most);
    // A slot that is not given out costs a poll its three seconds.
    expect(unserved).toBe(0);
  });

  it('gives a freed slot to a poll that waits, without a further call', async () => {
    await register('one_slot', { concurrentExecLimit: 1 });
    await times(2, 1, () => client.start({ name: 'one_slot' }));
    const [first] = await client.poll('one_slot', { timeoutMs: 1000 });
    const waiting = client.poll('one_slot', { timeoutMs: 5000 });
    expect(await client.poll('one_slot', { timeoutMs: 300 })).toEqual([]);
    const given = complete(first as WireTask).then(() => waiting);
    const { result, count } = await workMeanwhile(given, health);
    expect(result).toHaveLength(1);
    expect(count).toBeLessThan(500);
  });

  it('counts a task that times out as ended', async () => {
    await register('slot_lost', {
      ...{ concurrentExecLimit: 1, retryCount: 1, retryDelaySeconds: 0 },
      ...{ responseTimeoutSeconds: 1 },
    });
    const id = await client.start({ name: 'slot_lost' });
    const [lost] = await client.poll('slot_lost', { timeoutMs: 1000 });
    const [again] = await client.poll('slot_lost', { timeoutMs: 4000 });
    expect(again).toMatchObject({ workflowInstanceId: id, retryCount: 1 });
    expect(again?.taskId).not.toBe(lost?.taskId);
  });

  it('does not hold back tasks of other definitions', async () => {
    await register('full', { concurrentExecLimit: 1 });
    await register('free');
    await times(2, 1, () => client.start({ name: 'full' }));
    await client.start({ name: 'free' });
    expect(await client.poll('full', { count: 5, timeoutMs: 500 })).toHaveLength(1);
    expect(await client.poll('free', { timeoutMs: 500 })).toHaveLength(1);
  });
});

describe('a limit of tasks per time', () => {
  it('holds in every window, and the rest follows when the window opens', async () => {
    const perWindow = 4;
    const windowSeconds = 2;
    await register('per_time', {
      rateLimitPerFrequency: perWindow,
      rateLimitFrequencyInSeconds: windowSeconds,
    });
    const count = 10;
    await times(count, 4, () => client.start({ name: 'per_time' }));
    const startedAt: number[] = [];
    await until('all tasks', async () => {
      const tasks = await client.poll('per_time', { count: 10, timeoutMs: 3000 });
      for (const task of tasks) startedAt.push(task.startTime);
      return startedAt.length === count;
    });
    startedAt.sort((a, b) => a - b);
    // A claim comes a little after the hand-out that is counted, so the windows are seen a little
    // shifted.
    const shiftMs = 500 + crowdedOutMs(server.pid);
    for (let i = perWindow; i < count; i += 1) {
      const span = (startedAt[i] as number) - (startedAt[i - perWindow] as number);
      expect(span).toBeGreaterThan(windowSeconds * 1000 - shiftMs);
    }
    const whole = (startedAt.at(-1) as number) - (startedAt[0] as number);
    expect(whole).toBeLessThan(2 * windowSeconds * 1000 + 1000 + shiftMs);
  });

  it('holds together with a limit at once', async () => {
    await register('both', {
      ...{ concurrentExecLimit: 2, rateLimitPerFrequency: 3, rateLimitFrequencyInSeconds: 60 },
    });
    await times(5, 5, () => client.start({ name: 'both' }));
    // A poll is answered with what is there: two of them may be needed for the first two tasks.
    const first: WireTask[] = [];
    await until('two tasks', async () => {
      first.push(...(await client.poll('both', { count: 5, timeoutMs: 500 })));
      return first.length >= 2;
    });
    expect(first).toHaveLength(2);
    expect(await client.poll('both', { count: 5, timeoutMs: 300 })).toEqual([]);
    await Promise.all(first.map(complete));
    expect(await client.poll('both', { count: 5, timeoutMs: 500 })).toHaveLength(1);
    expect(await client.poll('both', { count: 5, timeoutMs: 300 })).toEqual([]);
  });
});

describe('a long poll', () => {
  it('waits its time when there is nothing, 100 ms without a time', async () => {
    const answered: string[] = [];
    const polls = [
      ['batch/nothing?timeout=2500', 2500],
      ['batch/nothing?timeout=1500', 1500],
      ['batch/nothing?timeout=700', 700],
      ['batch/nothing', 100],
      ['nothing', 100],
      ['batch/nothing?timeout=0', 0],
    ] as const;
    const all = polls.map(async ([query, ms]) => {
      const poll = await timed(() => client.request('GET', `/api/tasks/poll/${query}`));
      answered.push(query);
      expect(poll.ms, query).toBeGreaterThanOrEqual(ms - 5);
      expect(poll.result.status, query).toBe(query === 'nothing' ? 204 : 200);
    });
    await Promise.all(all);
    // Each is answered before those that were sent before it and wait longer.
    const byTime = polls.map(([query]) => query).reverse();
    expect([answered[0], ...answered.slice(3)]).toEqual([byTime[0], ...byTime.slice(3)]);
  });

  it('is answered as soon as a task is there, with what is there, not with the count', async () => {
    await register('soon');
    const poll = client.poll('soon', { count: 10, timeoutMs: 5000 });
    await until('the poll', async () =>
      /^downbeat_parked_polls 1$/m.test((await client.ask('GET', '/metrics')).text),
    );
    const { result, count } = await workMeanwhile(
      client.start({ name: 'soon' }).then(() => poll),
      health,
    );
    expect(result).toHaveLength(1);
    expect(count).toBeLessThan(500);
  });

  it('takes up to its count, each task once, oldest first', async () => {
    await register('many');
    const ids = await times(7, 1, () => client.start({ name: 'many' }));
    const seen: string[] = [];
    await until('all', async () => {
      const some = await client.poll('many', { count: 3, timeoutMs: 500 });
      expect(some.length).toBeLessThanOrEqual(3);
      seen.push(...some.map((task) => task.workflowInstanceId));
      return seen.length >= ids.length;
    });
    expect(seen).toEqual(ids);
    expect(await client.poll('many', { count: 0, timeoutMs: 100 })).toEqual([]);
  });

  it('of a domain gets only tasks of that domain', async () => {
    await register('in_domain');
    const id = await client.start({ name: 'in_domain', taskToDomain: { in_domain: 'east' } });
    const plain = await client.start({ name: 'in_domain' });
    const pollOf = async (domain?: string): Promise<(string | undefined)[]> => {
      const options = domain === undefined ? {} : { domain };
      const tasks = await client.poll('in_domain', { count: 5, timeoutMs: 300, ...options });
      return tasks.map((task) => task.workflowInstanceId);
    };
    expect(await pollOf('west')).toEqual([]);
    expect(await pollOf()).toEqual([plain]);
    expect(await pollOf('east')).toEqual([id]);
  });

  it('makes its domain the one that a list chooses', async () => {
    await register('choosing');
    await client.poll('choosing', { domain: 'south', timeoutMs: 10 });
    const input = { name: 'choosing', taskToDomain: { '*': 'north,south,NO_DOMAIN' } };
    const id = await client.start(input);
    const [task] = await client.poll('choosing', { domain: 'south', timeoutMs: 1000 });
    expect(task?.workflowInstanceId).toBe(id);
  });
});
