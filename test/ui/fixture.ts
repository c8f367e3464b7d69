// A server with something to look at: definitions, failed, waiting and running executions, and a
// worker that the tests drive themselves.
import { ApiClient } from '../../testkit/api-client.js';
import { SecuredServer } from '../../testkit/secured-server.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import { TestBrowser, buildPage } from './browser.js';

const common = { version: 1, ownerEmail: 'a@b.co', schemaVersion: 2, timeoutSeconds: 0 };

export const order = {
  ...common,
  name: 'ui_order',
  inputParameters: ['amount'],
  tasks: [
    {
      name: 'ui_charge',
      taskReferenceName: 'charge',
      type: 'SIMPLE',
      inputParameters: { amount: '${workflow.input.amount}' },
    },
    {
      name: 'fork',
      taskReferenceName: 'fork',
      type: 'FORK_JOIN',
      forkTasks: [
        [{ name: 'ui_ship', taskReferenceName: 'ship', type: 'SIMPLE' }],
        [{ name: 'ui_mail', taskReferenceName: 'mail', type: 'SIMPLE' }],
      ],
    },
    { name: 'join', taskReferenceName: 'join', type: 'JOIN', joinOn: ['ship', 'mail'] },
  ],
};

const chargeTask = {
  ...{ name: 'ui_charge', ownerEmail: 'a@b.co', retryCount: 0 },
  ...{ timeoutSeconds: 0, responseTimeoutSeconds: 60 },
};

type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE';

interface PolledTask {
  readonly taskId: string;
  readonly workflowInstanceId: string;
}

interface Requests {
  request(
    method: Verb,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly text: string; readonly body: unknown }>;
}

export class PageFixture {
  private constructor(
    readonly server: RunningServer,
    readonly api: Requests,
    readonly browser: TestBrowser,
    private readonly closeClient: () => Promise<void> = () => Promise.resolve(),
  ) {}

  /** `basePath`: also served below it. */
  static async start(basePath = '', more: readonly string[] = []): Promise<PageFixture> {
    buildPage();
    const args = [...(basePath === '' ? [] : ['--base-path', basePath]), ...more];
    const server = await startServer({ args });
    const api = new ApiClient(server.url);
    return new PageFixture(server, api, await TestBrowser.launch(), () => api.close());
  }

  /** With authentication on; `api` is an administrator's. */
  static async startSecured(more: readonly string[] = []): Promise<PageFixture> {
    buildPage();
    const { server, admin } = await SecuredServer.start({ args: [...more] });
    return new PageFixture(server, admin, await TestBrowser.launch());
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.closeClient();
    await this.server.stop();
  }

  async define(...definitions: readonly object[]): Promise<void> {
    await this.expectOk('POST', '/api/metadata/taskdefs', [chargeTask]);
    await this.expectOk('PUT', '/api/metadata/workflow', definitions);
  }

  /** Id of a new execution. */
  async run(name: string, input: object = {}, correlationId?: string): Promise<string> {
    const request = { name, version: 1, input, correlationId };
    return String(await this.expectOk('POST', '/api/workflow', request));
  }

  /** What a worker does with the next task of a type. */
  async work(taskType: string, status: string, reason = '', outputData = {}): Promise<void> {
    const path = `/api/tasks/poll/${taskType}?workerid=ui-worker`;
    const task = await until(`a task of ${taskType}`, async () => {
      const polled = (await this.expectOk('GET', path)) as Partial<PolledTask>;
      return polled.taskId === undefined ? undefined : (polled as PolledTask);
    });
    await this.expectOk('POST', '/api/tasks', {
      ...{ taskId: task.taskId, workflowInstanceId: task.workflowInstanceId, status },
      ...{ workerId: 'ui-worker', reasonForIncompletion: reason, outputData },
    });
  }

  async expectOk(method: Verb, path: string, body?: unknown): Promise<unknown> {
    const answer = await this.api.request(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  }
}
