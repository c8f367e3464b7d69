// What the tests of all replies share: a server with authentication, a provider of models beside
// it, and steps that have to succeed.
import { afterAll, beforeAll } from 'vitest';
import { ModelServer } from '../../support/model-server.js';
import { until } from '../../../testkit/until.js';
import { SecuredServer, type Answer, type Method } from '../../../testkit/secured-server.js';

/** Both are there from `serveReplies` on. */
export let secured: SecuredServer;
export let models: ModelServer;

/** Starts both before the tests of a file and ends them after those. */
export function serveReplies(args: readonly string[] = []): void {
  beforeAll(async () => {
    models = new ModelServer();
    await models.start();
    secured = await SecuredServer.start({ args: ['--outbound-allow-inside=true', ...args] });
  });
  afterAll(async () => {
    await secured?.stop();
    await models.stop();
  });
}

/** Sends a request as the administrator; throws unless it succeeds. */
export async function done(method: Method, route: string, body?: unknown): Promise<Answer> {
  const answer = await secured.admin.request(method, route, body);
  if (answer.status < 400) return answer;
  throw new Error(`${method} ${route} answered ${answer.status}: ${answer.text}`);
}

/** Reads each of them; a list until it has an entry, since some follow what was done. */
export async function shown(...routes: readonly string[]): Promise<void> {
  for (const route of routes) {
    await until(`an entry in ${route}`, async () => (await done('GET', route)).text !== '[]');
  }
}

const tags = [{ key: 'team', value: 'ops' }];

/** Adds, lists and removes the tags of a resource. */
export async function tagged(resource: string): Promise<void> {
  await done('PUT', `${resource}/tags`, tags);
  await shown(`${resource}/tags`);
  await done('DELETE', `${resource}/tags`, tags);
}

/** Starts an execution of one task; resolves with its id and the task's. */
export async function started(
  type: string,
  more: object = {},
): Promise<{ workflowId: string; taskId: string }> {
  const task = { name: `of_${type}`, taskReferenceName: 'a', type, ...more };
  const workflowDef = { name: `one_${type}`, version: 1, ownerEmail: 'a@b.co', tasks: [task] };
  const start = { name: workflowDef.name, workflowDef };
  const workflowId = (await done('POST', '/api/workflow', start)).text;
  const { tasks } = (await done('GET', `/api/workflow/${workflowId}`)).body;
  return { workflowId, taskId: tasks[0].taskId };
}
