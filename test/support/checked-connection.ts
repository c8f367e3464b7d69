// Connections of kinds of brokers to a listener on loopback, under a name that the guard alone
// knows: a client that asked the system would not find it (invariants S1).
import net from 'node:net';
import { expect, it } from 'vitest';
import type { BrokerKind, ConnectionGuard } from '../../src/broker/broker-kind.js';
import { BrokerSettings } from '../../src/broker/broker-settings.js';
import { AccessRules } from '../../src/system-task/outbound-access.js';
import { until } from '../../testkit/until.js';

/** Known to the guard alone. */
export const name = 'rebound.test';

/** What a listener on loopback has been sent; `greeting` is what it says first. */
export class Listener {
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
export function guardWith(addresses: readonly string[]): ConnectionGuard {
  const left = [...addresses];
  return new AccessRules({ allowInside: false, allowedHosts: ['127.0.0.1'] }, (host, answer) => {
    const address = left.length > 1 ? (left.shift() as string) : (left[0] as string);
    if (host === name) answer(null, [{ address, family: 4 }]);
    else answer(new Error(`${host} is not known`), []);
  });
}

/** The error that a connection ends with: no listener is a broker. */
export async function connect(
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

export interface CheckedConnection {
  readonly title: string;
  readonly kind: BrokerKind;
  readonly settings: Record<string, string>;
  /** Said by the broker first. */
  readonly greeting: string;
  /** In the client's first bytes; with TLS the host that a certificate must be for. */
  readonly sign: string;
}

/** Declares the tests that connections go to the address that was checked. */
export function checkedConnections(connections: readonly CheckedConnection[]): void {
  it.concurrent.each(connections)(
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
}
