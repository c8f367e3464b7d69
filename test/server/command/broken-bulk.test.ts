// `downbeat bulk` whose server is killed after each of its writes, before the answer is there, and
// in the middle of the job: what is run again, or simply goes on, ends all that were found.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { Between } from '../../support/between.js';
import { PackedCommand } from '../../support/command.js';
import { sharedMortalServer } from '../../support/shared-server.js';
import { until } from '../../../testkit/until.js';

const count = 30;
const flow = 'command_broken_bulk_torn';

const server = sharedMortalServer(import.meta.url);
let api: ApiClient;
let between: Between;
let downbeat: PackedCommand;

beforeAll(async () => {
  api = new ApiClient(server.url);
  between = await Between.before(server.url);
  downbeat = new PackedCommand(between.url);
  const tasks = [{ name: 'wait', taskReferenceName: 'wait', type: 'WAIT' }];
  await api.registerWorkflows({ name: flow, version: 1, tasks });
}, 180_000);
afterAll(async () => {
  downbeat.remove();
  between.close();
  await api.close();
});

describe('a bulk job', { timeout: 120_000 }, () => {
  it('ends all that were found, though the server is killed after each write', async () => {
    const ids = await Promise.all(Array.from({ length: count }, () => api.start({ name: flow })));
    const found = async (): Promise<boolean> => {
      const query = encodeURIComponent(`workflowType = ${flow} AND status = RUNNING`);
      const { body } = await api.request('GET', `/api/workflow/search?query=${query}`);
      return (body as { totalHits: number }).totalHits === count;
    };
    await until('all in the search', found);
    const calls: string[] = [];
    between.afterWrite = async (call) => {
      const name = call.replace(/[^/]+(?=\/start$)/, 'ID');
      if (calls.includes(name)) return 'kept';
      calls.push(name);
      await server.kill();
      await server.restart();
      return 'lost';
    };
    const args = ['bulk', 'terminate', '--workflow', flow, '--yes', '--rate', '20'];
    const lost = await downbeat.run(args);
    expect(lost.stderr).toMatch(/cannot be reached/);
    expect(lost).toMatchObject({ code: 3, stdout: '' });
    expect(calls).toEqual(['POST /api/bulk-jobs']);
    // The job goes on after its start whose answer was lost, and after a kill in its middle.
    const program = downbeat.start(args);
    await until('the middle', () => /[1-9]\d*\/30 /.test(program.output()), { timeoutMs: 60_000 });
    await server.kill();
    await server.restart();
    expect((await program.ended).code, program.output()).toBe(0);
    expect(calls).toEqual(['POST /api/bulk-jobs', 'POST /api/bulk-jobs/ID/start']);
    for (const id of ids) expect((await api.workflow(id)).status).toBe('TERMINATED');
  });
});
