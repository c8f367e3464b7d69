// A process whose event loop is blocked ends itself and says what it was doing; one that stood
// still as a whole does not.
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { buildTools } from '../support/build.js';
import { signalProcess } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';
import { untilMoment } from '../../testkit/until.js';
import { startServer, type RunningServer } from '../../testkit/server.js';

const program = [path.join(projectRoot, 'test', 'torture', 'planted-executions.mjs')];
const task = { name: 'one', taskReferenceName: 'one', type: 'SIMPLE', inputParameters: {} };

beforeAll(buildTools, 180_000);

async function withServer(
  blockedMsMax: number,
  use: (server: RunningServer, api: ApiClient) => Promise<void>,
): Promise<void> {
  const args = ['--loop-blocked-ms-max', String(blockedMsMax)];
  const server = await startServer({ program, args });
  const api = new ApiClient(server.url);
  try {
    await api.registerTasks({ name: 'one' });
    await use(server, api);
  } finally {
    await api.close();
    await server.stop();
  }
}

it('ends a process whose loop is blocked, and names it', { timeout: 120_000 }, async () => {
  await withServer(1000, async (server, api) => {
    await api.registerWorkflows({ name: 'blocks_its_node', version: 1, tasks: [task] });
    const id = await api.start({ name: 'blocks_its_node', version: 1 });
    const [polled] = await api.poll('one', { timeoutMs: 5000 });
    const { taskId } = polled ?? {};
    const report = { workflowInstanceId: id, taskId, status: 'COMPLETED', outputData: {} };
    await expect(api.request('POST', '/api/tasks', report)).rejects.toThrow();
    expect(await server.ended).toEqual({ code: 70, signal: null });
    const said = server.output.split('\n').find((line) => line.includes('was blocked for 1000 ms'));
    expect(JSON.parse(said ?? '{}')).toMatchObject({
      level: 60,
      execution: id,
      stack: expect.stringContaining('neverEnd') as string,
      msg: expect.stringContaining(`it ran a step of execution ${id}`) as string,
    });
  });
});

it('lets a process go on that stood still', async () => {
  await withServer(2000, async (server, api) => {
    signalProcess(server.pid, 'SIGSTOP');
    // Twice as long as a loop may be blocked.
    await untilMoment(Date.now() + 4000);
    signalProcess(server.pid, 'SIGCONT');
    await server.healthy();
    // Longer than the watchdog would need to see it blocked.
    for (let turn = 0; turn < 30; turn++) await api.poll('one', { timeoutMs: 100 });
    expect(server.output).not.toContain('was blocked');
  });
});
