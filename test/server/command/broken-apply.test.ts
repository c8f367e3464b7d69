// `downbeat apply` that is killed after each of its writes in turn: the same command run again ends
// where an undisturbed one ends. A proxy before the server knows that a write is done there before
// its answer reaches the command.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { Between } from '../../support/between.js';
import { PackedCommand } from '../../support/command.js';
import { signalProcess } from '../../../testkit/process.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';

/** More runs than an apply has writes: one that never ends by itself fails. */
const runsMax = 40;

let calm: RunningServer;
let torn: RunningServer;
let between: Between;
let downbeat: PackedCommand;
let folder: string;

beforeAll(async () => {
  [calm, torn] = await Promise.all([startServer(), startServer()]);
  between = await Between.before(torn.url);
  downbeat = new PackedCommand(calm.url);
  folder = path.join(downbeat.folder, 'applied');
  writeFiles();
  // Carries the label and is in no file: --prune deletes it.
  for (const { url } of [calm, torn]) {
    const api = new ApiClient(url);
    await api.ask('POST', '/api/metadata/taskdefs', [{ name: 'gone' }]);
    await api.ask('POST', '/api/metadata/task/gone/tags', { key: 'team', value: 'a' });
    await api.close();
  }
}, 180_000);
afterAll(async () => {
  downbeat.remove();
  between.close();
  await Promise.all([calm.stop(), torn.stop()]);
});

function writeFiles(): void {
  const noop = { name: 'n', taskReferenceName: 'n', type: 'NOOP' };
  const files: Record<string, object> = {
    'tasks/pack.json': { name: 'pack', retryCount: 1 },
    'tasks/send.json': { name: 'send', retryCount: 2 },
    'workflows/parcel.json': { name: 'parcel', version: 1, tasks: [noop] },
    'schedules/nightly.json': {
      name: 'nightly',
      cronExpression: '0 0 3 1 1 *',
      startWorkflowRequest: { name: 'parcel', version: 1 },
    },
    'handlers/paid.json': {
      name: 'paid',
      event: 'conductor:paid',
      active: true,
      actions: [{ action: 'start_workflow', start_workflow: { name: 'parcel' } }],
    },
    'webhooks/hook.json': {
      name: 'hook',
      sourcePlatform: 'Custom',
      verifier: 'HEADER_BASED',
      headers: { 'x-key': 'y' },
      receiverWorkflowNamesToVersions: { parcel: 1 },
    },
  };
  for (const [name, body] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, JSON.stringify(body));
  }
}

function applyTo(url: string): string[] {
  return ['apply', folder, '--label', 'team=a', '--prune', '--yes', '--server', url, '--json'];
}

const stateRoutes = [
  '/api/metadata/taskdefs',
  '/api/metadata/task/pack/tags',
  '/api/metadata/task/send/tags',
  '/api/metadata/workflow',
  '/api/metadata/workflow/parcel/tags',
  '/api/scheduler/schedules',
  '/api/scheduler/schedules/nightly/tags',
  '/api/event',
  '/api/event/paid/tags',
];
const stamps = new Set(['createTime', 'updateTime', 'updatedTime', 'updatedBy']);

/** What an apply stores, without when it was stored and whether that was a second time. */
async function stateOf({ url }: RunningServer): Promise<Record<string, unknown>> {
  const api = new ApiClient(url);
  const state: Record<string, unknown> = {};
  for (const route of stateRoutes) {
    const text = JSON.stringify((await api.request('GET', route)).body, (key, value: unknown) =>
      stamps.has(key) ? undefined : value,
    );
    state[route] = JSON.parse(text);
  }
  const webhooks = (await api.request('GET', '/api/metadata/webhook')).body as {
    readonly name: string;
    readonly tags?: unknown;
  }[];
  state['webhooks'] = webhooks.map(({ name, tags }) => ({ name, tags }));
  await api.close();
  return state;
}

describe('an apply that breaks off', () => {
  it('ends as an undisturbed one when it is killed after each write', async () => {
    const undisturbed = await downbeat.run(applyTo(calm.url));
    expect(undisturbed.code, undisturbed.stderr).toBe(0);
    const expected = await stateOf(calm);
    expect(expected).toMatchObject({ webhooks: [{ name: 'hook' }] });

    const calls: string[] = [];
    let hasEnded = false;
    for (let runs = 0; !hasEnded; runs++) {
      expect(runs, calls.join('\n')).toBeLessThan(runsMax);
      const before = calls.length;
      const program = downbeat.start(applyTo(between.url));
      between.afterWrite = (call) => {
        calls.push(call);
        signalProcess(program.pid, 'SIGKILL');
        return Promise.resolve('lost');
      };
      const { code } = await program.ended;
      hasEnded = calls.length === before;
      expect(code, program.output()).toBe(hasEnded ? 0 : null);
    }
    for (const kind of ['taskdefs', 'workflow', 'schedules', 'event', 'webhook', 'DELETE'])
      expect(calls.join('\n')).toContain(kind);
    expect(await stateOf(torn)).toEqual(expected);
  }, 120_000);
});
