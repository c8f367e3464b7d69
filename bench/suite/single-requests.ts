// Loads that no worker takes part in: starts, synchronous workflows of server tasks, calls of
// webhooks and searches. Time and processor time of a request stand beside those of a start on the
// floor, which is one parsed request and one write that is synced.
import { requestText } from '../http-socket.js';
import { cpuMsOf, memoryBytesOf } from '../../testkit/process.js';
import { startFloor } from '../floor/floor.js';
import type { MeasuredServer } from '../measure.js';
import { chain } from '../scenarios.js';
import { until } from '../../testkit/until.js';
import { multipleOf, wrongIf, type Found, type Subject, type Workload } from './contract.js';
import { bytesPerTask } from './flows.js';
import { redisBytes } from './memory.js';
import { sendAll, type Answered } from './requests.js';

const owner = { ownerEmail: 'bench@downbeat.test', schemaVersion: 2, version: 1 };
const connectionsMany = 16;

interface Sent extends Answered {
  /** Processor time of node and Redis for each request, us. */
  readonly usEach: number;
}

async function sent(
  server: MeasuredServer,
  connections: number,
  requests: readonly string[],
): Promise<Sent> {
  const used = (): number => cpuMsOf(server.pid) + cpuMsOf(server.redisPid ?? server.pid);
  const before = used();
  const answered = await sendAll(server.port, connections, requests);
  return { ...answered, usEach: ((used() - before) * 1000) / requests.length };
}

const startOf = (name: string, input: object = {}): string =>
  requestText('POST', '/api/workflow', JSON.stringify({ name, version: 1, input }));

/** As many starts on the floor. */
async function floorStarts(count: number, connections: number): Promise<Sent> {
  const floor = await startFloor(chain(1), bytesPerTask);
  const requests = Array.from({ length: count }, () => startOf('floor'));
  try {
    await sendAll(floor.port, connections, requests);
    return await sent(floor, connections, requests);
  } finally {
    await floor.stop();
  }
}

function foundOf(run: Sent, floor: Sent, of: 'processor time' | 'p50', wrong: string[]): Found {
  return {
    figures: {
      'requests per second': (run.bodies.length * 1000) / run.elapsedMs,
      'p50 ms': run.p50Ms,
      'p99 ms': run.p99Ms,
      'p50 ms above the floor': run.p50Ms - floor.p50Ms,
      'us per request': run.usEach,
    },
    ...(of === 'p50'
      ? multipleOf(of, run.p50Ms, floor.p50Ms)
      : multipleOf(of, run.usEach, floor.usEach)),
    wrong,
  };
}

async function waitingWorkflow({ client }: Subject, name: string): Promise<void> {
  const task = { name: `${name}_task`, taskReferenceName: 't', type: 'SIMPLE' };
  await client.registerTasks({ name: task.name, retryCount: 0, ownerEmail: owner.ownerEmail });
  await client.registerWorkflows({ ...owner, name, tasks: [task] });
}

/** Executions of a definition, by search. */
async function hits({ client }: Subject, query: string): Promise<number> {
  const path = `/api/workflow/search?size=0&query=${encodeURIComponent(query)}`;
  return ((await client.ask('GET', path)).body as { totalHits: number }).totalHits;
}

const starts: Workload = {
  name: 'starts',
  about: 'starts of executions that wait for their one worker task',
  async run(subject, { requests: count }) {
    const name = `suite_starts_${Date.now()}`;
    await waitingWorkflow(subject, name);
    const requests = Array.from({ length: count }, () => startOf(name));
    const floor = await floorStarts(count, connectionsMany);
    const run = await sent(subject.server, connectionsMany, requests);
    const found = await hits(subject, `workflowType = ${name} AND status = RUNNING`);
    const ids = new Set(run.bodies).size;
    return foundOf(
      run,
      floor,
      'processor time',
      wrongIf(
        [ids !== count, `${count} starts brought ${ids} ids`],
        [found !== count, `a search finds ${found} of ${count} started executions`],
      ),
    );
  },
};

