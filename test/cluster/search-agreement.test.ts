// Searches agree with executions while nodes are killed in the middle of load: where the service
// is there, no entry of an index differs for a second from an execution that stands still.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalCluster } from '../../cluster/local-cluster.js';
import type { LocalNode } from '../../cluster/local-node.js';
import { ApiClient } from '../../testkit/api-client.js';
import { ClusterClient } from '../support/cluster-client.js';
import { tell } from '../support/figures.js';
import { IndexAgreement } from '../support/index-agreement.js';
import { stretched, times } from '../../testkit/load.js';
import { untilSettled } from '../../cluster/settled-cluster.js';
import { until } from '../../testkit/until.js';

const workflow = 'agreement';
const statuses = ['RUNNING', 'PAUSED', 'COMPLETED', 'TERMINATED', 'FAILED', 'TIMED_OUT'];
const differsMsMax = 1000;
/** Kills of many nodes, and an index of words, which is built from 5,000 executions on. */
const isLong = process.env['LONG_TESTS'] === '1';

let cluster: LocalCluster;
let client: ClusterClient;
const direct = new Map<LocalNode, ApiClient>();

beforeAll(async () => {
  cluster = await LocalCluster.start({ nodes: 2, redis: 'single', port: 0, isDirect: true });
  client = new ClusterClient(cluster.urls, { repeats: 1 });
  for (const node of cluster.nodes) direct.set(node, new ApiClient(node.url));
  await untilSettled(cluster);
  await client.registerTasks({ name: workflow, retryCount: 0, responseTimeoutSeconds: 3600 });
  await client.registerWorkflows({
    ...{ name: workflow, version: 1 },
    tasks: [{ name: workflow, taskReferenceName: 'one' }],
  });
}, 120_000);

afterAll(async () => {
  await Promise.all([client, ...direct.values()].map((each) => each.close()));
  await cluster.stop();
}, 60_000);

/** Starts, ends, pauses and completes executions until it is stopped. */
class Load {
  readonly agreement: IndexAgreement;
  /** Acknowledged steps. */
  steps = 0;
  #isOver = false;
  readonly #loops: Promise<void>[];

  constructor(
    private readonly executionsMax: number,
    word?: string,
  ) {
    this.agreement = new IndexAgreement(workflow, statuses, word);
    this.#loops = [
      this.#repeat((n) => this.#start(n)),
      this.#repeat((n) => this.#start(n)),
      this.#repeat(() => this.#work()),
    ];
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  /** What fails while nodes are away is left as it is: its outcome is compared all the same. */
  async #repeat(step: (n: number) => Promise<void>): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      try {
        await step(n);
        this.steps += 1;
      } catch {
        await until('an answer', answers);
      }
    }
  }

  async #start(n: number): Promise<void> {
    const { agreement } = this;
    if (agreement.size >= this.executionsMax) return void (await client.ask('GET', '/health'));
    const id = await client.start({ name: workflow, input: { note: 'parcel' } });
    agreement.add(id);
    if (n % 4 === 1) await client.terminate(id);
    else if (n % 4 === 2) await client.ask('PUT', `/api/workflow/${id}/pause`);
  }

  async #work(): Promise<void> {
    for (const { taskId, workflowInstanceId } of await client.poll(workflow, { count: 3 })) {
      await client.update({ taskId, workflowInstanceId, status: 'COMPLETED' });
    }
  }
}

async function answers(): Promise<boolean> {
  return await client.ask('GET', '/health').then(
    () => true,
    () => false,
  );
}

/** Looks through the nodes that run until `count` looks were whole. */
async function looks({ agreement }: Load, count: number): Promise<void> {
  for (let whole = 0; whole < count;) {
    for (const node of cluster.nodes.filter(({ state }) => state === 'running')) {
      try {
        await agreement.look(client, direct.get(node) as ApiClient);
        whole += 1;
      } catch {
        agreement.reset();
        await until('an answer', answers);
      }
    }
  }
}

async function untilMoving(load: Load): Promise<void> {
  const before = load.steps;
  await until('some steps of the load', () => load.steps > before + 10, { timeoutMs: 60_000 });
}

async function killAndReturn(load: Load, victims: readonly LocalNode[]): Promise<void> {
  await untilMoving(load);
  await Promise.all(victims.map((node) => node.kill()));
  if (victims.length < cluster.nodes.length) await looks(load, 2);
  for (const node of victims) await node.start();
  await looks(load, 2);
}

async function expectAgreement(load: Load): Promise<void> {
  await load.stop();
  const { agreement } = load;
  await until(
    'all to agree',
    async () => {
      await looks(load, 1);
      return agreement.differing.size === 0;
    },
    { timeoutMs: stretched(differsMsMax) },
  ).catch(() => undefined);
  tell(
    `${agreement.agreed} comparisons of ${agreement.size} executions agreed; the longest ` +
      `difference took ${Math.round(agreement.longestMs)} ms`,
  );
  expect([...agreement.differing.values()]).toEqual([]);
  expect(agreement.longestMs).toBeLessThan(differsMsMax);
  expect(agreement.agreed).toBeGreaterThan(agreement.size);
}

describe('searches while nodes are killed', () => {
  it('would be seen to differ', async () => {
    const agreement = new IndexAgreement(workflow, ['COMPLETED']);
    const id = await client.start({ name: workflow, taskToDomain: { '*': 'nobody' } });
    agreement.add(id);
    await agreement.look(client, client);
    const [difference] = agreement.differing.values();
    expect(difference?.text).toBe(`${id} is RUNNING, the index says `);
  });

  it('agree with executions that stand still', { timeout: 120_000 }, async () => {
    const load = new Load(100);
    await killAndReturn(load, [cluster.nodes[0] as LocalNode]);
    await expectAgreement(load);
  });

  it('agree when the whole service was away', { timeout: 120_000 }, async () => {
    const load = new Load(100);
    await killAndReturn(load, cluster.nodes);
    await expectAgreement(load);
  });
});

describe.skipIf(!isLong)('searches while nodes are killed again and again', () => {
  it('agree by statuses', { timeout: 600_000 }, async () => {
    const load = new Load(1000);
    for (let round = 0; round < 20; round++) {
      const victims = round % 5 === 4 ? cluster.nodes : [cluster.nodes[round % 2] as LocalNode];
      await killAndReturn(load, victims);
    }
    await expectAgreement(load);
  });

  it('agree by words, from an index in memory', { timeout: 600_000 }, async () => {
    const still = { name: workflow, taskToDomain: { '*': 'nobody' }, input: { note: 'parcel' } };
    await times(5_000, 16, () => client.start(still));
    const load = new Load(300, 'parcel');
    for (let round = 0; round < 4; round++) {
      await killAndReturn(load, [cluster.nodes[round % 2] as LocalNode]);
    }
    await expectAgreement(load);
  });
});
