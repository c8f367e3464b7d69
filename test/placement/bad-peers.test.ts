// Peers that lie about their version, speak garbage, stall or flood: each is given up with a
// sentence that says why, calls to it end in bounded time, and other links go on.
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { FrameReader, frameKind, packFrame, type Frame } from '../../src/placement/peer/frames.js';
import {
  createHello,
  helloFrame,
  proofFrame,
  readHello,
  type Hello,
  type PeerIdentity,
} from '../../src/placement/peer/handshake.js';
import { PeerLinks } from '../../src/placement/peer/peer-links.js';
import { PeerListener } from '../../src/placement/peer/peer-listener.js';
import { defaultPeerLimits, type PeerLimits } from '../../src/placement/peer/peer-socket.js';
import { systemClock } from '../../src/std/clock.js';
import { until } from '../../testkit/until.js';

const identity = (nodeId: string): PeerIdentity => ({
  nodeId,
  bootId: `boot-${nodeId}`,
  cluster: 'store-1',
  secret: Buffer.from('a secret of the cluster'),
});
const limits: PeerLimits = {
  ...defaultPeerLimits,
  frameBytesMax: 1_000_000,
  unsentBytesMax: 1_000_000,
  pingEveryMs: 20,
  silenceMs: 500,
  handshakeMs: 500,
};
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** What a bad peer does: with a new connection, and once the other side has proved who it is. */
interface Badness {
  readonly accepted?: (socket: net.Socket) => void;
  readonly hello?: (frame: Frame) => Frame;
  readonly trusted?: (socket: net.Socket) => void;
}

/** A listener that takes part in the handshake as node b, as badly as it is told. */
async function badPeer({ accepted, hello = (frame) => frame, trusted }: Badness): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    cleanUps.push(() => socket.destroy());
    if (accepted !== undefined) return accepted(socket);
    const own = createHello(identity('b'));
    const reader = new FrameReader(1_000_000);
    let dialler: Hello | undefined;
    socket.on('data', (chunk) => {
      for (const frame of reader.read(chunk)) {
        if (frame[0] === frameKind.hello) {
          dialler = readHello(frame, identity('b'));
          socket.write(packFrame(hello(helloFrame(own))));
        } else if (frame[0] === frameKind.proof && dialler !== undefined) {
          socket.write(packFrame(proofFrame(identity('b').secret, 'listen', dialler, own)));
          trusted?.(socket);
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => server.close());
  return (server.address() as net.AddressInfo).port;
}

/** Node a, which links to b on that port, and to a node c that is as it should be. */
async function nodeBeside(port: number): Promise<{ links: PeerLinks; errors: string[] }> {
  const errors: string[] = [];
  const failed = (error: unknown): void => void errors.push(String(error));
  const c = new PeerLinks(identity('c'), { clock: systemClock, limits, failed });
  c.handle('echo', (body) => Promise.resolve(body));
  const { handlers } = c;
  const parts = { clock: systemClock, limits, handlers, failed };
  const listener = new PeerListener(identity('c'), parts);
  const goodPort = await listener.listen('127.0.0.1', 0);
  const links = new PeerLinks(identity('a'), { clock: systemClock, limits, failed });
  cleanUps.push(() => listener.close());
  cleanUps.push(() => links.close());
  links.follow([
    { nodeId: 'b', bootId: 'boot-b', address: '', peerAddress: `127.0.0.1:${port}` },
    { nodeId: 'c', bootId: 'boot-c', address: '', peerAddress: `127.0.0.1:${goodPort}` },
  ]);
  await until('the good link', () => links.connected.includes('c'));
  return { links, errors };
}

/** The good peer answers. On a busy machine its link may have to come back first. */
async function untilAnswered(links: PeerLinks): Promise<void> {
  await until('the answer of the good peer', async () => {
    const answer = links.call('c', 'echo', 1, { timeoutMs: 2_000 }).catch(() => undefined);
    return (await answer) === 1;
  });
}

const garbage = Buffer.from([0, 0, 0, 1, 0xc1]);
const ping = packFrame([frameKind.ping]);

describe('a peer that', () => {
  it.each<[string, Badness, RegExp]>([
    ['never says hello', { accepted: () => undefined }, /did not|in time/],
    ['says garbage', { accepted: (socket) => socket.write(garbage) }, /MessagePack|what it is/],
    [
      'says a version that is not ours',
      { hello: ([kind, , ...rest]) => [kind, 99, ...rest] },
      /speaks version 99 of the node protocol, this node 1/,
    ],
    ['says no version', { hello: ([kind]) => [kind] }, /speaks version undefined/],
    ['greets with too much', { hello: (frame) => [...frame, 'x'.repeat(10_000)] }, /longer than/],
  ])('%s is not linked to', async (_what, badness, why) => {
    const { links, errors } = await nodeBeside(await badPeer(badness));
    await until('the refusal', () => errors.some((error) => why.test(error)));
    expect(links.connected).not.toContain('b');
    const call = links.call('b', 'echo', 1, { timeoutMs: 1_000 });
    await expect(call).rejects.toMatchObject({ outcome: 'not-sent' });
    await untilAnswered(links);
  });

  it.each<[string, (socket: net.Socket) => void, RegExp]>([
    ['stalls', (socket) => socket.pause(), /silent for/],
    ['speaks garbage', (socket) => socket.write(garbage), /MessagePack|what it is/],
    [
      'sends a frame without end',
      (socket) => socket.write(Buffer.from([0x7f, 0xff, 0xff, 0xff])),
      /longer than accepted/,
    ],
    [
      'sends signs of life and reads nothing',
      (socket) => {
        socket.pause();
        const timer = setInterval(() => socket.write(ping), 10);
        cleanUps.push(() => clearInterval(timer));
      },
      /has not read \d+ bytes/,
    ],
  ])('%s once it is linked to is given up', async (_what, trusted, why) => {
    const { links, errors } = await nodeBeside(await badPeer({ trusted }));
    // What waits for it ends with the link, or at its own time.
    const calls = until('an end of the calls', async () => {
      const body = 'x'.repeat(500_000);
      const call = links.call('b', 'echo', body, { timeoutMs: 200 });
      await expect(call).rejects.toThrow();
      return errors.some((error) => why.test(error));
    });
    await calls;
    await untilAnswered(links);
  });

  it('floods with answers that nobody asked for disturbs no other link', async () => {
    const flood = Buffer.concat(
      Array.from({ length: 1_000 }, (_, i) => packFrame([frameKind.answer, i + 1_000, null])),
    );
    let sent = 0;
    const port = await badPeer({
      trusted(socket) {
        const write = (): void => {
          sent += 1;
          if (!socket.destroyed && sent < 200) socket.write(flood, () => setImmediate(write));
        };
        write();
      },
    });
    const { links } = await nodeBeside(port);
    await until('much of the flood', async () => {
      await untilAnswered(links);
      return sent >= 100;
    });
  });
});
