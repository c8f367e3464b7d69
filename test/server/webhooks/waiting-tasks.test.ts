// WAIT_FOR_WEBHOOK (contract-admin 12.5): which events complete which tasks, and that a call that
// was answered is dealt with although the server dies.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { checkAnswers } from '../../../testkit/api-schemas.js';
import { sharedMortalServer } from '../../support/shared-server.js';
import { until } from '../../../testkit/until.js';
import type { JsonObject } from '../../../testkit/wire.js';

const server = sharedMortalServer(import.meta.url);
let api: ApiClient;
/** Of all that the file leaves on the server. */
const prefix = 'webhooks_waiting_tasks_';
const hook = `${prefix}shop`;

const waitTask = (inputParameters: JsonObject, over: JsonObject = {}): JsonObject => ({
  name: 'wait',
  taskReferenceName: 'paid',
  type: 'WAIT_FOR_WEBHOOK',
  inputParameters,
  ...over,
});

beforeAll(async () => {
  api = new ApiClient(server.url);
  await checkAnswers(api);
  const matches = { "$['order']['id']": '${workflow.input.id}', "$['type']": 'Paid' };
  await define('order', [waitTask({ matches })]);
  await define('order', [waitTask({ matches })], 2);
  await define('bare', [waitTask({ 'order.id': '${workflow.input.id}' })]);
  await define('many', [
    waitTask({ matches: { 'items[*].id': '${workflow.input.id}', ok: true } }),
  ]);
  const byId = { matches: { id: '${workflow.input.id}' } };
  await define('wait', [waitTask(byId, { type: 'WAIT' })]);
  await define('timed', [waitTask({ ...byId, duration: '1 seconds' }, { type: 'WAIT' })]);
  await define('none', [waitTask({ matches: {} })]);
  await define('loop', [
    {
      name: 'loop',
      taskReferenceName: 'loop',
      type: 'DO_WHILE',
      loopCondition: '$.loop.iteration < 2',
      loopOver: [waitTask({ matches: { id: '${workflow.input.id}' } })],
    },
  ]);
  await api.request('POST', '/api/metadata/webhook', {
    id: hook,
    name: hook,
    sourcePlatform: 'Custom',
    verifier: 'HEADER_BASED',
    headers: { 'x-key': 'k' },
    receiverWorkflowNamesToVersions: Object.fromEntries(
      ['order', 'bare', 'many', 'loop', 'wait'].map((name) => [prefix + name, 1]),
    ),
  });
});
afterAll(() => api.close());

async function define(name: string, tasks: JsonObject[], version = 1): Promise<void> {
  await api.registerWorkflows({ name: prefix + name, version, tasks } as never);
}

/** Starts and waits until the task is in progress. */
async function waiting(name: string, input: JsonObject, version = 1): Promise<string> {
  const id = await api.start({ name: prefix + name, version, input } as never);
  await api.untilTask(id, name === 'loop' ? 'paid__1' : 'paid', 'IN_PROGRESS');
  return id;
}

/** Sends an event; resolves with its history entry. */
async function send(body: unknown): Promise<{ matched: boolean; workflowIds: string[] }> {
  const sent = await fetch(`${server.url}/webhook/${hook}`, {
    method: 'POST',
    headers: { 'x-key': 'k' },
    body: JSON.stringify({ ...(body as object), mark: ++marks }),
  });
  expect(sent.status).toBe(200);
  return await dealtWith(marks);
}
let marks = 0;

async function dealtWith(mark: number): Promise<{ matched: boolean; workflowIds: string[] }> {
  return await until('the event was dealt with', async () => {
    const { body } = await api.request('GET', `/api/metadata/webhook/${hook}`);
    const entries = (body as { webhookExecutionHistory: { payload: string }[] })
      .webhookExecutionHistory as ({ payload: string } & {
      matched: boolean;
      workflowIds: string[];
    })[];
    return entries.find(({ payload }) => payload.includes(`\\"mark\\":${mark}}`));
  });
}

async function statusOf(id: string): Promise<string> {
  return (await api.workflow(id)).status;
}

