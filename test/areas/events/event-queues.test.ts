import { expect, it } from 'vitest';
import { eventQueues, eventQueueSizes } from '../../../src/areas/events/event-queues.js';

const events = ['kafka:broker:orders', 'conductor:orders:paid', 'no-queue'];
const parts = {
  handlers: { activeByEvent: new Map(events.map((event) => [event, []])) },
  store: { size: (queue: string) => Promise.resolve(queue.length) },
};

it('names the queue of each event that has one', () => {
  expect([...eventQueues(parts)]).toEqual([
    ['conductor:orders:paid', 'orders:paid'],
    ['kafka:broker:orders', 'broker:orders'],
  ]);
});

it('counts what waits in queues of the server, and not what waits at brokers', async () => {
  expect(await eventQueueSizes(parts)).toEqual({
    'conductor:orders:paid': { 'orders:paid': 'conductor:orders:paid'.length },
    'kafka:broker:orders': { 'broker:orders': -1 },
  });
});
