// Connections to brokers go to the address that was checked (invariants S1). The names of these
// tests are known to the guard alone: a client that asked the system would not find them.
import net from 'node:net';
import { expect, it } from 'vitest';
import type { BrokerKind, ConnectionGuard } from '../../src/broker/broker-kind.js';
import { BrokerSettings } from '../../src/broker/broker-settings.js';
import { kafkaBroker } from '../../plugins/kafka/src/kafka.js';
import { natsBroker } from '../../plugins/nats/src/nats.js';
import { AccessRules } from '../../src/system-task/outbound-access.js';
import { until } from '../../testkit/until.js';

const name = 'rebound.test';
const natsGreeting = (tls_required: boolean): string =>
  `INFO ${JSON.stringify({ version: '2.10.0', tls_required, max_payload: 1, proto: 1 })}\r\n`;

/** What a listener on loopback has been sent; `greeting` is what it says first. */
class Listener {
  #sent = Buffer.alloc(0);
  readonly #open = new Set<net.Socket>();
  readonly #server: net.Server;

  constructor(greeting: string) {
    this.#server = net.createServer((socket) => {
      this.#open.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => (this.#sent = Buffer.concat([this.#sent, bytes])));
      socket.write(greeting);
    });
  }

  async start(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as net.AddressInfo).port;
  }

  get sent(): string {
    return this.#sent.toString('latin1');
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }
}

/** Knows the name: at first as an address outside that is loopback here, then as it says. */
function guardWith(addresses: readonly string[]): ConnectionGuard {
  const left = [...addresses];
  return new AccessRules({ allowInside: false, allowedHosts: ['127.0.0.1'] }, (host, answer) => {
    const address = left.length > 1 ? (left.shift() as string) : (left[0] as string);
    if (host === name) answer(null, [{ address, family: 4 }]);
    else answer(new Error(`${host} is not known`), []);
  });
}

/** The error that a connection ends with: no listener is a broker. */
async function connect(
  kind: BrokerKind,
  port: number,
  settings: Record<string, string>,
  guard: ConnectionGuard,
): Promise<unknown> {
  const target = {
    eventKind: kind.name,
    queue: 'q',
    settings: BrokerSettings.of('the test', { endpoint: `${name}:${port}`, ...settings }),
  };
  const ways = { guard, send: () => Promise.reject(new Error('not over HTTP')) };
  return await kind.openSink(target, ways).catch((error: unknown) => error);
}

/** `sign`: what the client's first bytes hold; with TLS the host that a certificate must be for. */
const kinds = [
  { title: 'Kafka', kind: kafkaBroker, settings: {}, greeting: '', sign: 'downbeat' },
  {
    title: 'Kafka with TLS',
    kind: kafkaBroker,
    settings: { protocol: 'SSL' },
    greeting: '',
    sign: name,
  },
  {
    title: 'NATS',
    kind: natsBroker,
    settings: {},
    greeting: natsGreeting(false),
    sign: 'CONNECT {',
  },
  {
    title: 'NATS with TLS',
    kind: natsBroker,
    settings: { tls: 'true' },
    greeting: natsGreeting(true),
    sign: name,
  },
];

it.concurrent.each(kinds)(
  'a connection to $title goes to the address that was checked, under the name',
  async ({ kind, settings, greeting, sign }) => {
    const listener = new Listener(greeting);
    const port = await listener.start();
    const connected = connect(kind, port, settings, guardWith(['127.0.0.1']));
    await until(`a greeting with ${sign}`, () => listener.sent.includes(sign));
    listener.stop();
    expect(await connected).toBeInstanceOf(Error);
  },
);

it.concurrent.each(['PLAINTEXT', 'SSL'])(
  'a broker of Kafka (%s) whose name turns inside after the check is refused',
  async (protocol) => {
    const listener = new Listener('');
    const port = await listener.start();
    const guard = guardWith(['127.0.0.1', '127.0.0.2']);
    const error = await connect(kafkaBroker, port, { protocol }, guard);
    expect(reasons(error)).toMatch(/rebound\.test is inside/);
    expect(reasons(error)).not.toContain('127.0.0.2');
    expect(listener.sent).toBe('');
    listener.stop();
  },
);

/** The message of an error and of those that it collects. */
function reasons(error: unknown): string {
  const { message, errors = [], cause } = error as AggregateError;
  return [message, ...errors.map(reasons), cause === undefined ? '' : reasons(cause)].join('\n');
}
