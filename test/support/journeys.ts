// A short work through all parts of a server that use the store: a start, polls, a report, a timer,
// an event, a schedule, search and the check of the keyspace. For tests of a server on another Redis.
import { expect } from 'vitest';
import { ApiClient } from './api-client.js';
import { startServer, type RunningServer, type ServerSettings } from './server.js';
import { until } from './until.js';

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
/**
 * After a failover all replicas must follow the new primary before anything is acknowledged:
 * Sentinel tells the former one after 8 s.
 */
const patience = { timeoutMs: 45_000 };

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

  /** Starts one, repeating what is refused, and works on it until it has ended. Its id. */
  async travel(): Promise<string> {
    const { client } = this;
    const idempotencyKey = `journey ${performance.now()}`;
    const start = { name: 'journey', version: 1, idempotencyKey };
    const idempotencyStrategy = 'RETURN_EXISTING';
    const workflowId = await until(
      'a start',
      () => client.start({ ...start, idempotencyStrategy }).catch(() => undefined),
      patience,
    );
    const task = await until(
      'its task',
      async () => {
        const tasks = await client.poll('pack', { timeoutMs: 1_000 }).catch(() => []);
        return tasks.find((each) => each.workflowInstanceId === workflowId);
      },
      patience,
    );
    const result = { workflowInstanceId: workflowId, taskId: task.taskId };
    await until(
      'its report',
      () =>
        client.update({ ...result, status: 'COMPLETED' }).then(
          () => true,
          () => false,
        ),
      patience,
    );
    expect(await client.untilEnd(workflowId, patience)).toMatchObject({ status: 'COMPLETED' });
    return workflowId;
  }

  /** Waits until a schedule and an event have started what they name. */
  async untilScheduled(): Promise<void> {
    await this.untilFound('workflowType = follower AND correlationId = "by schedule"', 1);
    await this.untilFound('workflowType = follower', 2);
  }

  /** Waits until a search finds so many. */
  async untilFound(query: string, count: number): Promise<void> {
    const path = `/api/workflow/search?query=${encodeURIComponent(query)}`;
    const look = async (): Promise<boolean> => {
      const { body } = await this.client.ask('GET', path);
      return (body as { totalHits: number }).totalHits >= count;
    };
    await until(`${count} of ${query}`, look, patience);
  }

  async expectInOrder(): Promise<void> {
    const { body } = await this.client.ask('GET', '/api/admin/fsck');
    expect(body).toMatchObject({ violations: [] });
    // A script whose keys do not share a slot, or that uses one which it was not given.
    expect(this.server.output).not.toMatch(/CROSSSLOT|non local key/);
  }
}
