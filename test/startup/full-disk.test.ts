// A full disk under the append-only file of the private Redis: what was acknowledged stays, what
// cannot be stored is refused, the health answer and the log say so, and the node goes on by itself
// once there is room. Needs the right to mount a small file system; elsewhere it is skipped with a
// sentence.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { tell } from '../support/figures.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { startServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

const disk = createFolder();
const isMounted = mount();
afterAll(() => {
  if (isMounted) execFileSync('umount', ['-l', disk], { stdio: 'ignore' });
  removeFolder(disk);
});

function mount(): boolean {
  try {
    const options = ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk];
    execFileSync('mount', options, { stdio: 'ignore' });
    return true;
  } catch {
    tell('skipped: a full disk needs the right to mount a small file system');
    return false;
  }
}

it.skipIf(!isMounted)('a full disk refuses what is new and loses nothing', async () => {
  const server = await startServer({ dataDir: disk });
  const api = new ApiClient(server.url);
  try {
    const wait = { name: 'w', taskReferenceName: 'w', type: 'WAIT', inputParameters: {} };
    await api.registerWorkflows({ name: 'stored', version: 1, tasks: [wait] });
    const ballast = path.join(disk, 'ballast');
    const input = { text: 'x'.repeat(50_000) };
    const start = (): ReturnType<ApiClient['request']> =>
      api.request('POST', '/api/workflow', { name: 'stored', version: 1, input });
    const acknowledged = [(await start()).text];
    fill(ballast);
    const refused = await until('a refusal', async () => {
      const answer = await start();
      if (answer.status !== 200) return answer;
      acknowledged.push(answer.text);
      return undefined;
    });
    expect(refused.status).toBe(503);
    const health = await until('the health', async () => {
      const answer = await api.request('GET', '/health');
      if (answer.status === 503) return answer;
      // Redis came back meanwhile: the next write ends it again.
      const again = await start();
      if (again.status === 200) acknowledged.push(again.text);
      return undefined;
    });
    const { why } = (health.body as { details: { why: string } }).details;
    expect(why).toMatch(/^The disk under .* is full: the private Redis cannot write its file$/);
    await until('the log', () => server.output.includes('not healthy: The disk under'));
    expect((await api.request('GET', '/health/live')).status).toBe(200);
    fs.rmSync(ballast);
    await server.healthy(30_000);
    for (const id of acknowledged) expect((await api.workflow(id)).input).toEqual(input);
    expect((await start()).status).toBe(200);
    tell(`a full disk: ${acknowledged.length} acknowledged starts kept; health said "${why}"`);
  } finally {
    await api.close();
    await server.stop();
  }
});

/** Leaves less room than a few starts need. */
function fill(ballast: string): void {
  const { bavail, bsize } = fs.statfsSync(disk);
  fs.writeFileSync(ballast, Buffer.alloc(bavail * bsize - 200_000));
}
