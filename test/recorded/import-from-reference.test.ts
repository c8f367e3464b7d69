// `downbeat import` from the open-source server itself: what it brings, what is handed over, and
// some of the differences that it tells, seen on both servers. Skipped where the server's boot jar
// or a Java for it is missing (docs/testing.md).
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { PackedCommand } from '../support/command.js';
import { signalProcess } from '../../testkit/process.js';
import { ReferenceServer, referenceParts } from '../../testkit/reference-server.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

const parts = referenceParts();
if ('missing' in parts) console.info(parts.missing);

interface Seen {
  readonly workflowId: string;
  readonly status: string;
  readonly output: Record<string, unknown>;
  readonly tasks: { readonly status: string; readonly taskType: string }[];
}

const note = {
  name: 'note',
  version: 1,
  ownerEmail: 'a@example.org',
  tasks: [
    {
      name: 'set',
      taskReferenceName: 'set',
      type: 'SET_VARIABLE',
      inputParameters: { text: 'all ${workflow.input}' },
    },
  ],
  outputParameters: { text: '${workflow.variables.text}' },
};
const slow = {
  ...note,
  name: 'slow',
  timeoutSeconds: 60,
  timeoutPolicy: 'TIME_OUT_WF',
  tasks: [
    { name: 'w', taskReferenceName: 'w', type: 'WAIT' },
    { name: 'pack', taskReferenceName: 'pack', type: 'SIMPLE' },
  ],
  outputParameters: {},
};
const yielding = {
  ...note,
  name: 'yielding',
  tasks: [{ name: 'y', taskReferenceName: 'y', type: 'YIELD' }],
  outputParameters: {},
};

