// A node that is asked to stop is not ready first: `/health` says so while it still listens and
// serves, so that a balancer has time to turn away from it. It lives until its end.
import { expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { signalProcess } from '../../testkit/process.js';
import { startServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

it('is not ready before it stops to serve', async () => {
  const server = await startServer({ args: ['--leave-notice-ms', '1500'] });
  const api = new ApiClient(server.url);
  try {
    const task = { name: 'v', taskReferenceName: 'v', type: 'SET_VARIABLE', inputParameters: {} };
    await api.registerWorkflows({ name: 'last', version: 1, tasks: [task] });
    signalProcess(server.pid, 'SIGTERM');
    const health = await until('the notice', async () => {
      const answer = await api.request('GET', '/health');
      return answer.status === 503 ? answer : undefined;
    });
    expect(health.body).toMatchObject({
      healthy: false,
      details: { why: 'This node is leaving the cluster' },
    });
    expect((await api.request('GET', '/health/live')).status).toBe(200);
    const id = await api.start({ name: 'last', version: 1 });
    expect((await api.workflow(id)).status).toBe('COMPLETED');
    await until('the log', () => server.output.includes('not healthy: This node is leaving'));
    expect(await server.kill('SIGTERM')).toBe(0);
  } finally {
    await api.close();
    await server.stop();
  }
});
