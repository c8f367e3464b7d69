// What every kind of broker promises (src/broker/broker-kind.ts), tried on a real one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  BrokerKind,
  BrokerMessage,
  BrokerPublication,
  BrokerReader,
  BrokerSink,
  BrokerTarget,
  BrokerWays,
} from '../../src/broker/broker-kind.js';
import { BrokerSettings } from '../../src/broker/broker-settings.js';
import { systemClock } from '../../src/std/clock.js';
import { AccessRules } from '../../src/system-task/outbound-access.js';
import { defaultOutboundSettings, OutboundClient } from '../../src/system-task/outbound-client.js';
import { startBroker, type BrokerProgram, type RunningBroker } from '../support/brokers/broker.js';
import { pause, until } from '../../testkit/until.js';

export interface KindSuite {
  readonly kind: BrokerKind;
  readonly program: BrokerProgram;
  /** Why the broker cannot be started here. */
  readonly missing: string | undefined;
  readonly eventKinds: readonly string[];
  /** Whether it has a second listener, which asks for a login. */
  readonly asksForLogin?: true;
  /** Makes a queue where publishing does not. */
  readonly makeQueue?: (target: BrokerTarget, ways: BrokerWays) => Promise<void>;
}

/** At most: a broker that was killed takes its time to start on a busy machine. */
const waitMs = 60_000;
const pauseMs = 200;
const testMs = 150_000;
const startMs = 120_000;

