// Connections to the peer port that never prove anything (docs/access.md, Requests of strangers).
import net from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { PeerLinks } from '../../src/placement/peer/peer-links.js';
import { PeerListener } from '../../src/placement/peer/peer-listener.js';
import { defaultPeerLimits } from '../../src/placement/peer/peer-socket.js';
import { systemClock } from '../../src/std/clock.js';
import { until } from '../../testkit/until.js';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const limits = { ...defaultPeerLimits, handshakeMs: 60_000 };
const secret = Buffer.from('a secret of sixteen bytes');
const identity = (nodeId: string) => ({ nodeId, bootId: `boot-${nodeId}`, cluster: 'c1', secret });

async function strangers(port: number, many: number): Promise<net.Socket[]> {
  return await Promise.all(
    Array.from(
      { length: many },
      () =>
        new Promise<net.Socket>((resolve) => {
          const socket = net.connect(port, '127.0.0.1', () => resolve(socket));
          socket.on('error', () => undefined);
          cleanUps.push(() => socket.destroy());
        }),
    ),
  );
}

it('150 strangers, who stay and come again, do not keep a node unlinked', async () => {
  const failures: unknown[] = [];
  const failed = (error: unknown): void => void failures.push(error);
  const served = new PeerLinks(identity('b'), { clock: systemClock, limits, failed });
  served.handle('echo', (body) => Promise.resolve(body));
  const { handlers } = served;
  const listener = new PeerListener(identity('b'), {
    ...{ clock: systemClock, limits, handlers, failed },
  });
  const port = await listener.listen('127.0.0.1', 0);
  cleanUps.push(() => listener.close());
  const first = await strangers(port, 150);
  // No more than a hundred are held.
  await until('the oldest to be closed', () => first.filter(({ closed }) => closed).length === 50);
  const links = new PeerLinks(identity('a'), { clock: systemClock, limits, failed });
  cleanUps.push(() => links.close());
  links.follow([{ nodeId: 'b', bootId: 'boot-b', address: '', peerAddress: `127.0.0.1:${port}` }]);
  await until('the link', () => links.connected.includes('b'));
  await strangers(port, 150);
  expect(await links.call('b', 'echo', 1, { timeoutMs: 20_000 })).toBe(1);
  expect(failures).toEqual([]);
});

it('what strangers do wrong is told once a second', async () => {
  const failures: unknown[] = [];
  const listener = new PeerListener(identity('b'), {
    ...{ clock: systemClock, limits, handlers: new Map() },
    failed: (error) => failures.push(error),
  });
  const port = await listener.listen('127.0.0.1', 0);
  cleanUps.push(() => listener.close());
  const sockets = await strangers(port, 50);
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\n\r\n');
  await until('all to be closed', () => sockets.every(({ closed }) => closed));
  expect(failures.length).toBeGreaterThan(0);
  expect(failures.length).toBeLessThan(25);
});
