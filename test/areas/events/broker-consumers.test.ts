// Each handler of a broker's topic has a consumer of its own: one that is slow, or whose broker
// cannot be reached, holds up no other.
import { expect, it } from 'vitest';
import type { BrokerKind } from '../../../src/broker/broker-kind.js';
import { BrokerSettings } from '../../../src/broker/broker-settings.js';
import {
  BrokerConsumers,
  type BrokerConsumersParts,
} from '../../../src/areas/events/consume/broker-consumers.js';
import { systemCaller } from '../../../src/model/caller.js';
import { defaultOperationLimits } from '../../../src/operation/context.js';
import { until } from '../../../testkit/until.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const event = 'kafka:broker:orders';
const messages = 20;

it('takes all messages for one handler while another is stuck with its first', async () => {
  const clock = new VirtualClock();
  const acknowledged = new Map<string, number>();
  const kind: BrokerKind = {
    ...{ name: 'kafka', eventKinds: ['kafka'], providerTypes: ['kafka'], settingNames: [] },
    fansOut: () => true,
    openSink: () => Promise.reject(new Error('nothing is published')),
    async consume(_target, { name, handle, signal, connected }) {
      if (name.includes('unreachable')) throw new Error('There is no broker');
      connected();
      for (let n = 0; n < messages && !signal.aborted; n += 1) {
        await handle({ id: `m${n}`, publishedAt: clock.now(), payload: '{}' });
        acknowledged.set(name, (acknowledged.get(name) ?? 0) + 1);
      }
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
  const handlers = ['slow', 'quick', 'unreachable'].map((name) => ({
    ...{ name, event, active: true, actions: [], createdBy: '' },
  }));
  let release = (): void => undefined;
  const stuck = new Promise<void>((resolve) => (release = resolve));
  const target = { eventKind: 'kafka', queue: 'orders', settings: BrokerSettings.of('test', {}) };
  const consumers = new BrokerConsumers({
    clock,
    operations: { limits: defaultOperationLimits },
    callerOf: () => systemCaller,
    integrationOf: () => undefined,
    ...{ attemptsMax: 3, prefetchMax: 1, node: 'n' },
    handlers: { activeByEvent: new Map([[event, handlers]]), activeOf: () => handlers },
    leadership: { leads: true },
    targets: {
      kindOf: () => ({ kind, eventKind: 'kafka' }),
      versionOf: () => '1',
      find: () => Promise.resolve({ kind, target, version: '1' }),
    },
    records: {
      find: async (name: string) => {
        if (name === 'slow') await stuck;
        return [undefined];
      },
      keep: () => Promise.resolve(),
      keepMessage: () => Promise.resolve(),
    },
    states: {
      clearStates: () => Promise.resolve(),
      keepState: () => Promise.resolve(),
      dropState: () => Promise.resolve(),
    },
    failed: (error: unknown) => {
      throw error;
    },
  } as unknown as BrokerConsumersParts);
  await consumers.start();
  await consumers.lookOnce();
  const seenBy = (name: string): number =>
    [...acknowledged].find(([reader]) => reader.includes(name))?.[1] ?? 0;
  await until('the messages of the quick one', () => seenBy('quick') === messages);
  expect(seenBy('slow')).toBe(0);
  expect(consumers.unreachable).toBe(1);
  release();
  await until('the messages of the slow one', () => seenBy('slow') === messages);
  await consumers.stop();
});
