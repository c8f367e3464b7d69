// A steady load for a local cluster: starters and workers that use all nodes in turn, as clients
// behind a balancer do. A request that fails because a node is away is repeated at the next one.
import { ApiClient } from '../test/support/api-client.js';

const workflowName = 'cluster_load';
const taskTypes = ['cluster_load_1', 'cluster_load_2'];
const pollTimeoutMs = 2_000;
const latenciesKept = 2_000;

export class ClusterLoad {
  completedTasks = 0;
  failedRequests = 0;
  readonly #clients: readonly ApiClient[];
  readonly #latencies: number[] = [];
  #next = 0;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #loops: Promise<void>[] = [];

  constructor(urls: readonly string[]) {
    this.#clients = urls.map((url) => new ApiClient(url, { connections: 256 }));
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

  /** The slowest of a hundred reports, ms, over the newest ones; 0 before the first. */
  get p99Ms(): number {
    const sorted = [...this.#latencies].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await Promise.all(this.#loops);
    await Promise.all(this.#clients.map((client) => client.close()));
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
      }
    }
  }

  #measured(ms: number): void {
    this.completedTasks += 1;
    this.#latencies[this.completedTasks % latenciesKept] = ms;
  }

  /** At the next node; at each further one when that fails. */
  async #ask<T>(work: (client: ApiClient) => Promise<T>): Promise<T> {
    let failure: unknown;
    for (let i = 0; i < this.#clients.length; i++) {
      this.#next = (this.#next + 1) % this.#clients.length;
      try {
        return await work(this.#clients[this.#next] as ApiClient);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
}