export function describeKind(suite: KindSuite): void {
  const { kind, program, missing, eventKinds } = suite;
  describe.skipIf(missing !== undefined)(kind.name, { timeout: testMs }, () => {
    let broker: RunningBroker;
    let client: OutboundClient;
    let ways: BrokerWays;
    let queues = 0;
    const lastKind = eventKinds.at(-1) ?? kind.name;
    const stops: (() => Promise<void>)[] = [];

    beforeAll(async () => {
      client = new OutboundClient({ ...defaultOutboundSettings, allowInside: true }, systemClock);
      ways = {
        guard: new AccessRules({ allowInside: true, allowedHosts: [] }),
        send: ({ timeoutMs, ...request }) =>
          client.request({
            ...request,
            method: 'POST',
            connectTimeoutMs: timeoutMs,
            readTimeoutMs: timeoutMs,
            followRedirects: false,
          }),
      };
      broker = await startBroker(program);
    }, startMs);

    afterAll(async () => {
      for (const stop of stops) await stop();
      await client?.stop();
      await broker?.stop();
    });

    const fresh = async (
      eventKind: string,
      configuration = broker.configuration,
    ): Promise<BrokerTarget> => {
      const settings = BrokerSettings.of('the test', configuration);
      const target = { eventKind, queue: `${eventKind}-${++queues}`, settings };
      await suite.makeQueue?.(target, ways);
      return target;
    };

    /** Reads until it is stopped; connects again like a consumer of the server. */
    const read = (
      target: BrokerTarget,
      options: Partial<Pick<BrokerReader, 'name' | 'prefetch' | 'handle'>> = {},
    ): { seen: BrokerMessage[]; ready: Promise<void>; stop: () => Promise<void> } => {
      const stopping = new AbortController();
      const seen: BrokerMessage[] = [];
      let connected = (): void => undefined;
      const ready = new Promise<void>((resolve) => (connected = resolve));
      const { handle = () => Promise.resolve(), name = 'reader', prefetch = 8 } = options;
      const reader: BrokerReader = {
        ...{ name, prefetch, signal: stopping.signal, connected },
        handle: async (message) => {
          seen.push(message);
          await handle(message);
        },
      };
      const ended = (async () => {
        while (!stopping.signal.aborted) {
          await kind.consume(target, reader, ways).catch(() => undefined);
          if (!stopping.signal.aborted) await pause(pauseMs);
        }
      })();
      const stop = async (): Promise<void> => {
        stopping.abort();
        await ended;
      };
      stops.push(stop);
      return { seen, ready, stop };
    };

    /** Publishes each until the broker has taken it. */
    const publish = async (
      target: BrokerTarget,
      payloads: readonly string[],
      more: Pick<BrokerPublication, 'headers'> = {},
    ): Promise<void> => {
      let sink: BrokerSink | undefined;
      for (const payload of payloads) {
        await until(
          `the broker to take ${payload}`,
          async () => {
            try {
              sink ??= await kind.openSink(target, ways);
              const id = `id-${target.queue}-${payload}`;
              await sink.publish(target, { id, payload, ...more });
              return true;
            } catch {
              await sink?.close().catch(() => undefined);
              sink = undefined;
              return false;
            }
          },
          { timeoutMs: waitMs, everyMs: pauseMs },
        );
      }
      await sink?.close();
    };

    const payloadsOf = (messages: readonly BrokerMessage[]): string[] =>
      [...new Set(messages.map(({ payload }) => payload))].sort();
    const numbered = (count: number, name = 'n'): string[] =>
      Array.from({ length: count }, (_none, i) => `{"${name}":${String(i).padStart(3, '0')}1}`);

    it.each(eventKinds)(
      '%s hands out what was published, and not again once it is acknowledged',
      async (eventKind) => {
        const target = await fresh(eventKind);
        const first = read(target);
        await first.ready;
        await publish(target, numbered(10));
        await until('all messages', () => payloadsOf(first.seen).length === 10, {
          timeoutMs: waitMs,
        });
        await first.stop();
        expect(payloadsOf(first.seen)).toEqual(numbered(10));
        const second = read(target);
        await second.ready;
        await publish(target, ['"last"']);
        await until('the last message', () => payloadsOf(second.seen).includes('"last"'), {
          timeoutMs: waitMs,
        });
        await second.stop();
        expect(payloadsOf(second.seen)).toEqual(['"last"']);
      },
    );

    it.each(eventKinds)(
      '%s takes no more at once than the prefetch allows, and nothing while nothing is done',
      async (eventKind) => {
        const target = await fresh(eventKind);
        let release = (): void => undefined;
        const released = new Promise<void>((resolve) => (release = resolve));
        let running = 0;
        let most = 0;
        const reader = read(target, {
          prefetch: 3,
          handle: async () => {
            most = Math.max(most, ++running);
            await released;
            running -= 1;
          },
        });
        await reader.ready;
        await publish(target, numbered(9));
        await until('as many as the prefetch', () => reader.seen.length >= 3, {
          timeoutMs: waitMs,
        });
        release();
        await until('all messages', () => payloadsOf(reader.seen).length === 9, {
          timeoutMs: waitMs,
        });
        await reader.stop();
        expect(most).toBe(3);
      },
    );

    it.each(eventKinds)('%s hands out the trace that a message was given', async (eventKind) => {
      const target = await fresh(eventKind);
      const reader = read(target);
      await reader.ready;
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
      await publish(target, ['"traced"'], { headers: { traceparent, tracestate: 'vendor=a1' } });
      await publish(target, ['"plain"']);
      await until('both', () => payloadsOf(reader.seen).length === 2, { timeoutMs: waitMs });
      await reader.stop();
      const told = reader.seen.map(({ payload, header }) => [
        ...[payload, header?.('traceparent'), header?.('tracestate')],
      ]);
      expect(told).toContainEqual(['"traced"', traceparent, 'vendor=a1']);
      expect(told).toContainEqual(['"plain"', '', '']);
    });

    it.each(eventKinds)('%s hands out again what failed', async (eventKind) => {
      const target = await fresh(eventKind);
      let failures = 2;
      const reader = read(target, {
        handle: () => (failures-- > 0 ? Promise.reject(new Error('not now')) : Promise.resolve()),
      });
      await reader.ready;
      await publish(target, ['"again"']);
      await until('three attempts', () => reader.seen.length >= 3, { timeoutMs: waitMs });
      await reader.stop();
      expect(payloadsOf(reader.seen)).toEqual(['"again"']);
      expect(new Set(reader.seen.map(({ id }) => id)).size).toBe(1);
    });

    it.each(eventKinds)(
      '%s gives each reader every message where it fans out, else one of them',
      async (eventKind) => {
        const target = await fresh(eventKind);
        const [one, two] = [read(target, { name: 'one' }), read(target, { name: 'two' })];
        await Promise.all([one.ready, two.ready]);
        await publish(target, numbered(12));
        const all = (): string[] => payloadsOf([...one.seen, ...two.seen]);
        if (kind.fansOut(eventKind)) {
          await until('all messages at both', () => one.seen.length + two.seen.length >= 24, {
            timeoutMs: waitMs,
          });
          expect([payloadsOf(one.seen), payloadsOf(two.seen)]).toEqual([
            numbered(12),
            numbered(12),
          ]);
        } else {
          await until('all messages', () => all().length === 12, { timeoutMs: waitMs });
        }
        await Promise.all([one.stop(), two.stop()]);
        expect(all()).toEqual(numbered(12));
      },
    );

    it('loses nothing that it took when it is killed meanwhile', async () => {
      const target = await fresh(lastKind);
      const handled = new Set<string>();
      const reader = read(target, {
        handle: async ({ payload }) => {
          await pause(5);
          handled.add(payload);
        },
      });
      await reader.ready;
      const payloads = numbered(60);
      await publish(target, payloads.slice(0, 30));
      await broker.kill();
      await Promise.all([broker.restart(), publish(target, payloads.slice(30))]);
      await until('all messages', () => handled.size === 60, { timeoutMs: waitMs });
      await reader.stop();
      expect([...handled].sort()).toEqual(payloads);
    });

    if (suite.asksForLogin === true) {
      it('lets in a client with the right password, and none with another one', async () => {
        const { loginConfiguration: login } = broker;
        const target = await fresh(lastKind, login);
        const reader = read(target);
        await reader.ready;
        await publish(target, ['"in"']);
        await until('the message', () => reader.seen.length > 0, { timeoutMs: waitMs });
        await reader.stop();
        const wrong = await fresh(lastKind, { ...login, password: 'wrong' });
        await expect(kind.openSink(wrong, ways)).rejects.toThrow();
      });
    }

    it('rejects when the broker is not there', async () => {
      const configuration = { ...broker.configuration, endpoint: '127.0.0.1:1', port: 1 };
      const nowhere = kind.name === 'sqs' ? { endpoint: 'http://127.0.0.1:1' } : {};
      const settings = BrokerSettings.of('the test', { ...configuration, ...nowhere });
      const target = { eventKind: lastKind, queue: 'q', settings };
      await expect(
        (async () => {
          const sink = await kind.openSink(target, ways);
          await sink.publish(target, { id: 'i', payload: '{}' });
        })(),
      ).rejects.toThrow();
    });
  });
  if (missing !== undefined) it.skip(`${kind.name}: ${missing}`);
}
