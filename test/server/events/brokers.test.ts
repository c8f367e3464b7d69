// Handlers of queues of a broker and EVENT tasks that publish there, on a real broker (Redis
// streams) that is killed meanwhile: what was taken is dealt with once committed, what cannot be
// dealt with is a dead letter, and the state of connections is told.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { checkAnswers, type ApiSchemas } from '../../../testkit/api-schemas.js';
import { startBroker, type RunningBroker } from '../../support/brokers/broker.js';
import { redisProgram } from '../../support/brokers/programs.js';
import { unseenSuccesses } from '../../support/declared-successes.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import { until } from '../../../testkit/until.js';
import type { JsonObject } from '../../../testkit/wire.js';

let server: RunningServer;
let api: ApiClient;
let forms: ApiSchemas;
let broker: RunningBroker;
let names = 0;

const set = { name: 'v', taskReferenceName: 'v', type: 'SET_VARIABLE', inputParameters: {} };
const longMs = { timeoutMs: 40_000 };

beforeAll(async () => {
  broker = await startBroker(redisProgram);
  server = await startServer({ args: ['--outbound-allow-inside=true'] });
  api = new ApiClient(server.url);
  forms = await checkAnswers(api);
  await api.registerWorkflows({ name: 'started', tasks: [set] } as never);
  await connect('streams');
});
afterAll(async () => {
  await api.close();
  await server.stop();
  await broker.stop();
});

async function connect(name: string, over: JsonObject = {}): Promise<void> {
  const configuration = { ...broker.configuration, ...over };
  const provider = { type: 'redis_stream', category: 'MESSAGE_BROKER', enabled: true };
  await api.ask('POST', `/api/integrations/provider/${name}`, { ...provider, configuration });
}

async function handle(event: string, target = 'started'): Promise<string> {
  const name = `on_stream_${++names}`;
  const start = { name: target, version: 1, input: { n: '${n}' } };
  const actions = [{ action: 'start_workflow', start_workflow: start }];
  await api.ask('POST', '/api/event', { name, event, active: true, actions });
  return name;
}

/** Publishes by an EVENT task; resolves with the execution's status and reason. */
async function publish(sink: string, input: JsonObject): Promise<[string, string]> {
  const event = { name: 'e', taskReferenceName: 'e', type: 'EVENT', sink };
  const tasks = [{ ...event, inputParameters: { n: '${workflow.input.n}' } }];
  const start = { name: 'publishes', workflowDef: { name: 'publishes', tasks }, input };
  const ended = await api.untilEnd(await api.start(start as never));
  return [ended.status, ended.reasonForIncompletion ?? ''];
}

interface Source {
  readonly handlers: string[];
  readonly status: string;
  readonly reason?: string;
  readonly unusedSettings: string[];
}

/** Once the connection of a handler has a status. */
async function source(handler: string, status: string): Promise<Source> {
  return await until(
    `the connection of ${handler} to be ${status}`,
    async () => {
      const { body } = await api.ask('GET', '/api/event/queue/source');
      return (body as Source[]).find(
        (each) => each.handlers.includes(handler) && each.status === status,
      );
    },
    longMs,
  );
}

interface Started {
  readonly status: string;
  readonly input: { readonly n: unknown };
}

/** Inputs of what a handler has started, once there are as many. */
async function startedBy(handler: string, count: number): Promise<unknown[]> {
  return await until(
    `${count} records of ${handler}`,
    async () => {
      const { body } = await api.ask('GET', `/api/event/execution/${handler}?from=0`);
      const records = body as { status: string; output: { workflowId: string } }[];
      const done = records.filter(({ status }) => status === 'COMPLETED');
      if (done.length < count) return undefined;
      const found = await Promise.all(done.map(({ output }) => api.workflow(output.workflowId)));
      return (found as unknown as Started[]).map(({ input }) => input.n).sort();
    },
    longMs,
  );
}

