// What event handlers do with messages (semantics 6): from EVENT tasks and from clients, every
// action, conditions, and that a message which was taken is dealt with although the server dies.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { checkAnswers } from '../../../testkit/api-schemas.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import { until } from '../../../testkit/until.js';
import type { JsonObject, WireWorkflow } from '../../../testkit/wire.js';

let server: RunningServer;
let api: ApiClient;
let names = 0;

const set = { name: 'v', taskReferenceName: 'v', type: 'SET_VARIABLE', inputParameters: {} };
const wait = { name: 'w', taskReferenceName: 'w', type: 'WAIT' };
const publish = {
  name: 'e',
  taskReferenceName: 'e',
  type: 'EVENT',
  sink: 'conductor:out',
  inputParameters: { order: '${workflow.input.order}' },
};

beforeAll(async () => {
  server = await startServer();
  api = new ApiClient(server.url);
  await checkAnswers(api);
  await api.registerWorkflows(
    { name: 'started', tasks: [set] } as never,
    { name: 'waits', tasks: [wait, { ...wait, taskReferenceName: 'w2' }] } as never,
    { name: 'publishes', tasks: [publish] } as never,
  );
});
afterAll(async () => {
  await api.close();
  await server.stop();
});

interface Execution {
  id: string;
  messageId: string;
  status: string;
  action?: string;
  output: JsonObject;
  statusDescription?: string;
}

interface Made {
  name: string;
  event: string;
}

/** Creates an active handler of an event of its own. */
async function handle(over: JsonObject, event = `test:${names + 1}`): Promise<Made> {
  const name = `handler_${++names}`;
  const handler = { name, event, active: true, actions: [], ...over };
  await api.ask('POST', '/api/event', handler);
  return { name, event };
}

async function send(event: string, message: JsonObject = {}): Promise<void> {
  await api.ask('POST', '/api/event/handleIncomingEvent', { ...message, event });
}

/** The records of a handler, newest first, once there are as many. */
async function executions({ name }: Made, count = 1): Promise<Execution[]> {
  return await until('records of the handler', async () => {
    const { body } = await api.ask('GET', `/api/event/execution/${name}?from=0`);
    const found = body as Execution[];
    return found.length >= count && found.every(({ status }) => status !== 'IN_PROGRESS')
      ? found
      : undefined;
  });
}

const startAction = (over: JsonObject = {}): JsonObject => ({
  action: 'start_workflow',
  start_workflow: { name: 'started', version: 1, input: { id: '${order.id}' }, ...over },
});

async function startedBy(made: Made): Promise<WireWorkflow & { event?: string }> {
  const [record] = await executions(made);
  expect(record).toMatchObject({ status: 'COMPLETED', action: 'start_workflow' });
  return await api.workflow(record?.output['workflowId'] as string);
}

