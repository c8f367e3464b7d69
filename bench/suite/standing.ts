// Workloads that stand and wait: parked polls and waiting executions, what memory they take, how a
// server starts with them, how another process takes them over, and schedules that are due
// together.
import { ApiClient } from '../../testkit/api-client.js';
import { times } from '../../testkit/load.js';
import { memoryBytesOf } from '../../testkit/process.js';
import { allServe, killProcess } from '../../testkit/server-processes.js';
import type { RunningServer } from '../../testkit/server.js';
import { pause, until } from '../../testkit/until.js';
import { postAgain } from '../ask-again.js';
import { HttpSocket, requestText } from '../http-socket.js';
import { startFloor } from '../floor/floor.js';
import { median } from '../latencies.js';
import { chain } from '../scenarios.js';
import { multipleOf, wrongIf, type Subject, type Workload } from './contract.js';
import { bytesPerTask } from './flows.js';
import { redisBytes } from './memory.js';

const name = 'suite_waits';
const taskType = `${name}_task`;
const wakingsMax = 20;
const startersMany = 32;

async function register(client: ApiClient): Promise<void> {
  await client.registerTasks({ name: taskType, retryCount: 0, ownerEmail: 'bench@downbeat.test' });
  await client.registerWorkflows({
    ...{ name, version: 1, ownerEmail: 'bench@downbeat.test' },
    tasks: [{ name: taskType, taskReferenceName: 't', type: 'SIMPLE' }],
  });
}

interface Parked {
  /** Of memory. */
  readonly bytesEach: number;
  /** Bodies of the polls that got a task. */
  readonly got: readonly string[];
  close(): void;
}

/** The longest that the server takes; then a poll is sent again. */
const pollMs = 5_000;
const parkedWithinMs = 120_000;
/** So many of the polls are on their way between two of their waits. */
const onTheirWay = 0.05;

/** Parks polls; resolves once `areParked` says that all wait. */
async function park(
  { port, pid }: { port: number; pid: number },
  polls: number,
  areParked: () => Promise<boolean>,
): Promise<Parked> {
  const poll = `/api/tasks/poll/batch/${taskType}?count=1&workerid=bench&timeout=${pollMs}`;
  const before = memoryBytesOf(pid);
  const got: string[] = [];
  const failed: Error[] = [];
  const request = requestText('GET', poll);
  const sockets = Array.from({ length: polls }, () => {
    const socket = new HttpSocket(port, (error) => failed.push(error));
    const again = (): void =>
      socket.send(request, (status, body) => {
        if (status !== 200) failed.push(new Error(`a poll was answered ${status}: ${body}`));
        else if (body.includes('"taskId"')) got.push(body);
        else again();
      });
    again();
    return socket;
  });
  const isDone = async (): Promise<boolean> => {
    if (failed[0] !== undefined) throw failed[0];
    return await areParked();
  };
  await until('the polls to be parked', isDone, { timeoutMs: parkedWithinMs, everyMs: 200 });
  const bytesEach = (memoryBytesOf(pid) - before) / polls;
  return { bytesEach, got, close: () => sockets.forEach((socket) => socket.close()) };
}

async function parkedAt(url: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  return Number(/^downbeat_parked_polls (\d+)$/m.exec(page)?.[1] ?? 0);
}

const parkedPolls: Workload = {
  name: 'parked polls',
  about: 'polls that wait; one task comes, and one of them gets it',
  async run({ server, client }, { polls }) {
    await register(client);
    const floor = await startFloor({ ...chain(1), taskTypes: [taskType] }, bytesPerTask);
    try {
      // The floor does not tell how many wait there.
      const afterAWhile = (): Promise<boolean> => pause(1_000 + polls / 2).then(() => true);
      const floorPolls = await park(floor, polls, afterAWhile);
      floorPolls.close();
      const before = await parkedAt(server.url);
      const parked = await park(
        server,
        polls,
        async () => (await parkedAt(server.url)) - before >= polls * (1 - onTheirWay),
      );
      const id = await client.start({ name, version: 1 });
      const { got, bytesEach } = parked;
      await until('a poll to get the task', () => got.length > 0, { timeoutMs: parkedWithinMs });
      parked.close();
      await client.terminate(id);
      const isOne = got.length === 1 && got[0]?.includes(id) === true;
      return {
        figures: {
          'KB per poll': bytesEach / 1024,
          'floor, KB per poll': floorPolls.bytesEach / 1024,
        },
        ...multipleOf('memory', bytesEach, floorPolls.bytesEach),
        wrong: wrongIf([!isOne, `${got.length} polls got the one task`]),
      };
    } finally {
      await floor.stop();
    }
  },
};

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
    await register(client);
    const ids: string[] = [];
    let unsure = 0;
    const isUnsure = (): void => void unsure++;
    const start = async (): Promise<unknown> =>
      ids.push((await postAgain(client, '/api/workflow', { name, version: 1 }, isUnsure)).text);
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
  const query = encodeURIComponent(`workflowType = ${name} AND status = RUNNING`);
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
