// Workloads that stand and wait: executions, what memory they take, how a server starts with them,
// how another process takes them over, and schedules that are due together.
import { ApiClient } from '../../testkit/api-client.js';
import { times } from '../../testkit/load.js';
import { memoryBytesOf } from '../../testkit/process.js';
import { allServe, killProcess } from '../../testkit/server-processes.js';
import type { RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import { postAgain } from '../ask-again.js';
import { median } from '../latencies.js';
import { wrongIf, type Subject, type Workload } from './contract.js';
import { redisBytes } from './memory.js';
import { parkedPolls } from './parked-polls.js';
import { registerWaits, taskType, workflow } from './waits.js';

const wakingsMax = 20;
const startersMany = 32;

interface Waiting {
  readonly server: RunningServer;
  readonly client: ApiClient;
  readonly ids: readonly string[];
  /** Starts whose answer did not say whether they were stored; each was repeated. */
  readonly unsure: number;
  /** Memory of each execution. */
  readonly nodeBytes: number;
  readonly storeBytes: number;
}

/** Uses a server of the subject's build that has so many waiting executions, and some more. */
async function withWaiting<T>(
  subject: Subject,
  count: number,
  args: readonly string[],
  use: (waiting: Waiting) => Promise<T>,
): Promise<T> {
  const server = await subject.start({ args });
  const client = new ApiClient(server.url);
  try {
    await registerWaits(client);
    const ids: string[] = [];
    let unsure = 0;
    const isUnsure = (): void => void unsure++;
    const start = async (): Promise<unknown> =>
      ids.push(
        (await postAgain(client, '/api/workflow', { name: workflow, version: 1 }, isUnsure)).text,
      );
    await times(Math.min(count, 200), startersMany, start);
    const [node, store] = [memoryBytesOf(server.pid), await redisBytes(server)];
    await times(count, startersMany, start);
    const nodeBytes = (memoryBytesOf(server.pid) - node) / count;
    const storeBytes = ((await redisBytes(server)) - store) / count;
    return await use({ server, client, ids, unsure, nodeBytes, storeBytes });
  } finally {
    await client.close();
    await server.stop();
  }
}

/** Completes the tasks of some of the executions; the time of each until its end is read, ms. */
async function wake(client: ApiClient, ids: readonly string[]): Promise<number[]> {
  const took: number[] = [];
  for (const id of ids) {
    const at = performance.now();
    const path = `/api/tasks/${id}/t/COMPLETED`;
    await until('the report', async () => (await client.request('POST', path, {})).status === 200);
    await client.untilEnd(id);
    took.push(performance.now() - at);
  }
  return took;
}

async function running(client: ApiClient): Promise<number> {
  const query = encodeURIComponent(`workflowType = ${workflow} AND status = RUNNING`);
  const answer = await client.ask('GET', `/api/workflow/search?size=0&query=${query}`);
  return (answer.body as { totalHits: number }).totalHits;
}

const waitingExecutions: Workload = {
  name: 'waiting executions',
  about: 'memory of each, waking one, and a start of the server with all of them',
  run(subject, { waiting }) {
    return withWaiting(subject, waiting, [], async (waits) => {
      const { server, client, ids, unsure, nodeBytes, storeBytes } = waits;
      const woken = ids.slice(0, wakingsMax);
      const took = await wake(client, woken);
      await server.kill('SIGTERM');
      const at = performance.now();
      await server.restart();
      const startMs = performance.now() - at;
      const afterStart = await wake(client, ids.slice(wakingsMax, wakingsMax + 1));
      const left = ids.length - woken.length - 1;
      const found = await running(client);
      return {
        figures: {
          'node bytes each': nodeBytes,
          'Redis bytes each': storeBytes,
          'p50 ms to wake one': median(took),
          'ms to start with them': startMs,
          'ms to wake one then': median(afterStart),
        },
        wrong: wrongIf([isOther(found, left, unsure), `${found} of ${left} wait after the start`]),
      };
    });
  },
};

/** Whether neither each start counts once, nor some of those that were repeated twice. */
function isOther(found: number, started: number, unsure: number): boolean {
  return found < started || found > started + unsure;
}

const takeover: Workload = {
  name: 'takeover',
  about: 'one of two processes is killed; until an execution of each shard answers again',
  run(subject, { waiting }) {
    const args = ['--processes', '2'];
    return withWaiting(subject, waiting, args, async ({ server, client, ids, unsure }) => {
      await allServe(server);
      const at = performance.now();
      await killProcess(server, 0);
      const took = await wake(client, ids.slice(0, wakingsMax));
      const takenMs = performance.now() - at;
      await allServe(server);
      const left = ids.length - took.length;
      const found = await running(client);
      return {
        figures: { [`ms until ${wakingsMax} were completed`]: takenMs },
        wrong: wrongIf([
          isOther(found, left, unsure),
          `${found} of ${left} wait after the takeover`,
        ]),
      };
    });
  },
};

const schedules: Workload = {
  name: 'schedules',
  about: 'schedules that are due in the same second',
  async run({ client }, { schedules: count }) {
    const scheduled = `suite_scheduled_${Date.now()}`;
    const task = { name: taskType, taskReferenceName: 't', type: 'SIMPLE' };
    await client.registerWorkflows({ name: scheduled, version: 1, tasks: [task] });
    const due = new Date(Math.ceil((Date.now() + 3_000 + count * 4) / 1000) * 1000);
    const [s, m, h] = [due.getUTCSeconds(), due.getUTCMinutes(), due.getUTCHours()];
    let next = 0;
    await times(count, startersMany, () =>
      client.ask('POST', '/api/scheduler/schedules', {
        name: `${scheduled}_${next++}`,
        cronExpression: `${s} ${m} ${h} * * *`,
        zoneId: 'UTC',
        startWorkflowRequest: { name: scheduled, version: 1 },
      }),
    );
    const query = encodeURIComponent(`workflowType = ${scheduled}`);
    const hits = async (): Promise<number> => {
      const answer = await client.ask('GET', `/api/workflow/search?size=0&query=${query}`);
      return (answer.body as { totalHits: number }).totalHits;
    };
    const isLate = Date.now() > due.getTime();
    await until('all executions', async () => (await hits()) >= count, { timeoutMs: 120_000 });
    const lastMs = Date.now() - due.getTime();
    const found = await hits();
    return {
      figures: { 'ms until the last had started': lastMs },
      wrong: wrongIf(
        [isLate, 'the schedules were stored after they were due'],
        [found !== count, `${count} schedules started ${found} executions`],
      ),
    };
  },
};

export const standingWorkloads: readonly Workload[] = [
  parkedPolls,
  waitingExecutions,
  takeover,
  schedules,
];
