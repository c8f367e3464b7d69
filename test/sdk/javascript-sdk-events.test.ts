// Every call of the JavaScript SDK's event client.
import { EventClient, type EventHandler } from '@io-orkes/conductor-javascript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../testkit/until.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { SdkSession } from './sdk-session.js';

const server = sharedSecuredServer(import.meta.url);
let sdk: SdkSession;
let events: EventClient;
beforeAll(async () => {
  sdk = await SdkSession.open(server);
  events = new EventClient(sdk.client);
});
afterAll(() => sdk?.close());

const handler = (name: string, over: Partial<EventHandler> = {}): EventHandler => ({
  ...{ name, event: `test:${name}`, active: true, actions: [], description: 'of the SDK' },
  ...over,
});

it('manages event handlers', async () => {
  await events.test();
  await events.addEventHandler(handler('javascript_sdk_events_one'));
  await events.addEventHandlers([
    handler('javascript_sdk_events_two'),
    handler('javascript_sdk_events_three', { active: false }),
  ]);
  expect(
    await sdk.refused(() => events.addEventHandler(handler('javascript_sdk_events_one'))),
  ).toBe('409');
  await events.updateEventHandler(handler('javascript_sdk_events_one', { description: 'changed' }));
  expect(await events.getEventHandlerByName('javascript_sdk_events_one')).toEqual({
    ...handler('javascript_sdk_events_one', { description: 'changed' }),
    createdBy: expect.stringContaining('app:') as string,
  });
  const all = (await events.getAllEventHandlers()).map(({ name = '' }) => name);
  expect(all.filter((name) => name.startsWith('javascript_sdk_events_'))).toEqual([
    'javascript_sdk_events_one',
    'javascript_sdk_events_three',
    'javascript_sdk_events_two',
  ]);
  expect(await events.getEventHandlersForEvent('test:javascript_sdk_events_three', true)).toEqual(
    [],
  );
  expect(
    await events.getEventHandlersForEvent('test:javascript_sdk_events_three', false),
  ).toHaveLength(1);
  const tag = { key: 'team', value: 'ops' };
  await events.putTagForEventHandler('javascript_sdk_events_one', [tag, { key: 'a', value: 'b' }]);
  await events.deleteTagForEventHandler('javascript_sdk_events_one', { key: 'a', value: 'b' });
  expect(await events.getTagsForEventHandler('javascript_sdk_events_one')).toEqual([tag]);
  await events.deleteTagsForEventHandler('javascript_sdk_events_one', [tag]);
  expect(await events.getTagsForEventHandler('javascript_sdk_events_one')).toEqual([]);
  await events.removeEventHandler('javascript_sdk_events_two');
  expect(await sdk.refused(() => events.removeEventHandler('javascript_sdk_events_two'))).toBe(
    '404',
  );
  expect(
    await sdk.refused(() => events.updateEventHandler(handler('javascript_sdk_events_two'))),
  ).toBe('404');
  await expect(events.getEventHandlerByName('javascript_sdk_events_two')).rejects.toThrow();
  expect(await sdk.refused(() => events.addEventHandler(handler('')))).toBe('400');
});

it('hands in messages and sees what became of them', async () => {
  const start = { name: 'not_there', version: 1 };
  const actions = [{ action: 'start_workflow', start_workflow: start }] as never;
  await events.addEventHandler(handler('javascript_sdk_events_acts', { actions }));
  await events.handleIncomingEvent({ event: 'test:javascript_sdk_events_acts', a: '1' });
  const [execution] = await until('an execution', async () => {
    const found = await events.getEventExecutions('javascript_sdk_events_acts');
    return found.length > 0 ? found : undefined;
  });
  expect(execution).toMatchObject({
    name: 'javascript_sdk_events_acts',
    status: 'FAILED',
    action: 'start_workflow',
  });
  const messages = await until('a message', async () => {
    const found = await events.getEventMessages('test:javascript_sdk_events_acts');
    return found.length > 0 ? found : undefined;
  });
  expect(messages).toMatchObject([
    { eventTarget: 'test:javascript_sdk_events_acts', fullPayload: { a: '1' } },
  ]);
  const active = await events.getAllActiveEventHandlers();
  expect(active.results?.map(({ name }) => name)).toContain('javascript_sdk_events_acts');
  expect((await events.getEventHandlersWithStats()).totalHits).toBeGreaterThan(0);
  expect(await sdk.refused(() => events.handleIncomingEvent({}))).toBe('400');
});

it('describes queues and tries them out', async () => {
  await events.putQueueConfig(
    'kafka',
    'javascript_sdk_events_orders',
    JSON.stringify({ brokers: 'b' }),
  );
  expect(await events.getQueueConfig('kafka', 'javascript_sdk_events_orders')).toEqual({
    brokers: 'b',
  });
  expect(Object.keys(await events.getAllQueueConfigs())).toContain(
    'kafka:javascript_sdk_events_orders',
  );
  await events.deleteQueueConfig('kafka', 'javascript_sdk_events_orders');
  expect(
    await sdk.refused(() => events.getQueueConfig('kafka', 'javascript_sdk_events_orders')),
  ).toBe('404');
  const tried = await events.testConnectivity({ sink: 'conductor', input: { a: '1' } as never });
  expect(tried.successful).toBe(true);
  expect(await sdk.refused(() => events.testConnectivity({ sink: '' }))).toBe('400');
});