describe('an event handler', () => {
  it('starts a workflow for what an EVENT task publishes', async () => {
    const made = await handle({ actions: [startAction()] }, 'conductor:publishes:out');
    const id = await api.start({ name: 'publishes', input: { order: { id: 7 } } } as never);
    const publisher = await api.untilEnd(id);
    const execution = await startedBy(made);
    expect(execution.input).toEqual({
      id: 7,
      'conductor.event.messageId': publisher.tasks[0]?.taskId,
      'conductor.event.name': 'conductor:publishes:out',
    });
    expect(execution.event).toBe('conductor:publishes:out');
  });

  it('finds messages that came before it was active', async () => {
    const sink = 'conductor:early';
    const workflowDef = { name: 'early', tasks: [{ ...publish, sink }] };
    const start = { name: 'early', workflowDef, input: { order: { id: 1 } } };
    await api.untilEnd(await api.start(start as never));
    const made = await handle({ actions: [startAction()] }, 'conductor:early:early');
    expect((await startedBy(made)).input).toMatchObject({ id: 1 });
  });

  it('gives a message to all its active handlers, and leaves records', async () => {
    const made = await handle({ actions: [startAction(), startAction({ name: 'nowhere' })] });
    const second = await handle(
      { condition: '$.order.id > 5', actions: [startAction()] },
      made.event,
    );
    const off = await handle({ active: false, actions: [startAction()] }, made.event);
    await send(made.event, { order: { id: 3 } });
    const [one, two] = (await executions(made, 2)).sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(one).toMatchObject({ id: `${one?.messageId}_0`, status: 'COMPLETED' });
    expect(two).toMatchObject({
      id: `${one?.messageId}_1`,
      status: 'FAILED',
      output: { exception: 'No such workflow defined. name=nowhere, version=1' },
    });
    expect(await executions(second)).toMatchObject([
      { status: 'SKIPPED', output: { condition: '$.order.id > 5', msg: { order: { id: 3 } } } },
    ]);
    const [message] = await until('the message', async () => {
      const { body } = await api.ask('GET', `/api/event/message/${made.event}`);
      return (body as JsonObject[]).length > 0 ? (body as JsonObject[]) : undefined;
    });
    expect(message).toMatchObject({
      id: one?.messageId,
      eventTarget: made.event,
      status: 'HANDLED',
      fullPayload: { order: { id: 3 }, event: made.event },
    });
    expect(message?.['eventExecutions']).toHaveLength(3);
    const shown = await executions(made, 2);
    const fullMessagePayload = { order: { id: 3 }, event: made.event };
    expect(shown).toMatchObject([{ fullMessagePayload }, { fullMessagePayload }]);
    expect((await api.ask('GET', `/api/event/execution/${off.name}`)).body).toEqual([]);
    const listed = (await api.ask('GET', '/api/event/execution')).body as {
      results: JsonObject[];
      totalHits: number;
    };
    expect(listed.totalHits).toBe(listed.results.length);
    expect(listed.results).toContainEqual({
      ...{ name: made.name, event: made.event, active: true },
      ...{ numberOfActions: 2, numberOfMessages: 1 },
    });
  });

  it('records a condition that fails and goes on', async () => {
    const made = await handle({ condition: '$.a.b.c', actions: [startAction()] });
    await send(made.event, { a: {} });
    const [record] = await executions(made);
    expect(record).toMatchObject({ status: 'FAILED' });
    expect(record?.action).toBeUndefined();
    await send(made.event, { a: { b: { c: true } }, order: { id: 1 } });
    expect((await executions(made, 2))[0]).toMatchObject({ status: 'COMPLETED' });
  });

  it('reads JSON inside texts where it is told to', async () => {
    const made = await handle({
      condition: '$.text.order.id == 4',
      actions: [
        {
          ...startAction({ input: { id: '${text.order.id}', inner: '${text.order.inner}' } }),
          expandInlineJSON: true,
        },
        startAction({ input: { id: '${text.order.id}', raw: 'is ${text}' } }),
      ],
    });
    const text = '{"order":{"id":4,"inner":"{}"}}';
    await send(made.event, { text });
    const inputs = await Promise.all(
      (await executions(made, 2))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map(async ({ output }) => (await api.workflow(output['workflowId'] as string)).input),
    );
    expect(inputs).toMatchObject([
      { id: 4, inner: '{}' },
      { id: null, raw: `is ${text}` },
    ]);
  });

  it('starts once per idempotency key', async () => {
    const key = { idempotencyKey: 'k-${order.id}', idempotencyStrategy: 'FAIL' };
    const made = await handle({ actions: [startAction(key)] });
    await send(made.event, { order: { id: 1 } });
    const [first] = await executions(made);
    await send(made.event, { order: { id: 1 } });
    const [second] = await executions(made, 2);
    expect(second).toMatchObject({ status: 'FAILED' });
    expect(second?.statusDescription).toContain(first?.output['workflowId']);
  });
});

describe('an action', () => {
  const byRef = { workflowId: '${id}', taskRefName: '${ref}', output: { got: '${got}' } };

  it('completes and fails tasks', async () => {
    const id = await api.start({ name: 'waits' } as never);
    const done = await handle({ actions: [{ action: 'complete_task', complete_task: byRef }] });
    await api.untilTask(id, 'w', 'IN_PROGRESS');
    await send(done.event, { id, ref: 'w', got: [1] });
    const task = await api.untilTask(id, 'w', 'COMPLETED');
    expect(task.outputData).toMatchObject({
      ...{ got: [1], workflowId: id, taskRefName: 'w' },
      'conductor.event.name': done.event,
    });
    const { taskId } = await api.untilTask(id, 'w2', 'IN_PROGRESS');
    const fail_task = { taskId: '${task}', reasonForIncompletion: 'it said no' };
    const fails = await handle({ actions: [{ action: 'fail_task', fail_task }] });
    await send(fails.event, { task: taskId });
    const ended = await api.untilEnd(id);
    expect(ended.status).toBe('FAILED');
    expect(ended.reasonForIncompletion).toContain("'it said no'");
  });

  it('fails a task for the reason in its output where it has no other', async () => {
    const id = await api.start({ name: 'waits' } as never);
    await api.untilTask(id, 'w', 'IN_PROGRESS');
    const fail_task = { ...byRef, output: { reasonForIncompletion: 'it said ${got}' } };
    const fails = await handle({ actions: [{ action: 'fail_task', fail_task }] });
    await send(fails.event, { id, ref: 'w', got: 'never' });
    expect((await api.untilEnd(id)).reasonForIncompletion).toContain("'it said never'");
  });

  it('says which task there is not', async () => {
    const made = await handle({ actions: [{ action: 'complete_task', complete_task: byRef }] });
    const id = await api.start({ name: 'waits' } as never);
    await send(made.event, { id, ref: 'nope' });
    expect((await executions(made))[0]).toMatchObject({
      status: 'COMPLETED',
      output: { error: 'No task found with reference or id' },
    });
  });

  it('terminates a workflow', async () => {
    const id = await api.start({ name: 'waits' } as never);
    const terminate_workflow = { workflowId: '${id}', terminationReason: 'of ${who}' };
    const made = await handle({ actions: [{ action: 'terminate_workflow', terminate_workflow }] });
    await send(made.event, { id, who: 'age' });
    const ended = await api.untilEnd(id);
    expect([ended.status, ended.reasonForIncompletion]).toEqual(['TERMINATED', 'of age']);
  });

  it('sets variables, and adds to lists', async () => {
    const id = await api.start({ name: 'waits' } as never);
    const fields = { workflowId: '${id}', variables: { list: '${add}', last: '${add}' } };
    const update = (appendArray: boolean): JsonObject => ({
      action: 'update_workflow_variables',
      update_workflow_variables: { ...fields, appendArray },
    });
    const sets = await handle({ actions: [update(false)] });
    await send(sets.event, { id, add: [1] });
    await executions(sets);
    const adds = await handle({ actions: [update(true)] });
    await send(adds.event, { id, add: [2, 3] });
    await executions(adds);
    await send(adds.event, { id, add: 4 });
    await executions(adds, 2);
    const { variables } = (await api.workflow(id)) as unknown as { variables: JsonObject };
    expect(variables).toEqual({ list: [1, 2, 3, 4], last: [1, 2, 3, 4] });
  });
});