describe('an event handler of a stream', () => {
  it('deals with what EVENT tasks publish, each handler for itself', async () => {
    const event = 'redis_stream:streams:orders';
    const handlers = [await handle(event), await handle(event)];
    for (const handler of handlers) await source(handler, 'CONNECTED');
    const queues = (path: string): Promise<unknown> =>
      api.ask('GET', `/api/admin/queues${path}`).then(({ body }) => body);
    expect(await queues('')).toMatchObject({ [event]: 'streams:orders' });
    expect(await queues('?verbose=true')).toMatchObject({ [event]: { 'streams:orders': -1 } });
    expect(await publish(event, { n: 1 })).toEqual(['COMPLETED', '']);
    for (const handler of handlers) expect(await startedBy(handler, 1)).toEqual([1]);
    const messages = await api.ask('GET', `/api/event/message/${encodeURIComponent(event)}?from=0`);
    expect(messages.body).toContainEqual(
      expect.objectContaining({ eventTarget: event, status: 'HANDLED' }),
    );
  });

  it('loses nothing when the broker and the server are killed', async () => {
    const event = 'redis_stream:streams:kills';
    const handler = await handle(event);
    await source(handler, 'CONNECTED');
    for (const n of [1, 2, 3]) await publish(event, { n });
    await broker.kill();
    const { reason } = await source(handler, 'UNREACHABLE');
    expect(reason).toMatch(/redis_stream \(integration streams\): /);
    const health = (await api.ask('GET', '/health')).body as { details: JsonObject };
    expect(health.details['unreachableBrokers']).toBeGreaterThan(0);
    const [status, why] = await publish(event, { n: 4 });
    expect([status, why]).toEqual(['FAILED', expect.stringContaining('integration streams')]);
    await broker.restart();
    for (const n of [5, 6]) expect((await publish(event, { n }))[0]).toBe('COMPLETED');
    await server.kill('SIGKILL');
    await server.restart();
    expect((await publish(event, { n: 7 }))[0]).toBe('COMPLETED');
    expect(await startedBy(handler, 6)).toEqual([1, 2, 3, 5, 6, 7]);
  });

  it('keeps what it could not deal with, and deals with it again on demand', async () => {
    const event = 'redis_stream:streams:letters';
    const handler = await handle(event, 'registered_later');
    const path = `/api/event/handler/${handler}/dead-letters`;
    await publish(event, { n: 1 });
    const letter = await until(
      'a dead letter',
      async () => ((await api.ask('GET', path)).body as JsonObject[])[0],
      longMs,
    );
    expect(letter).toMatchObject({
      handler,
      event,
      reason: expect.stringMatching(/registered_later/),
    });
    const ids = [letter['id']];
    const again = (await api.ask('POST', `${path}/redeliver`, { ids })).body;
    expect(again).toEqual({ done: [], failed: [{ id: letter['id'], reason: letter['reason'] }] });
    await api.registerWorkflows({ name: 'registered_later', tasks: [set] } as never);
    const done = (await api.ask('POST', `${path}/redeliver`)).body;
    expect(done).toEqual({ done: ids, failed: [] });
    expect(await startedBy(handler, 1)).toEqual([1]);
    expect((await api.ask('GET', path)).body).toEqual([]);
  });

  it('forgets dead letters that are discarded', async () => {
    const event = 'redis_stream:streams:discarded';
    const handler = await handle(event, 'never_registered');
    const path = `/api/event/handler/${handler}/dead-letters`;
    await publish(event, { n: 1 });
    const count = async (): Promise<number> =>
      ((await api.ask('GET', `${path}?size=10`)).body as unknown[]).length;
    await until('a dead letter', async () => (await count()) === 1, longMs);
    // None of these may count as the request without a body, which is for all of them.
    for (const body of [{}, { id: ['a'] }, { ids: [] }, { ids: null }, { ids: ['a'], x: 1 }]) {
      for (const verb of ['discard', 'redeliver']) {
        const refused = await api.request('POST', `${path}/${verb}`, body);
        expect([verb, body, refused.status, refused.text]).toEqual([
          ...[verb, body, 400],
          expect.stringMatching(/"message":"(ids must name one|id is none of|x is none of)/),
        ]);
      }
    }
    expect((await api.request('POST', `${path}/discard?ids=a`)).text).toMatch(/no parameter 'ids'/);
    expect(await count()).toBe(1);
    await api.ask('POST', `${path}/discard`, { ids: ['another'] });
    expect(await count()).toBe(1);
    await api.ask('POST', `${path}/discard`);
    expect(await count()).toBe(0);
    expect((await api.request('GET', `${path}?size=0`)).status).toBe(400);
    expect((await api.request('GET', path.replace(handler, 'nobody'))).status).toBe(404);
  });
});

describe('a connection', () => {
  it('may be a queue configuration, whose settings take effect when they change', async () => {
    const { endpoint, ...rest } = broker.configuration;
    const path = '/api/event/queue/config/redis_stream/described';
    const event = 'redis_stream:described';
    const wrong = { ...rest, consumer: { 'bootstrap.servers': '127.0.0.1:1', 'fetch.size': 5 } };
    await api.ask('PUT', path, wrong);
    const handler = await handle(event);
    const { unusedSettings } = await source(handler, 'UNREACHABLE');
    expect(unusedSettings).toEqual(['fetch.size']);
    await api.ask('PUT', path, { ...rest, consumer: { 'bootstrap.servers': String(endpoint) } });
    await source(handler, 'CONNECTED');
    expect(await publish(event, { n: 3 })).toEqual(['COMPLETED', '']);
    expect(await startedBy(handler, 1)).toEqual([3]);
    const tried = await api.ask('POST', '/api/event/queue/connectivity', { sink: event });
    expect(tried.body).toMatchObject({ successful: true, reason: '' });
  });

  it('that is missing, disabled or of another kind is told', async () => {
    await connect('wrong_password', { password: 'a wrong one' });
    const off = { type: 'redis_stream', category: 'MESSAGE_BROKER', enabled: false };
    await api.ask('POST', '/api/integrations/provider/turned_off', off);
    const model = { type: 'openai', category: 'AI_MODEL' };
    await api.ask('POST', '/api/integrations/provider/a_model', model);
    for (const [sink, why] of [
      ['redis_stream:nothing:q', 'No such integration provider: nothing'],
      ['redis_stream:turned_off:q', 'The integration turned_off is not enabled'],
      ['redis_stream:a_model:q', 'The integration a_model is of type openai, not redis_stream'],
      ['redis_stream:q', 'redis_stream:q has no queue configuration and names no integration'],
      ['redis_stream:wrong_password:q', 'redis_stream (integration wrong_password): '],
    ] as const) {
      expect(await publish(sink, {})).toEqual(['FAILED', expect.stringContaining(why)]);
    }
    const [, text] = await publish('redis_stream:wrong_password:q', {});
    expect(text).not.toContain('a wrong one');
  });
});

// Last, when all others have run.
it('every success of dead letters and of connections has been seen', () => {
  expect(unseenSuccesses('test/server/events/brokers.test.ts', forms)).toEqual([]);
});