describe.skipIf('missing' in parts)('import from the open-source server', () => {
  let old: ReferenceServer;
  let server: RunningServer;
  let api: ApiClient;
  let downbeat: PackedCommand;

  beforeAll(async () => {
    if ('missing' in parts) return;
    [old, server] = await Promise.all([ReferenceServer.start(parts), startServer()]);
    api = new ApiClient(server.url);
    downbeat = new PackedCommand(server.url);
    await old.request('POST', '/api/metadata/taskdefs', [
      { name: 'pack', retryCount: 1, ownerEmail: 'a@example.org' },
      { name: 'with:colon', ownerEmail: 'a@example.org' },
    ]);
    await old.request('PUT', '/api/metadata/workflow', [note, slow, yielding]);
    await old.request('POST', '/api/scheduler/schedules', {
      name: 'nightly',
      cronExpression: '0 0 3 * * *',
      startWorkflowRequest: { name: 'note', version: 1 },
    });
    await old.request('POST', '/api/event', {
      ...{ name: 'paid', event: 'conductor:paid', active: true },
      actions: [{ action: 'start_workflow', start_workflow: { name: 'note' } }],
    });
  }, 240_000);
  afterAll(async () => {
    downbeat.remove();
    await api.close();
    await Promise.all([old.stop(), server.stop()]);
  });

  const importing = (...args: string[]): ReturnType<PackedCommand['run']> =>
    downbeat.run(['import', '--from', old.url, ...args]);

  it('brings what it has, tells what it has not, and is idempotent', async () => {
    const first = await importing('--json');
    expect(first.stderr).toMatch(/^ {4}will be refused|task with:colon: refused: /m);
    expect(first.stderr).toMatch(/has no schemas, prompts, forms, webhooks, groups, users\.$/m);
    expect(first.code).toBe(1);
    const plan = JSON.parse(first.stdout) as {
      done: number;
      steps: { id: string; differences: { name: string }[] }[];
    };
    expect(plan.done).toBe(6);
    const told = plan.steps.map(({ id, differences }) => [id, differences.map(({ name }) => name)]);
    expect(Object.fromEntries(told)).toEqual({
      ...{ pack: [], paid: [], nightly: [], 'with:colon': ['task-name-with-colon'] },
      ...{ 'note:1': ['object-in-text'], 'slow:1': ['timeout-while-waiting'] },
      'yielding:1': ['yield'],
    });
    expect(first.stderr).toMatch(/printf|longest wait/);
    const again = await importing();
    expect(again.stdout).toBe('0 done, 6 unchanged, 1 refused\n');
    expect((await api.request('GET', '/api/metadata/taskdefs/pack')).body).toMatchObject({
      retryCount: 1,
    });
  });

  it('an object in a text differs as the list says', async () => {
    const start = { name: 'note', version: 1, input: { a: { b: 1 } } };
    const there = await ended(
      async (id) => (await old.request('GET', `/api/workflow/${id}`)) as Seen,
      String(await old.request('POST', '/api/workflow', start)),
    );
    expect(there.output).toEqual({ text: 'all {a={b=1}}' });
    const here = await ended(
      async (id) => (await api.workflow(id)) as unknown as Seen,
      await api.start(start),
    );
    expect(here.output).toEqual({ text: 'all {"a":{"b":1}}' });
  });

  it('YIELD differs as the list says', async () => {
    const there = String(await old.request('POST', '/api/workflow', { name: 'yielding' }));
    const seen = (await old.request('GET', `/api/workflow/${there}`)) as Seen;
    expect(seen.tasks).toMatchObject([{ taskType: 'YIELD', status: 'SCHEDULED' }]);
    const here = await api.workflow(await api.start({ name: 'yielding' }));
    expect(here.tasks).toMatchObject([{ taskType: 'YIELD', status: 'IN_PROGRESS' }]);
    await old.request('DELETE', `/api/workflow/${there}`);
  });

  it('hands over, tells what is open there, and writes what has ended', async () => {
    const open = String(await old.request('POST', '/api/workflow', { name: 'slow' }));
    const history = path.join(downbeat.folder, 'history');
    const ran = await importing('--follow', '--once', '--json', '--history', history);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      followed: {
        handedOver: [
          { kind: 'schedule', name: 'nightly' },
          { kind: 'handler', name: 'paid' },
        ],
        open: { slow: 1 },
      },
      history: { written: 2 },
    });
    expect(await old.request('GET', '/api/scheduler/schedules/nightly')).toMatchObject({
      paused: true,
    });
    expect(await old.request('GET', '/api/event')).toMatchObject([{ active: false }]);
    expect((await api.request('GET', '/api/event')).body).toMatchObject([{ active: true }]);
    expect(fs.readFileSync(path.join(history, 'index.tsv'), 'utf8')).toMatch(
      /\tnote\t1\tCOMPLETED/,
    );
    await old.request('DELETE', `/api/workflow/${open}`);
    const last = await importing('--follow', '--every', '1');
    expect(last.stderr).toMatch(/Nothing is open there/);
  });

  it('a list that one of them answers can be posted to the other', async () => {
    const workflows = (await old.request('GET', '/api/metadata/workflow')) as { name: string }[];
    const names = workflows.map(({ name }) => name).sort();
    const taken = await api.ask('PUT', '/api/metadata/workflow', workflows);
    const outcome = taken.body as { bulkSuccessfulResults: string[] };
    expect(outcome.bulkSuccessfulResults.sort()).toEqual(names);
    const tasks = (await old.request('GET', '/api/metadata/taskdefs')) as { name: string }[];
    await api.registerTasks(...tasks.filter(({ name }) => !name.includes(':')));
    const own = (await api.ask('GET', '/api/metadata/workflow')).body as { name: string }[];
    const back = await old.request('PUT', '/api/metadata/workflow', own);
    expect(back).toMatchObject({ bulkErrorResults: {} });
    const ownTasks = (await api.ask('GET', '/api/metadata/taskdefs')).body;
    await old.request('POST', '/api/metadata/taskdefs', ownTasks);
  });

  it('the proxy serves both behind one address', async () => {
    const simple = {
      ...{ ...note, name: 'simple', outputParameters: {} },
      tasks: [{ name: 'pack', taskReferenceName: 'pack', type: 'SIMPLE' }],
    };
    await old.request('PUT', '/api/metadata/workflow', [simple]);
    await importing('--name', 'simple');
    const program = downbeat.start([
      ...['proxy', '--port', '0', '--old', old.url, '--new', server.url],
    ]);
    const url = await until(
      'the address',
      () => /^(http:\/\/127\.0\.0\.1:\d+)$/m.exec(program.output())?.[1],
    );
    const both = new ApiClient(url);
    const there = String(await old.request('POST', '/api/workflow', { name: 'simple' }));
    const here = await both.start({ name: 'simple' });
    const seen: string[] = [];
    await until('both tasks', async () => {
      for (const { taskId, workflowInstanceId } of await both.poll('pack', { timeoutMs: 1000 })) {
        await both.update({ taskId, workflowInstanceId, status: 'COMPLETED', outputData: {} });
        seen.push(workflowInstanceId);
      }
      return seen.length === 2;
    });
    expect(seen.sort()).toEqual([here, there].sort());
    for (const id of [here, there]) {
      await until('its end', async () => (await both.workflow(id)).status === 'COMPLETED');
    }
    const query = new URLSearchParams({ query: 'workflowType IN (simple)', size: '10' });
    const { body } = await both.ask('GET', `/api/workflow/search?${query}`);
    expect(body).toMatchObject({ totalHits: 2 });
    await both.close();
    signalProcess(program.pid, 'SIGINT');
    expect((await program.ended).code).toBe(0);
  });
});

async function ended(read: (id: string) => Promise<Seen>, id: string): Promise<Seen> {
  return await until('its end', async () => {
    const seen = await read(id);
    return seen.status === 'RUNNING' ? undefined : seen;
  });
}
