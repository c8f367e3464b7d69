// Without authentication everybody who reaches the port may do everything, but a page of another
// site in a browser beside the server may not (docs/access.md, Callers). The headers are those that
// browsers send, which no page can change.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { httpLibraries } from '../support/http-libraries.js';

describe.each(httpLibraries)('a server without authentication, on %s', (library) => {
  let server: RunningServer;
  let api: ApiClient;

  beforeAll(async () => {
    server = await startServer({ args: [`--http-server=${library}`] });
    api = new ApiClient(server.url);
    await api.registerWorkflows({
      name: 'guarded',
      tasks: [{ name: 'wait', taskReferenceName: 'wait', type: 'WAIT' }],
    });
    const schedule = {
      ...{ name: 'yearly', cronExpression: '0 0 0 1 1 ?', zoneId: 'UTC' },
      startWorkflowRequest: { name: 'guarded', version: 1 },
    };
    expect((await api.request('POST', '/api/scheduler/schedules', schedule)).status).toBe(200);
  });
  afterAll(async () => {
    await api?.close();
    await server?.stop();
  });

  const from = async (site: string | undefined, method: string, path: string): Promise<number> => {
    const headers = { 'content-type': 'text/plain', ...(site && { 'sec-fetch-site': site }) };
    const body = method === 'GET' ? {} : { body: '{}' };
    const answer = await fetch(server.url + path, { method, headers, ...body });
    return answer.status;
  };
  const isPaused = async (): Promise<unknown> => {
    const { body } = await api.request('GET', '/api/scheduler/schedules/yearly');
    return (body as { paused: boolean }).paused;
  };
  const starts = async (): Promise<unknown> => {
    const path = '/api/workflow/running/guarded';
    return ((await api.request('GET', path)).body as string[]).length;
  };

  it('changes nothing for a page of another site', async () => {
    expect(await from('cross-site', 'GET', '/api/scheduler/schedules/yearly/pause')).toBe(403);
    expect(await isPaused()).toBe(false);
    expect(await from('cross-site', 'POST', '/api/workflow/guarded')).toBe(403);
    expect(await from('cross-site', 'GET', '/api/tasks/poll/anything?timeout=1')).toBe(403);
    expect(await starts()).toBe(0);
  });

  it('answers reads, and all of its own page, of an address typed and of programs', async () => {
    expect(await from('cross-site', 'GET', '/api/scheduler/schedules')).toBe(200);
    for (const site of ['same-origin', 'same-site', 'none', undefined]) {
      expect(await from(site, 'POST', '/api/workflow/guarded')).toBe(200);
    }
    expect(await starts()).toBe(4);
  });
});
