// The parts that kinds of brokers share, without a broker.
import { describe, expect, it } from 'vitest';
import { amqpBroker } from '../../plugins/amqp/src/amqp.js';
import type { BrokerWays } from '../../src/broker/broker-kind.js';
import { BrokerSettings } from '../../src/broker/broker-settings.js';
import { parseHosts, reachableAddress } from '../../src/broker/endpoint.js';
import { brokerKinds } from '../support/every-plugin.js';
import { natsBroker } from '../../plugins/nats/src/nats.js';
import { Window } from '../../src/broker/window.js';
import { providers } from '../../src/model/event-providers.js';
import { AccessRules } from '../../src/system-task/outbound-access.js';

describe('the kinds of brokers', () => {
  it('are those that queue configurations and events may name', () => {
    const named = brokerKinds.all.flatMap(({ eventKinds }) => eventKinds);
    expect(['conductor', ...named].sort()).toEqual([...providers].sort());
    expect(brokerKinds.find('ibm_mq')).toBeUndefined();
  });
});

describe('settings of a broker', () => {
  const settings = BrokerSettings.of('the test', {
    consumer: { 'bootstrap.servers': 'a:1', 'group.id': 'g', nothing: '' },
    producer: { 'bootstrap.servers': 'b:1', 'sasl.username': ' u ' },
    prefetch: 5,
    tls: true,
    list: [1],
  });

  it('may be spelled as client libraries do, below consumer and producer', () => {
    expect(settings.names.sort()).toEqual(['endpoint', 'groupId', 'prefetch', 'tls', 'user']);
    expect([settings.text('endpoint'), settings.text('user')]).toEqual(['a:1', 'u']);
    expect([settings.count('prefetch', 1), settings.flag('tls')]).toEqual([5, true]);
  });

  it('are refused by name when they are missing or wrong', () => {
    expect(() => settings.required('region')).toThrow('the test has no region');
    expect(() => settings.count('groupId', 1)).toThrow(/groupId of the test must be a whole/);
    expect(() => settings.choice('groupId', ['x', 'y'], 'x')).toThrow(/must be one of x, y, not g/);
    expect(settings.choice('mechanism', ['x', 'y'], 'x')).toBe('x');
  });
});

describe('addresses of brokers', () => {
  it('are hosts with ports, with or without a scheme', () => {
    expect(parseHosts('a:1, nats://b , [::1]:3,amqps://c:5', 9)).toEqual([
      { host: 'a', port: 1 },
      { host: 'b', port: 9 },
      { host: '::1', port: 3 },
      { host: 'c', port: 5 },
    ]);
    expect(() => parseHosts('a b:1', 9)).toThrow(/not an address of a broker/);
  });

  it('inside the network of the server are refused unless a setting allows them', async () => {
    const guard = (allowedHosts: string[]): AccessRules =>
      new AccessRules({ allowInside: false, allowedHosts });
    const inside = { host: '127.0.0.1', port: 5672 };
    await expect(reachableAddress(guard([]), inside)).rejects.toThrow(/inside the server's own/);
    await expect(reachableAddress(guard([]), { host: 'localhost', port: 1 })).rejects.toThrow(
      /inside the server's own/,
    );
    expect(await reachableAddress(guard(['127.0.0.1']), inside)).toBe('127.0.0.1');
    const ways: BrokerWays = { guard: guard([]), send: () => Promise.reject(new Error('none')) };
    const settings = BrokerSettings.of('the test', { endpoint: '127.0.0.1:1' });
    for (const kind of [amqpBroker, natsBroker]) {
      const target = { eventKind: kind.name, queue: 'q', settings };
      await expect(kind.openSink(target, ways)).rejects.toThrow(/inside the server's own/);
    }
  });
});

describe('a window', () => {
  it('tells its first failure once, to those who wait for room and for the end', async () => {
    let failures = 0;
    const window = new Window(1, () => (failures += 1));
    window.add(() => Promise.reject(new Error('first')));
    await expect(window.room()).rejects.toThrow('first');
    await expect(window.drained()).rejects.toThrow('first');
    expect(failures).toBe(1);
  });
});
