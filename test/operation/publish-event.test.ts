// How long state events wait for a broker that cannot be used: never for ever.
import { describe, expect, it } from 'vitest';
import { BrokerError, NoBrokerError } from '../../src/broker/broker-error.js';
import { createEventPublisher, missingBrokerMsMax } from '../../src/operation/publish-event.js';
import type { EventPublisher } from '../../src/shard/executions.js';
import { VirtualClock } from '../support/virtual-clock.js';

const eventLifeMs = 60_000;

/** A publisher whose sink answers with the error that `fails` gives; none: it takes the event. */
function publisherOf(clock: VirtualClock, fails: () => Error | undefined): EventPublisher {
  return createEventPublisher({
    eventSink: {
      publish: () => {
        const error = fails();
        return error === undefined ? Promise.resolve() : Promise.reject(error);
      },
      withdraw: () => Promise.resolve(),
    },
    requireRight: () => undefined,
    serverSinks: [],
    clock,
    eventLifeMs,
  });
}

const eventAt = (at: number | undefined): Parameters<EventPublisher['publish']>[0] => ({
  sink: 'nats:news:topic',
  source: { workflowName: 'w', ref: 'r' },
  startedBy: undefined,
  taskId: 't',
  at,
  key: 'k',
  payload: {},
});

const tried = { name: 'BrokerError' };
const givenUp = { kind: 'bad-request' };

describe('a state event', () => {
  it('whose integration does not exist is given up once that is known everywhere', async () => {
    const clock = new VirtualClock();
    const publisher = publisherOf(clock, () => new NoBrokerError('No such integration: news'));
    await expect(publisher.publish(eventAt(clock.now()))).rejects.toMatchObject(tried);
    clock.advance(missingBrokerMsMax - 1);
    await expect(publisher.publish(eventAt(clock.now()))).rejects.toMatchObject(tried);
    clock.advance(1);
    await expect(publisher.publish(eventAt(clock.now()))).rejects.toMatchObject({
      ...givenUp,
      message: 'No such integration: news',
    });
  });

  it('waits anew when the integration was there meanwhile', async () => {
    const clock = new VirtualClock();
    let isThere = false;
    const publisher = publisherOf(clock, () => (isThere ? undefined : new NoBrokerError('none')));
    await expect(publisher.publish(eventAt(clock.now()))).rejects.toMatchObject(tried);
    clock.advance(missingBrokerMsMax);
    isThere = true;
    await publisher.publish(eventAt(clock.now()));
    isThere = false;
    await expect(publisher.publish(eventAt(clock.now()))).rejects.toMatchObject(tried);
  });

  it('whose broker is away is tried for its life and then given up with the reason', async () => {
    const clock = new VirtualClock();
    const publisher = publisherOf(clock, () => new BrokerError('nats: away'));
    const event = eventAt(clock.now());
    clock.advance(eventLifeMs - 1);
    await expect(publisher.publish(event)).rejects.toMatchObject(tried);
    clock.advance(1);
    await expect(publisher.publish(event)).rejects.toMatchObject({
      ...givenUp,
      message: 'nats: away (tried for 60 s)',
    });
    await expect(publisher.publish(eventAt(undefined))).rejects.toMatchObject(tried);
  });
});
