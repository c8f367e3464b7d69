// Every call of the JavaScript SDK's event client.
import { EventClient, type EventHandler } from '@io-orkes/conductor-javascript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../testkit/until.js';
import { SdkSession } from './sdk-session.js';

let sdk: SdkSession;
let events: EventClient;
beforeAll(async () => {
  sdk = await SdkSession.open();
  events = new EventClient(sdk.client);
});
afterAll(() => sdk?.close());

const handler = (name: string, over: Partial<EventHandler> = {}): EventHandler => ({
  ...{ name, event: `test:${name}`, active: true, actions: [], description: 'of the SDK' },
  ...over,
});

it('manages event handlers', async () => {
  await events.test();
  await events.addEventHandler(handler('one'));
  await events.addEventHandlers([handler('two'), handler('three', { active: false })]);
  expect(await sdk.refused(() => events.addEventHandler(handler('one')))).toBe('409');
  await events.updateEventHandler(handler('one', { description: 'changed' }));
  expect(await events.getEventHandlerByName('one')).toEqual({
    ...handler('one', { description: 'changed' }),
    createdBy: expect.stringContaining('app:') as string,
  });
  expect((await events.getAllEventHandlers()).map(({ name }) => name)).toEqual([
    'one',
    'three',
    'two',
  ]);
  expect(await events.getEventHandlersForEvent('test:three', true)).toEqual([]);
  expect(await events.getEventHandlersForEvent('test:three', false)).toHaveLength(1);
  const tag = { key: 'team', value: 'ops' };
  await events.putTagForEventHandler('one', [tag, { key: 'a', value: 'b' }]);
  await events.deleteTagForEventHandler('one', { key: 'a', value: 'b' });
  expect(await events.getTagsForEventHandler('one')).toEqual([tag]);
  await events.deleteTagsForEventHandler('one', [tag]);
  expect(await events.getTagsForEventHandler('one')).toEqual([]);
  await events.removeEventHandler('two');
  expect(await sdk.refused(() => events.removeEventHandler('two'))).toBe('404');
  expect(await sdk.refused(() => events.updateEventHandler(handler('two')))).toBe('404');
  await expect(events.getEventHandlerByName('two')).rejects.toThrow();
  expect(await sdk.refused(() => events.addEventHandler(handler('')))).toBe('400');
});

it('hands in messages and sees what became of them', async () => {
  const start = { name: 'not_there', version: 1 };
  const actions = [{ action: 'start_workflow', start_workflow: start }] as never;
  await events.addEventHandler(handler('acts', { actions }));
  await events.handleIncomingEvent({ event: 'test:acts', a: '1' });
  const [execution] = await until('an execution', async () => {
    const found = await events.getEventExecutions('acts');
    return found.length > 0 ? found : undefined;
  });
  expect(execution).toMatchObject({ name: 'acts', status: 'FAILED', action: 'start_workflow' });
  const messages = await until('a message', async () => {
    const found = await events.getEventMessages('test:acts');
    return found.length > 0 ? found : undefined;
  });
  expect(messages).toMatchObject([{ eventTarget: 'test:acts', fullPayload: { a: '1' } }]);
  const active = await events.getAllActiveEventHandlers();
  expect(active.results?.map(({ name }) => name)).toContain('acts');
  expect((await events.getEventHandlersWithStats()).totalHits).toBeGreaterThan(0);
  expect(await sdk.refused(() => events.handleIncomingEvent({}))).toBe('400');
});

it('describes queues and tries them out', async () => {
  await events.putQueueConfig('kafka', 'orders', JSON.stringify({ brokers: 'b' }));
  expect(await events.getQueueConfig('kafka', 'orders')).toEqual({ brokers: 'b' });
  expect(Object.keys(await events.getAllQueueConfigs())).toEqual(['kafka:orders']);
  await events.deleteQueueConfig('kafka', 'orders');
  expect(await sdk.refused(() => events.getQueueConfig('kafka', 'orders'))).toBe('404');
  const tried = await events.testConnectivity({ sink: 'conductor', input: { a: '1' } as never });
  expect(tried.successful).toBe(true);
  expect(await sdk.refused(() => events.testConnectivity({ sink: '' }))).toBe('400');
});