describe('an event', () => {
  it('completes every task that waits for its values, with the payload as output', async () => {
    const [one, two, other] = [
      await waiting('order', { id: 17 }),
      await waiting('order', { id: 17 }),
      await waiting('order', { id: 18 }),
    ];
    const event = { type: 'paid', order: { id: 17 }, more: { a: [1] } };
    const { matched, workflowIds } = await send(event);
    expect(matched).toBe(true);
    expect([...workflowIds].sort()).toEqual([one, two].sort());
    for (const id of [one, two]) {
      const execution = await api.workflow(id);
      expect(execution.status).toBe('COMPLETED');
      expect(execution.tasks?.[0]).toMatchObject({
        taskType: 'WAIT_FOR_WEBHOOK',
        status: 'COMPLETED',
        outputData: { ...event, mark: marks },
      });
    }
    expect(await statusOf(other)).toBe('RUNNING');
    expect((await send(event)).matched).toBe(false);
    expect((await send({ ...event, order: { id: 18 } })).workflowIds).toEqual([other]);
  });

  it('matches fixed values without case and blanks, values of expressions as they are', async () => {
    const id = await waiting('order', { id: 'Abc ' });
    for (const event of [
      { type: 'refunded', order: { id: 'Abc' } },
      { type: 'paid', order: { id: 'abc' } },
      { type: 'paid', order: { id: null } },
      { type: 'paid', order: {} },
      { order: { id: 'Abc' } },
    ]) {
      expect((await send(event)).matched).toBe(false);
    }
    expect((await send({ type: '  PAID ', order: { id: ' Abc' } })).workflowIds).toEqual([id]);
  });

  it('reaches only executions of the version that its webhook names', async () => {
    const [one, two] = [await waiting('order', { id: 5 }), await waiting('order', { id: 5 }, 2)];
    expect((await send({ type: 'paid', order: { id: 5 } })).workflowIds).toEqual([one]);
    expect(await statusOf(two)).toBe('RUNNING');
  });

  it('finds paths that stand in the input itself, and first elements of lists', async () => {
    const bare = await waiting('bare', { id: 'b1' });
    expect((await send({ order: { id: 'b1' } })).workflowIds).toEqual([bare]);
    const many = await waiting('many', { id: 7 });
    expect((await send({ items: [{ id: 6 }, { id: 7 }], ok: true })).matched).toBe(false);
    expect((await send({ items: [], ok: true })).matched).toBe(false);
    expect((await send({ items: [{ id: 7 }], ok: true })).workflowIds).toEqual([many]);
  });

  it('finds tasks inside loops, one iteration after the other', async () => {
    const id = await waiting('loop', { id: 'l1' });
    expect((await send({ id: 'l1' })).workflowIds).toEqual([id]);
    await api.untilTask(id, 'paid__2', 'IN_PROGRESS');
    expect((await send({ id: 'l1' })).workflowIds).toEqual([id]);
    expect(await statusOf(id)).toBe('COMPLETED');
  });

  it('finds a WAIT with matches, which stays a WAIT otherwise', async () => {
    const [found, signalled] = [
      await waiting('wait', { id: 'w1' }),
      await waiting('wait', { id: 'w2' }),
    ];
    expect((await send({ id: 'w1', more: 2 })).workflowIds).toEqual([found]);
    expect((await api.workflow(found)).tasks?.[0]).toMatchObject({
      taskType: 'WAIT',
      status: 'COMPLETED',
      outputData: { id: 'w1', more: 2, mark: marks },
    });
    await api.request('POST', `/api/tasks/${signalled}/COMPLETED/signal`, { by: 'signal' });
    expect((await api.untilEnd(signalled)).tasks?.[0]?.outputData).toEqual({ by: 'signal' });
    expect((await send({ id: 'w2' })).matched).toBe(false);
    const timed = await waiting('timed', { id: 'w3' });
    expect((await api.untilEnd(timed)).status).toBe('COMPLETED');
  });

  it('passes tasks by that ended otherwise', async () => {
    const [terminated, updated] = [
      await waiting('order', { id: 30 }),
      await waiting('order', { id: 30 }),
    ];
    await api.terminate(terminated);
    await api.request('POST', `/api/tasks/${updated}/paid/COMPLETED`, { by: 'hand' });
    expect((await send({ type: 'paid', order: { id: 30 } })).matched).toBe(false);
    const execution = await api.workflow(updated);
    expect(execution.tasks?.[0]?.outputData).toEqual({ by: 'hand' });
  });

  it('that came before the task waited is not kept', async () => {
    expect((await send({ type: 'paid', order: { id: 40 } })).matched).toBe(false);
    const id = await waiting('order', { id: 40 });
    expect(await statusOf(id)).toBe('RUNNING');
  });

  it('cannot be told apart by an empty matches: the task fails', async () => {
    const id = await api.start({ name: `${prefix}none`, input: {} } as never);
    const execution = await api.untilEnd(id);
    expect(execution.status).toBe('FAILED');
    expect(execution.reasonForIncompletion).toContain('matches');
  });

  it('is dealt with after kills of the server, and so are tasks that waited before', async () => {
    const ids = [];
    for (let i = 0; i < 3; i += 1) ids.push(await waiting('order', { id: `kill${i}` }));
    for (const [i, id] of ids.entries()) {
      const mark = ++marks;
      const sent = await fetch(`${server.url}/webhook/${hook}`, {
        method: 'POST',
        headers: { 'x-key': 'k' },
        body: JSON.stringify({ type: 'paid', order: { id: `kill${i}` }, mark }),
      });
      expect(sent.status).toBe(200);
      await server.kill('SIGKILL');
      await server.restart();
      const done = await api.untilEnd(id, { timeoutMs: 30_000 });
      expect(done.status).toBe('COMPLETED');
      await dealtWith(mark);
    }
  });
});
