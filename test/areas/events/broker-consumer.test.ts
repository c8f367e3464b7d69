// What becomes of a message that handlers cannot deal with yet: it is tried again with growing
// pauses and becomes a dead letter after the last attempt, but never while the store is away.
import { describe, expect, it } from 'vitest';
import type { BrokerKind } from '../../../src/broker/broker-kind.js';
import { BrokerSettings } from '../../../src/broker/broker-settings.js';
import {
  BrokerConsumer,
  type BrokerConsumerParts,
} from '../../../src/areas/events/consume/broker-consumer.js';
import { systemCaller } from '../../../src/model/caller.js';
import type { DeadLetter } from '../../../src/areas/events/dead-letter.js';
import type { EventHandler } from '../../../src/areas/events/event-handler.js';
import { StoreError } from '../../../src/store/execution-store.js';
import { defaultOperationLimits } from '../../../src/operation/context.js';
import { until } from '../../../testkit/until.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const event = 'kafka:broker:orders';
const attemptsMax = 3;
const handler = { name: 'h', event, active: true, actions: [], createdBy: '' };

/** A consumer of one message whose handling fails as `failure` says of each attempt, from 1. */
function consumerOf(failure: (attempt: number) => Error): {
  consumer: BrokerConsumer;
  clock: VirtualClock;
  letters: DeadLetter[];
  attempts: () => number;
  acknowledged: () => number;
} {
  const clock = new VirtualClock();
  const letters: DeadLetter[] = [];
  let attempts = 0;
  let acknowledged = 0;
  const kind: BrokerKind = {
    ...{ name: 'kafka', eventKinds: ['kafka'], providerTypes: ['kafka'], settingNames: [] },
    fansOut: () => true,
    openSink: () => Promise.reject(new Error('nothing is published')),
    async consume(_target, { handle, signal, connected }) {
      connected();
      await handle({ id: 'm1', publishedAt: clock.now(), payload: '{"n":1}' });
      acknowledged += 1;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
  const target = { eventKind: 'kafka', queue: 'orders', settings: BrokerSettings.of('test', {}) };
  const parts = {
    clock,
    operations: { limits: defaultOperationLimits },
    callerOf: () => systemCaller,
    integrationOf: () => undefined,
    ...{ attemptsMax, prefetchMax: 1, node: 'n', changed: () => undefined },
    targets: { find: () => Promise.resolve({ kind, target, version: '1' }) },
    records: { find: () => Promise.reject(failure((attempts += 1))) },
    deadLetters: { add: (letter: DeadLetter) => Promise.resolve(void letters.push(letter)) },
  };
  const source = {
    ...{ id: 'handler:h', event, handlers: () => [handler as EventHandler] },
    refusal: () => undefined,
  };
  const consumer = new BrokerConsumer(parts as unknown as BrokerConsumerParts, source);
  return { consumer, clock, letters, attempts: () => attempts, acknowledged: () => acknowledged };
}

describe('a message that cannot be dealt with', () => {
  it('becomes a dead letter after the last attempt and is acknowledged then', async () => {
    const run = consumerOf((attempt) => new Error(`not yet ${attempt}`));
    for (const [attempt, pauseMs] of [
      [1, 500],
      [2, 1000],
    ] as const) {
      await until('the pause', () => run.attempts() === attempt && run.clock.timers === 1);
      expect([run.letters.length, run.acknowledged()]).toEqual([0, 0]);
      run.clock.advance(pauseMs);
    }
    await until('the acknowledgement', () => run.acknowledged() === 1);
    expect(run.attempts()).toBe(attemptsMax);
    expect(run.letters).toMatchObject([
      { handler: 'h', event, messageId: 'm1', reason: 'given up after 3 attempts: not yet 3' },
    ]);
    await run.consumer.stop();
  });

  it('is not given up while the store is away', async () => {
    const run = consumerOf(() => new StoreError('not-applied', 'away'));
    for (let attempt = 1; attempt <= attemptsMax + 2; attempt += 1) {
      await until('the pause', () => run.attempts() === attempt && run.clock.timers === 1);
      run.clock.advance(30_000);
    }
    expect([run.letters.length, run.acknowledged()]).toEqual([0, 0]);
    await run.consumer.stop();
  });
});
