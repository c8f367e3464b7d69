// `downbeat import` that is killed, or whose server is killed, after each of its writes in turn:
// the same command run again ends where an undisturbed one ends. A proxy before the server knows
// that a write is done there before its answer reaches the command.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { Between } from '../../support/between.js';
import { PackedCommand } from '../../support/command.js';
import { signalProcess } from '../../../testkit/process.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import { until } from '../../../testkit/until.js';

const executions = 6;
/** More runs than an import has writes: one that never ends by itself fails. */
const runsMax = 40;

let source: RunningServer;
let calm: RunningServer;
let downbeat: PackedCommand;
let expected: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  [source, calm] = await Promise.all([startServer(), startServer()]);
  downbeat = new PackedCommand(calm.url);
  await fill(source);
  const ran = await downbeat.run(importFrom(source.url, calm.url));
  expect(ran.code, ran.stderr).toBe(0);
  expected = await stateOf(calm);
  expect(expected).toMatchObject({ webhooks: ['hook'] });
}, 180_000);
afterAll(async () => {
  downbeat.remove();
  await Promise.all([source.stop(), calm.stop()]);
});

function importFrom(from: string, to: string): string[] {
  return ['import', '--from', `${from}/api`, '--server', to, '--history', '--json'];
}

async function fill({ url }: RunningServer): Promise<void> {
  const api = new ApiClient(url);
  const noop = { name: 'n', taskReferenceName: 'n', type: 'NOOP' };
  const parcel = (version: number) => ({ name: 'parcel', version, tasks: [noop] });
  await api.ask('POST', '/api/metadata/taskdefs', [{ name: 'pack', retryCount: 1 }]);
  await api.ask('PUT', '/api/metadata/workflow', [parcel(1), parcel(2)]);
  await api.ask('POST', '/api/metadata/workflow/parcel/tags', { key: 'team', value: 'a' });
  await api.ask('POST', '/api/scheduler/schedules', {
    name: 'nightly',
    cronExpression: '0 0 3 * * *',
    startWorkflowRequest: { name: 'parcel', version: 2 },
  });
  await api.ask('PUT', '/api/scheduler/schedules/nightly/tags', [{ key: 'team', value: 'a' }]);
  await api.ask('POST', '/api/event', {
    name: 'paid',
    event: 'conductor:paid',
    active: true,
    actions: [{ action: 'start_workflow', start_workflow: { name: 'parcel' } }],
  });
  await api.ask('POST', '/api/metadata/webhook', {
    name: 'hook',
    sourcePlatform: 'Custom',
    verifier: 'HEADER_BASED',
    headers: { 'x-key': 'y' },
    receiverWorkflowNamesToVersions: { parcel: 2 },
  });
  for (let n = 0; n < executions; n++) {
    await api.ask('POST', '/api/workflow', { name: 'parcel', version: 2, input: { n } });
  }
  await until('their ends', async () => (await foundIn(api)).length === executions);
  await api.close();
}

interface Row {
  readonly workflowId: string;
}

async function foundIn(api: ApiClient): Promise<Row[]> {
  const route = '/api/workflow/search?query=status=COMPLETED&size=100&sort=workflowId:ASC';
  return ((await api.request('GET', route)).body as { results: Row[] }).results;
}

/** What an import brings, without when it was stored and whether that was a second time. */
async function stateOf({ url }: RunningServer): Promise<Record<string, unknown>> {
  const api = new ApiClient(url);
  const state: Record<string, unknown> = {};
  for (const route of [
    '/api/metadata/taskdefs',
    '/api/metadata/workflow',
    '/api/metadata/workflow/parcel/tags',
    '/api/scheduler/schedules',
    '/api/scheduler/schedules/nightly/tags',
    '/api/event',
    '/api/event/paid/tags',
  ]) {
    state[route] = withoutTraces((await api.request('GET', route)).body);
  }
  const webhooks = (await api.request('GET', '/api/metadata/webhook')).body as { name: string }[];
  state['webhooks'] = webhooks.map(({ name }) => name);
  // The list of executions follows what is stored.
  const rows = await until('all executions', async () => {
    const found = await foundIn(api);
    return found.length >= executions && found;
  });
  state['executions'] = await Promise.all(
    rows.map(async ({ workflowId }) =>
      withoutTraces((await api.request('GET', `/api/workflow/${workflowId}`)).body),
    ),
  );
  await api.close();
  return state;
}

const traces = new Set([
  'createTime',
  'updateTime',
  'updatedTime',
  'createdOn',
  'importedAt',
  'updatedBy',
]);

function withoutTraces(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body, (key, value: unknown) => (traces.has(key) ? undefined : value)),
  );
}

const kinds = ['taskdefs', 'workflow', 'schedules', 'event', 'webhook', 'imported-executions'];

describe('an import that breaks off', () => {
  let torn: RunningServer;
  let between: Between;

  beforeEach(async () => {
    torn = await startServer();
    between = await Between.before(torn.url);
  });
  afterEach(async () => {
    between.close();
    await torn.stop();
  });

  it('ends as an undisturbed one when it is killed after each write', async () => {
    const calls: string[] = [];
    let hasEnded = false;
    for (let runs = 0; !hasEnded; runs++) {
      expect(runs, calls.join('\n')).toBeLessThan(runsMax);
      const before = calls.length;
      const program = downbeat.start(importFrom(source.url, between.url));
      between.afterWrite = (call) => {
        calls.push(call);
        signalProcess(program.pid, 'SIGKILL');
        return Promise.resolve('lost');
      };
      const { code } = await program.ended;
      hasEnded = calls.length === before;
      expect(code, program.output()).toBe(hasEnded ? 0 : null);
    }
    for (const kind of kinds) expect(calls.join('\n')).toContain(kind);
    expect(await stateOf(torn)).toEqual(expected);
  }, 120_000);

  it('ends as an undisturbed one when the server is killed after each kind of write', async () => {
    const calls = new Set<string>();
    between.afterWrite = async (call) => {
      if (calls.has(call)) return 'kept';
      calls.add(call);
      await torn.kill();
      await torn.restart();
      return 'lost';
    };
    const ran = await downbeat.run(importFrom(source.url, between.url));
    expect(ran.code, ran.stderr).toBe(0);
    for (const kind of kinds) expect([...calls].join('\n')).toContain(kind);
    const again = await downbeat.run(importFrom(source.url, between.url));
    expect(JSON.parse(again.stdout)).toMatchObject({
      ...{ done: 0, refused: [] },
      history: { brought: 0, known: executions, refused: [] },
    });
    expect(await stateOf(torn)).toEqual(expected);
  }, 120_000);
});
