// A short work through all parts of a server that use the store: a start, polls, a report, a timer,
// an event, a schedule, search and the check of the keyspace. For tests of a server on another
// Redis.
import { expect } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer, type RunningServer, type ServerSettings } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

/** A worker's task, a second's wait, and an event that starts `follower`. */
const journey = {
  name: 'journey',
  version: 1,
  tasks: [
    { name: 'pack', taskReferenceName: 'pack', type: 'SIMPLE' },
    {
      ...{ name: 'rest', taskReferenceName: 'rest', type: 'WAIT' },
      inputParameters: { duration: '1 seconds' },
    },
    { name: 'ready', taskReferenceName: 'ready', type: 'EVENT', sink: 'conductor:ready' },
  ],
};
const follower = {
  name: 'follower',
  version: 1,
  tasks: [{ name: 'v', taskReferenceName: 'v', type: 'SET_VARIABLE', inputParameters: {} }],
};
/** Starts a server, gives it the definitions, and ends it after the work. */
export async function withServer(
  settings: ServerSettings,
  work: (journeys: Journeys) => Promise<void>,
): Promise<void> {
  const server = await startServer(settings);
  const journeys = new Journeys(server);
  try {
    await journeys.register();
    await work(journeys);
  } finally {
    await journeys.client.close();
    await server.stop();
  }
}

export class Journeys {
  readonly client: ApiClient;

  constructor(private readonly server: RunningServer) {
    this.client = new ApiClient(server.url);
  }

  async register(): Promise<void> {
    const { client } = this;
    await client.registerTasks({ name: 'pack' });
    await client.registerWorkflows(journey as never, follower as never);
    await client.ask('POST', '/api/event', {
      ...{ name: 'on-ready', event: 'conductor:journey:ready', active: true },
      actions: [{ action: 'start_workflow', start_workflow: { name: 'follower' } }],
    });
    await client.ask('POST', '/api/scheduler/schedules', {
      ...{ name: 'each-second', cronExpression: '* * * * * *' },
      startWorkflowRequest: { name: 'follower', correlationId: 'by schedule' },
    });
  }

  /** Starts one and works on it until it has ended. Its id. */
  async travel(): Promise<string> {
    const { client } = this;
    const start = { name: 'journey', version: 1, idempotencyKey: `journey ${performance.now()}` };
    const idempotencyStrategy = 'RETURN_EXISTING';
    const workflowInstanceId = await patiently('a start', () =>
      client.start({ ...start, idempotencyStrategy }),
    );
    const { taskId } = await patiently('its task', async () => {
      const tasks = await client.poll('pack', { timeoutMs: 1_000 });
      return tasks.find((task) => task.workflowInstanceId === workflowInstanceId);
    });
    await patiently('its report', async () => {
      await client.update({ workflowInstanceId, taskId, status: 'COMPLETED' });
      return true;
    });
    await this.untilCompleted(workflowInstanceId);
    return workflowInstanceId;
  }

  async untilCompleted(workflowId: string): Promise<void> {
    await patiently('its end', async () => {
      const { status } = await this.client.workflow(workflowId);
      return status === 'COMPLETED';
    });
  }

  /** Waits until a schedule and an event have started what they name. */
  async untilScheduled(): Promise<void> {
    await this.untilFound('workflowType = follower AND correlationId = "by schedule"', 1);
    await this.untilFound('workflowType = follower', 2);
  }

  /** Waits until a search finds so many. */
  async untilFound(query: string, count: number): Promise<void> {
    await patiently(`${count} of ${query}`, async () => {
      const path = `/api/workflow/search?query=${encodeURIComponent(query)}`;
      const { body } = await this.client.ask('GET', path);
      return (body as { totalHits: number }).totalHits >= count;
    });
  }

  /**
   * Waits until the check of the keyspace finds nothing but leases of tasks that have ended, which
   * may stay until they end when a failover makes a report's outcome unclear; has them mended.
   */
  async expectInOrder(): Promise<void> {
    let found: readonly string[] = ['not checked'];
    const check = async (method: 'GET' | 'POST'): Promise<void> => {
      const { body } = await this.client.ask(method, '/api/admin/fsck');
      found = (body as { violations: { kind: string }[] }).violations.map(({ kind }) => kind);
    };
    const onlyLeases = async (): Promise<boolean> => {
      await check('GET');
      return found.every((kind) => kind === 'queue-orphan');
    };
    await patiently('order', onlyLeases).catch(() => expect(found).toEqual([]));
    const mended = async (): Promise<boolean> => {
      await check('POST');
      await check('GET');
      return found.length === 0;
    };
    await patiently('the repair', mended).catch(() => expect(found).toEqual([]));
    // A script whose keys do not share a slot, or that uses one which it was not given.
    expect(this.server.output).not.toMatch(/CROSSSLOT|non local key/);
  }
}

/**
 * Repeats what is refused or has not come yet. After a failover nothing is acknowledged until all
 * replicas follow the new primary: Sentinel tells the former one after 8 s.
 */
async function patiently<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  return await until(what, () => look().catch(() => undefined), { timeoutMs: 45_000 });
}