describe('a message', () => {
  it.each<[string, unknown]>([
    ['nothing', {}],
    ['an empty event', { event: '' }],
    ['an event that is no text', { event: 1 }],
    ['a list', []],
  ])('of a client is refused with %s', async (_what, body) => {
    expect((await api.request('POST', '/api/event/handleIncomingEvent', body)).status).toBe(400);
  });

  it('that no handler wants is recorded as rejected', async () => {
    const made = await handle({ active: false });
    await send(made.event, { a: 1 });
    const { body } = await api.ask('GET', `/api/event/message/${made.event}`);
    expect(body).toMatchObject([{ status: 'REJECTED', fullPayload: { a: 1 } }]);
  });

  it('is dealt with exactly once through kills of the server', async () => {
    const made = await handle({ actions: [startAction({ correlationId: 'kills' })] });
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 20; i++) await send(made.event, { order: { id: round * 20 + i } });
      await server.kill('SIGKILL');
      await server.restart();
    }
    const records = await executions(made, 60);
    expect(records.map(({ status }) => status)).toEqual(Array(60).fill('COMPLETED'));
    const path = '/api/workflow/started/correlated/kills?includeClosed=true&includeTasks=false';
    const started = (await api.ask('GET', path)).body as { input: { id: number } }[];
    expect(started.map(({ input }) => input.id).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 60 }, (_none, i) => i),
    );
  });
});

describe('queues of brokers', () => {
  const path = '/api/event/queue/config/kafka/orders';

  it('have settings, which come as an object, a text or not at all', async () => {
    const settings = { consumer: { 'bootstrap.servers': 'x' } };
    expect((await api.request('GET', path)).status).toBe(404);
    for (const [sent, stored] of [
      [settings, settings],
      [JSON.stringify({ a: 1 }), { a: 1 }],
      [undefined, {}],
    ]) {
      await api.ask('PUT', path, sent);
      expect((await api.ask('GET', path)).body).toEqual(stored);
    }
    expect((await api.ask('GET', '/api/event/queue/config')).body).toEqual({
      'kafka:orders': '{}',
    });
    await api.ask('DELETE', path);
    expect((await api.request('GET', path)).status).toBe(404);
    expect((await api.request('PUT', path, [1])).status).toBe(400);
    const wrong = await api.request('PUT', path, { consumer: { prefetch: -1 } });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('consumer.prefetch')]);
    expect((await api.request('GET', path)).status).toBe(404);
  });

  it.each(['azure', 'gcp_pubsub', 'ibm_mq'])('of the kind %s are refused by name', async (kind) => {
    const unbuilt = [
      await api.request('PUT', `/api/event/queue/config/${kind}/q`, {}),
      await api.request('POST', '/api/event', { name: 'no', event: `${kind}:a:q`, actions: [] }),
    ];
    for (const { status, text } of unbuilt) {
      expect([status, text]).toEqual([400, expect.stringContaining(kind)]);
    }
  });

  it('are tried out by an event', async () => {
    const test = '/api/event/queue/connectivity';
    const good = await api.ask('POST', test, { sink: 'conductor', input: { a: 1 } });
    expect(good.body).toMatchObject({ successful: true, reason: '' });
    const bad = await api.ask('POST', test, { sink: 'ibm_mq:q' });
    expect(bad.body).toMatchObject({ successful: false });
    expect((bad.body as { reason: string }).reason).toContain('ibm_mq');
    expect((await api.request('POST', test, { sink: '' })).status).toBe(400);
  });
});
