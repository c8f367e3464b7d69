// A session of the JavaScript SDK for its tests, with a server that has authentication on: all
// clients, and a recorder that all requests pass, so that a status which no test asked for is seen
// even where the SDK swallows it.
import {
  MetadataClient,
  TaskClient,
  TaskManager,
  WorkflowExecutor,
  createConductorClient,
  noopLogger,
  type ConductorWorker,
  type Workflow,
} from '@io-orkes/conductor-javascript';
import { expect } from 'vitest';
import type { SharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

export const owner = 'sdk@downbeat.test';

type Client = Awaited<ReturnType<typeof createConductorClient>>;

export class SdkSession {
  readonly executor: WorkflowExecutor;
  readonly metadata: MetadataClient;
  readonly tasks: TaskClient;

  private constructor(
    readonly secured: SharedSecuredServer,
    readonly client: Client,
    /** Requests answered with a status of 400 or more, as `METHOD path status`. */
    readonly refusals: string[],
  ) {
    this.executor = new WorkflowExecutor(client);
    this.metadata = new MetadataClient(client);
    this.tasks = new TaskClient(client);
  }

  static async open(secured: SharedSecuredServer): Promise<SdkSession> {
    const refusals: string[] = [];
    const recordingFetch: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (response.status >= 400) {
        const { method, url } =
          input instanceof Request ? input : { method: '', url: String(input) };
        refusals.push(`${method} ${new URL(url).pathname} ${response.status}`);
      }
      return response;
    };
    // As most programmes configure it: the address with /api.
    const config = {
      serverUrl: `${secured.url}/api/`,
      ...secured.key,
      useEnvVars: false,
      logger: noopLogger,
      refreshTokenInterval: 0,
    };
    return new SdkSession(secured, await createConductorClient(config, recordingFetch), refusals);
  }

  close(): void {
    this.client.stopBackgroundRefresh();
  }

  /** The statuses that `call` is refused with; it must reject. They are taken off the list. */
  async refused(call: () => Promise<unknown>): Promise<string> {
    const before = this.refusals.length;
    const error: unknown = await call().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const seen = this.refusals.splice(before);
    expect(error).toBeDefined();
    return seen.map((refusal) => refusal.split(' ').at(-1)).join(' ');
  }

  async register(name: string, steps: object[], fields: object = {}): Promise<void> {
    const def = { name, version: 1, schemaVersion: 2, timeoutSeconds: 0, ownerEmail: owner };
    await this.metadata.registerWorkflowDef({ ...def, tasks: steps as never, ...fields }, true);
  }

  async registerTask(name: string, fields: object = {}): Promise<void> {
    const def = { name, retryCount: 0, timeoutSeconds: 0, totalTimeoutSeconds: 0 };
    const base = { ...def, ownerEmail: owner, responseTimeoutSeconds: 60 };
    await this.metadata.registerTask({ ...base, ...fields });
  }

  untilStatus(id: string, status: string): Promise<Workflow> {
    return until(`${status} of ${id}`, async () => {
      const seen = await this.executor.getWorkflow(id, true);
      return seen.status === status ? seen : undefined;
    });
  }

  /** Runs `work` while the SDK's own workers poll. */
  async withWorkers<T>(workers: ConductorWorker[], work: () => Promise<T>): Promise<T> {
    const manager = new TaskManager(this.client, workers, {
      logger: noopLogger,
      options: { pollInterval: 10, concurrency: 5 },
    });
    manager.startPolling();
    try {
      return await work();
    } finally {
      await manager.stopPolling();
    }
  }
}

/** The newest task of a reference. */
export function taskOf(workflow: Workflow, ref: string): NonNullable<Workflow['tasks']>[number] {
  const found = workflow.tasks?.findLast((task) => task.referenceTaskName === ref);
  if (found === undefined) throw new Error(`no task ${ref} in ${JSON.stringify(workflow)}`);
  return found;
}
