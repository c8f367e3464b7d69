// What the judges of a torture run read when everything has been drained: the executions, what
// stands in queues, and leases. It comes from the server and its Redis, and what came is kept, so
// that a failing run can be judged again from its file.
import { KeyspaceReader } from '../../src/redis/keyspace-reader.js';
import { RedisClient } from '../../src/redis/client.js';
import { UnexpectedAnswer, type ApiClient } from '../../testkit/api-client.js';
import { until } from '../../testkit/until.js';
import type { WireWorkflow } from '../../testkit/wire.js';

export interface RunReader {
  /** undefined when there is no such execution. */
  workflow(id: string): Promise<WireWorkflow | undefined>;
  /** Ids of all executions of a correlation id. */
  correlated(workflowName: string, correlationId: string): Promise<readonly string[]>;
  /** Waiting tasks by type. */
  queueSizes(taskTypes: readonly string[]): Promise<{ readonly [taskType: string]: number }>;
  /** Members of queues that are leased, and stay so although everything has ended. */
  leases(): Promise<readonly string[]>;
}

/** The Redis of a run, as for `--redis-url` and `--redis-prefix`. */
export interface StoreOfRun {
  readonly url: string;
  readonly prefix: string;
}

/** Everything that was read; keys of `correlated` are name and correlation id. */
export interface RunAnswers {
  readonly workflows: { [id: string]: WireWorkflow | null };
  readonly correlated: { [key: string]: readonly string[] };
  queueSizes: { readonly [taskType: string]: number };
  leases: readonly string[];
}

const leasesTimeoutMs = 30_000;

export class LiveReader implements RunReader {
  readonly answers: RunAnswers = { workflows: {}, correlated: {}, queueSizes: {}, leases: [] };

  /** `store`: of a run in which everything has ended. */
  constructor(
    private readonly client: ApiClient,
    private readonly store: StoreOfRun | undefined,
  ) {}

  async workflow(id: string): Promise<WireWorkflow | undefined> {
    const found = await this.#find(id);
    this.answers.workflows[id] = found ?? null;
    return found;
  }

  async #find(id: string): Promise<WireWorkflow | undefined> {
    try {
      return await this.client.workflow(id);
    } catch (error) {
      if (error instanceof UnexpectedAnswer && error.answer.status === 404) return undefined;
      throw error;
    }
  }

  async correlated(workflowName: string, correlationId: string): Promise<readonly string[]> {
    const path = `/api/workflow/${workflowName}/correlated/${correlationId}`;
    const { body } = await this.client.ask('GET', `${path}?includeClosed=true&includeTasks=false`);
    const ids = (body as WireWorkflow[]).map((workflow) => workflow.workflowId);
    this.answers.correlated[`${workflowName} ${correlationId}`] = ids;
    return ids;
  }

  async queueSizes(taskTypes: readonly string[]): Promise<{ [taskType: string]: number }> {
    const query = taskTypes.map((name) => `taskType=${name}`);
    const { body } = await this.client.ask('GET', `/api/tasks/queue/sizes?${query.join('&')}`);
    this.answers.queueSizes = body as { [taskType: string]: number };
    return body as { [taskType: string]: number };
  }

  /**
   * What a crash kept from the queue comes out with the end of its lease, and every queue is looked
   * at within 10 s.
   */
  async leases(): Promise<readonly string[]> {
    this.answers.leases = this.store === undefined ? [] : await leasesLeft(this.store);
    return this.answers.leases;
  }
}

async function leasesLeft({ url, prefix }: StoreOfRun): Promise<string[]> {
  const redis = new RedisClient({ url, prefix });
  const reader = new KeyspaceReader(redis);
  const leased = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const keys of reader.names()) {
      for (const key of keys.filter((each) => each.includes(':leases:'))) {
        for await (const fields of reader.fields(key))
          found.push(...fields.map(({ field }) => field));
      }
    }
    return found;
  };
  try {
    await redis.connect();
    await until('queues without leases', async () => (await leased()).length === 0, {
      timeoutMs: leasesTimeoutMs,
      everyMs: 500,
    });
    return [];
  } catch {
    return await leased();
  } finally {
    redis.disconnect();
  }
}

/** Answers from the file of an earlier run. */
export class RecordedReader implements RunReader {
  constructor(private readonly answers: RunAnswers) {}

  workflow(id: string): Promise<WireWorkflow | undefined> {
    return Promise.resolve(this.answers.workflows[id] ?? undefined);
  }

  correlated(workflowName: string, correlationId: string): Promise<readonly string[]> {
    return Promise.resolve(this.answers.correlated[`${workflowName} ${correlationId}`] ?? []);
  }

  queueSizes(): Promise<{ readonly [taskType: string]: number }> {
    return Promise.resolve(this.answers.queueSizes);
  }

  leases(): Promise<readonly string[]> {
    return Promise.resolve(this.answers.leases);
  }
}
