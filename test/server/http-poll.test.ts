// HTTP_POLL (semantics 4.23) in a workflow: its polls, its condition over earlier tasks, retries,
// time-outs, and what it says about its waiting.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import type { TaskConfig, WireWorkflow } from '../../testkit/wire.js';

let server: RunningServer;
let api: ApiClient;
let stub: http.Server;
let base: string;
const calls = new Map<string, number>();

beforeAll(async () => {
  stub = http.createServer((request, response) => {
    const path = request.url ?? '';
    const count = (calls.get(path) ?? 0) + 1;
    calls.set(path, count);
    const status = path.startsWith('/flaky') && count === 2 ? 503 : 200;
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ count }));
  });
  await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
  server = await startServer({
    args: ['--outbound-allow-inside=true', '--http-poll-interval-seconds-min=1'],
  });
  api = new ApiClient(server.url);
});

afterAll(async () => {
  await api.close();
  await server.stop();
  await new Promise((resolve) => stub.close(resolve));
});

async function start(name: string, tasks: TaskConfig[]): Promise<string> {
  const def = {
    name,
    version: 1,
    ownerEmail: 'a@b.co',
    schemaVersion: 2,
    timeoutSeconds: 0,
    tasks,
  };
  await api.registerWorkflows(def);
  return await api.start({ name, version: 1, input: { wanted: 2 } });
}

function pollTask(path: string, fields: object, more: object = {}): TaskConfig {
  const request = { uri: base + path, method: 'GET', pollingInterval: 1, ...fields };
  const inputParameters = { http_request: request };
  return { name: 'poll', taskReferenceName: 'poll', type: 'HTTP_POLL', inputParameters, ...more };
}

const ended = (id: string): Promise<WireWorkflow> =>
  api.untilWorkflow(id, (workflow) => workflow.status !== 'RUNNING');

describe('an HTTP_POLL task of a workflow', () => {
  it('polls until its condition over the answer and earlier tasks holds', async () => {
    const terminationCondition =
      '(function () { return $.output.response.body.count >= $.earlier.output.result; })();';
    const earlier = {
      name: 'earlier',
      taskReferenceName: 'earlier',
      type: 'INLINE',
      inputParameters: { expression: '$.wanted', wanted: '${workflow.input.wanted}' },
    };
    const id = await start('hp_until', [earlier, pollTask('/until', { terminationCondition })]);
    const workflow = await ended(id);
    expect(workflow.status).toBe('COMPLETED');
    expect(workflow.tasks[1]).toMatchObject({
      taskType: 'HTTP_POLL',
      status: 'COMPLETED',
      pollCount: 2,
      outputData: { response: { body: { count: 2 } } },
    });
  });

  it('begins anew with a retry when an answer is not accepted', async () => {
    const retries = { name: 'hp_retried', ownerEmail: 'a@b.co', retryCount: 1, timeoutSeconds: 0 };
    await api.registerTasks({ ...retries, retryDelaySeconds: 0 });
    const fields = { terminationCondition: '$.output.response.body.count > 3' };
    const id = await start('hp_retry', [pollTask('/flaky', fields, { name: 'hp_retried' })]);
    const workflow = await ended(id);
    expect(workflow.status).toBe('COMPLETED');
    const shown = workflow.tasks.map(({ status, pollCount }) => [status, pollCount]);
    expect(shown).toEqual([
      ['FAILED', 2],
      ['COMPLETED', 2],
    ]);
  });

  it('says when it polls again, and ends with its time-out', async () => {
    const limits = { name: 'hp_limited', ownerEmail: 'a@b.co', retryCount: 0, timeoutSeconds: 2 };
    await api.registerTasks({ ...limits, timeoutPolicy: 'TIME_OUT_WF' });
    const fields = { terminationCondition: 'false', pollingInterval: 3000 };
    const id = await start('hp_limit', [pollTask('/never', fields, { name: 'hp_limited' })]);
    await until('the time of the next poll in the answer to why', async () => {
      const { body } = await api.request('GET', `/api/workflow/${id}/why`);
      return /poll.* asked to be called back at/.test(JSON.stringify(body));
    });
    expect((await ended(id)).tasks[0]?.status).toBe('TIMED_OUT');
    expect(calls.get('/never')).toBe(1);
  });

  it('is refused with a condition that does not parse and a strategy that there is not', async () => {
    const fields = { terminationCondition: '$.output.', pollingStrategy: 'RANDOM' };
    const refused = await start('hp_wrong', [pollTask('/', fields)]).catch(String);
    expect(refused).toMatch(/Expression is not well formatted/);
    expect(refused).toMatch(/pollingStrategy must be one of FIXED/);
  });
});