const synchronous: Workload = {
  name: 'synchronous',
  about: 'one connection that runs a workflow of five server tasks and waits for its result',
  async run(subject, { requests: count }) {
    const name = 'suite_synchronous';
    const tasks = Array.from({ length: 5 }, (_, i) => ({
      name: `s${i}`,
      taskReferenceName: `s${i}`,
      type: 'SET_VARIABLE',
      inputParameters: {
        [`v${i}`]: i === 0 ? '${workflow.input.n}' : `\${workflow.variables.v${i - 1}}`,
      },
    }));
    const outputParameters = { last: '${workflow.variables.v4}' };
    await subject.client.registerWorkflows({ ...owner, name, tasks, outputParameters });
    const path = `/api/workflow/execute/${name}/1`;
    const requests = Array.from({ length: count }, (_, n) =>
      requestText('POST', path, JSON.stringify({ name, version: 1, input: { n } })),
    );
    const floor = await floorStarts(count, 1);
    await sendAll(subject.server.port, 1, requests.slice(0, Math.ceil(count / 4)));
    const run = await sent(subject.server, 1, requests);
    const isRight = (body: string, n: number): boolean => {
      const { status, output } = JSON.parse(body) as { status: string; output: { last: number } };
      return status === 'COMPLETED' && output.last === n;
    };
    const bad = run.bodies.filter((body, n) => !isRight(body, n)).length;
    return foundOf(run, floor, 'p50', wrongIf([bad > 0, `${bad} results are wrong`]));
  },
};

const webhooks: Workload = {
  name: 'webhooks',
  about: 'calls of a webhook, each of which completes a task that waits for it',
  async run(subject, { requests: count }) {
    const { client, server } = subject;
    const name = 'suite_webhooks';
    const inputParameters = { matches: { id: '${workflow.input.id}' } };
    const task = { name: 'w', taskReferenceName: 'w', type: 'WAIT_FOR_WEBHOOK', inputParameters };
    await client.registerWorkflows({ ...owner, name, tasks: [task] });
    await client.request('POST', '/api/metadata/webhook', {
      ...{ id: name, name, sourcePlatform: 'Custom', verifier: 'HEADER_BASED' },
      headers: { 'x-key': 'k' },
      receiverWorkflowNamesToVersions: { [name]: 1 },
    });
    const run = `${Date.now()}`;
    const idOf = (i: number): string => `${run}-${i}`;
    const waiting = await sendAll(
      server.port,
      connectionsMany,
      Array.from({ length: count }, (_, i) => startOf(name, { id: idOf(i) })),
    );
    await client.untilTask(waiting.bodies.at(-1) ?? '', 'w', 'IN_PROGRESS');
    const calls = Array.from({ length: count }, (_, i) =>
      requestText('POST', `/webhook/${name}`, JSON.stringify({ id: idOf(i) })).replace(
        '\r\n',
        '\r\nx-key: k\r\n',
      ),
    );
    const floor = await floorStarts(count, connectionsMany);
    const called = await sent(server, connectionsMany, calls);
    const wrong: string[] = [];
    for (const id of waiting.bodies) {
      const { status } = await client.untilEnd(id);
      if (status !== 'COMPLETED') wrong.push(`${id} ended as ${status}`);
    }
    return foundOf(called, floor, 'processor time', wrong);
  },
};

const search: Workload = {
  name: 'search',
  about: 'pages of ten executions by name and status, among those that are there',
  async run(subject, { requests: count, searched }) {
    const { server } = subject;
    const name = `suite_search_${Date.now()}`;
    await waitingWorkflow(subject, name);
    const [node, store] = [memoryBytesOf(server.pid), await redisBytes(server)];
    const there = new Array<string>(searched).fill(startOf(name));
    await sendAll(server.port, connectionsMany, there);
    const query = encodeURIComponent(`workflowType = ${name} AND status = RUNNING`);
    const isIndexed = async (): Promise<boolean> =>
      (await hits(subject, `workflowType = ${name}`)) === searched;
    await until('the index', isIndexed, { timeoutMs: 60_000 });
    const memory = {
      'node bytes of an execution': (memoryBytesOf(server.pid) - node) / searched,
      'Redis bytes of an execution': ((await redisBytes(server)) - store) / searched,
    };
    const request = requestText('GET', `/api/workflow/search?size=10&query=${query}`);
    const floor = await floorStarts(count, connectionsMany);
    const requests = Array.from({ length: count }, () => request);
    const run = await sent(server, connectionsMany, requests);
    const isRight = (body: string): boolean => {
      const page = JSON.parse(body) as { totalHits: number; results: { workflowType: string }[] };
      const results = page.results.filter(({ workflowType }) => workflowType === name);
      return page.totalHits === searched && results.length === Math.min(10, searched);
    };
    const bad = run.bodies.filter((body) => !isRight(body)).length;
    const wrong = wrongIf([bad > 0, `${bad} pages are wrong`]);
    const found = foundOf(run, floor, 'processor time', wrong);
    return { ...found, figures: { ...found.figures, ...memory } };
  },
};

export const requestWorkloads: readonly Workload[] = [starts, synchronous, webhooks, search];
