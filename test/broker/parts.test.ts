// The parts that kinds of brokers share, without a broker.
import { describe, expect, it } from 'vitest';
import { amqpBroker, parseQueue } from '../../src/broker/amqp.js';
import type { BrokerWays } from '../../src/broker/broker-kind.js';
import { BrokerSettings } from '../../src/broker/broker-settings.js';
import { parseHosts, reachableAddress } from '../../src/broker/endpoint.js';
import { brokerKinds } from '../support/every-plugin.js';
import { natsBroker } from '../../src/broker/nats.js';
import { OffsetTracker } from '../../src/broker/offset-tracker.js';
import { signRequest } from '../../src/broker/sign-request.js';
import { callerOf } from '../../src/broker/sqs.js';
import { Window } from '../../src/broker/window.js';
import { providers } from '../../src/model/event/providers.js';
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

describe('an AMQP queue', () => {
  it.each([
    ['x?durable=true', /the parameters are exchangeType and routingKey/],
    ['x?exchangeType=round', /exchangeType must be one of topic, direct/],
  ])('%s is refused', (queue, why) => {
    expect(() => parseQueue(queue)).toThrow(why);
  });
});

describe('what may be committed of a partition', () => {
  it('is everything before the first message that is not done', () => {
    const offsets = new OffsetTracker<number>();
    const [one, two, three] = [1, 2, 3].map((message) => offsets.add('p', message));
    const other = offsets.add('q', 9);
    expect(two?.()).toBeUndefined();
    expect(other()).toBe(9);
    expect(one?.()).toBe(2);
    expect(three?.()).toBe(3);
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

describe('a signed request', () => {
  it('has the signature of the published example', () => {
    // The suite of examples of Signature Version 4: post-vanilla.
    const url = new URL('https://example.amazonaws.com/');
    const signed = signRequest(
      { url, headers: new Map(), body: '' },
      {
        keyId: 'AKIDEXAMPLE',
        secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
        region: 'us-east-1',
        service: 'service',
      },
      Date.UTC(2015, 7, 30, 12, 36, 0),
    );
    expect(signed.get('authorization')).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
        'SignedHeaders=host;x-amz-date, ' +
        'Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    );
  });

  it('needs an access key: the roles of this machine are not lent', () => {
    const role = BrokerSettings.of('the test', { connectionType: 'CONDUCTOR_ROLE', region: 'r' });
    const send = (): Promise<never> => Promise.reject(new Error('none'));
    expect(() => callerOf(role, { send })).toThrow(/connectionType of the test must be one of ACC/);
  });
});
