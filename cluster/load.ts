// A steady load for a local cluster: starters and workers that use all nodes in turn, as clients
// behind a balancer do. A request that fails because a node is away is repeated at the next one,
// and that node is left out for a while.
import { ApiClient, UnexpectedAnswer } from '../testkit/api-client.js';
import { pause } from '../testkit/until.js';

const workflowName = 'cluster_load';
const taskTypes = ['cluster_load_1', 'cluster_load_2'];
const pollTimeoutMs = 2_000;
/** A node that has not answered a request by then is away, ms: longer than a poll waits. */
const requestTimeoutMs = pollTimeoutMs + 1_000;
/** A node that gave no answer is not asked for so long, ms. */
const leftOutMs = 2_000;
/** A worker whose request no node took asks again after this time, ms. */
const restMs = 100;
/** The p99 is that of the reports of so long, ms. */
const p99WindowMs = 10_000;
const latenciesMax = 20_000;

export class ClusterLoad {
  completedTasks = 0;
  failedRequests = 0;
  readonly #clients: readonly ApiClient[];
  /** When each node may be asked again, on the monotonic clock. */
  readonly #askableAt: number[];
  /** The newest reports, oldest first. */
  #reports: { readonly at: number; readonly ms: number }[] = [];
  #next = 0;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #loops: Promise<void>[] = [];

  constructor(urls: readonly string[]) {
    this.#clients = urls.map((url) => new ApiClient(url, { connections: 256, requestTimeoutMs }));
    this.#askableAt = urls.map(() => 0);
  }

  /** Registers what it runs, then starts `workers` pollers and `perSecond` executions a second. */
  async start(workers: number, perSecond: number): Promise<void> {
    await this.#ask(async (client) => {
      await client.registerTasks(
        ...taskTypes.map((name) => ({ name, retryCount: 3, responseTimeoutSeconds: 10 })),
      );
      await client.registerWorkflows({
        name: workflowName,
        version: 1,
        tasks: taskTypes.map((name) => ({ name, taskReferenceName: name, type: 'SIMPLE' })),
      });
    });
    for (let i = 0; i < workers; i++) this.#loops.push(this.#work(i));
    if (perSecond > 0) this.#startAtRate(perSecond);
  }

  /** The slowest of a hundred reports of the last 10 s, ms; 0 when there was none. */
  get p99Ms(): number {
    const since = performance.now() - p99WindowMs;
    this.#reports = this.#reports.filter(({ at }) => at >= since).slice(-latenciesMax);
    const sorted = this.#reports.map(({ ms }) => ms).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    // A node that hangs would keep its requests until their time is over: they are cut off.
    await Promise.all(this.#clients.map((client) => client.close()));
    await Promise.all(this.#loops);
  }

  #startAtRate(perSecond: number): void {
    const everyMs = Math.max(10, 1000 / perSecond);
    let owed = 0;
    this.#timer = setInterval(() => {
      owed += (perSecond * everyMs) / 1000;
      for (; owed >= 1; owed -= 1) {
        this.#ask((client) => client.start({ name: workflowName, version: 1 })).catch(() => {
          this.failedRequests += 1;
        });
      }
    }, everyMs);
  }

  async #work(index: number): Promise<void> {
    const taskType = taskTypes[index % taskTypes.length] as string;
    const workerId = `worker-${index}`;
    while (!this.#stopped) {
      try {
        const tasks = await this.#ask((client) =>
          client.poll(taskType, { count: 20, timeoutMs: pollTimeoutMs, workerId }),
        );
        for (const { taskId, workflowInstanceId } of tasks) {
          const startAt = performance.now();
          const result = { taskId, workflowInstanceId, status: 'COMPLETED' as const };
          await this.#ask((client) => client.update({ ...result, outputData: {} }));
          this.#measured(performance.now() - startAt);
        }
      } catch {
        // Every node refused; the loop asks again until it is stopped.
        this.failedRequests += 1;
        await pause(restMs);
      }
    }
  }

  #measured(ms: number): void {
    this.completedTasks += 1;
    this.#reports.push({ at: performance.now(), ms });
  }

  /** At the next node that is not left out; at each further one when that fails. */
  async #ask<T>(work: (client: ApiClient) => Promise<T>): Promise<T> {
    let failure: unknown = new Error('No node has answered lately');
    for (let i = 0; i < this.#clients.length; i++) {
      this.#next = (this.#next + 1) % this.#clients.length;
      const index = this.#next;
      if ((this.#askableAt[index] as number) > performance.now()) continue;
      try {
        return await work(this.#clients[index] as ApiClient);
      } catch (error) {
        failure = error;
        const isAway = !(error instanceof UnexpectedAnswer);
        if (isAway) this.#askableAt[index] = performance.now() + leftOutMs;
      }
    }
    throw failure;
  }
}
