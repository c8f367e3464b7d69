import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/model/errors.js';
import { Payload } from '../../src/model/payload.js';
import type { PeerIdentity } from '../../src/placement/peer/handshake.js';
import { PeerLinks } from '../../src/placement/peer/peer-links.js';
import { PeerListener } from '../../src/placement/peer/peer-listener.js';
import type { IncomingCall } from '../../src/placement/peer/peers.js';
import { defaultPeerLimits, type PeerLimits } from '../../src/placement/peer/peer-socket.js';
import { systemClock } from '../../src/std/clock.js';
import { until } from '../../testkit/until.js';

const secret = Buffer.from('a secret of the cluster');
const identity = (nodeId: string, over: Partial<PeerIdentity> = {}): PeerIdentity => ({
  nodeId,
  bootId: `boot-${nodeId}`,
  cluster: 'store-1',
  secret,
  ...over,
});

class TestPeer {
  readonly errors: string[] = [];
  readonly links: PeerLinks;
  readonly listener: PeerListener;
  port = 0;

  constructor(
    readonly who: PeerIdentity,
    limits: PeerLimits = defaultPeerLimits,
  ) {
    const failed = (error: unknown): void => void this.errors.push(String(error));
    this.links = new PeerLinks(who, { clock: systemClock, limits, failed });
    const { handlers } = this.links;
    this.listener = new PeerListener(who, { clock: systemClock, limits, handlers, failed });
  }

  async listen(port = 0): Promise<void> {
    this.port = await this.listener.listen('127.0.0.1', port);
  }

  /** Knows the other one, and waits until it can be asked. */
  async join(other: TestPeer): Promise<void> {
    this.follow(other);
    await until('the link', () => this.links.connected.includes(other.who.nodeId));
  }

  follow(other: TestPeer): void {
    const { nodeId, bootId } = other.who;
    this.links.follow([{ nodeId, bootId, address: '', peerAddress: `127.0.0.1:${other.port}` }]);
  }

  async stop(): Promise<void> {
    this.links.close();
    await this.listener.close();
  }
}

const peers: TestPeer[] = [];
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.stop();
});

async function start(who: PeerIdentity, limits?: PeerLimits): Promise<TestPeer> {
  const peer = new TestPeer(who, limits);
  peers.push(peer);
  await peer.listen();
  return peer;
}

const wait = { timeoutMs: 5_000 };

describe('links between nodes', () => {
  it('carry calls, payloads, large answers and refusals', async () => {
    const [a, b] = [await start(identity('a')), await start(identity('b'))];
    b.links.handle('echo', (body) => Promise.resolve(body));
    b.links.handle('refuse', () =>
      Promise.reject(new AppError('conflict', 'taken', { retryAfterSeconds: 3 })),
    );
    await a.join(b);
    const body = { payload: Payload.of({ n: 12345678901234567890n }), text: 'x'.repeat(1_000_000) };
    const answer = (await a.links.call('b', 'echo', body, wait)) as typeof body;
    expect(answer.payload.text).toBe('{"n":12345678901234567890}');
    expect(answer.text).toBe(body.text);
    const refused = a.links.call('b', 'refuse', null, wait);
    await expect(refused).rejects.toMatchObject({
      kind: 'conflict',
      message: 'taken',
      details: { retryAfterSeconds: 3 },
    });
    await expect(a.links.call('b', 'unheard', null, wait)).rejects.toThrow(/does not know/);
  });

  it('say whether a call that got no answer may have been carried out', async () => {
    const [a, b] = [await start(identity('a')), await start(identity('b'))];
    let aborted = false;
    b.links.handle('hang', (_body, { signal }) => {
      signal.addEventListener('abort', () => (aborted = true));
      return new Promise(() => undefined);
    });
    await expect(a.links.call('b', 'hang', null, wait)).rejects.toMatchObject({
      outcome: 'not-sent',
    });
    await a.join(b);
    const slow = a.links.call('b', 'hang', null, { timeoutMs: 20 });
    await expect(slow).rejects.toMatchObject({ outcome: 'unknown' });
    await until('the other side to hear of it', () => aborted);
    let unread: IncomingCall | undefined;
    b.links.handle('quiet', (_body, call) => {
      unread = call;
      return new Promise(() => undefined);
    });
    await expect(a.links.call('b', 'quiet', null, { timeoutMs: 20 })).rejects.toThrow();
    await until('the other side to hear of it', () => unread?.isCancelled === true);
    expect(unread?.signal.aborted).toBe(true);
    const lost = a.links.call('b', 'hang', null, wait);
    await b.listener.close();
    await expect(lost).rejects.toMatchObject({ outcome: 'unknown' });
  });

  it('come back after the other node was away, and tell that they were down', async () => {
    const a = await start(identity('a'));
    const b = await start(identity('b'));
    const downs: boolean[] = [];
    let ups = 0;
    a.links.onDown((_node, refused) => downs.push(refused));
    a.links.onUp(() => (ups += 1));
    await a.join(b);
    await b.listener.close();
    await until('a refused connection', () => downs.includes(true));
    const again = new TestPeer(identity('b'));
    peers.push(again);
    await again.listen(b.port);
    await until('the second link', () => ups === 2);
  });

  it('stand until a node that leaves has answered what it was asked', async () => {
    const [a, b] = [await start(identity('a')), await start(identity('b'))];
    const answers: ((answer: string) => void)[] = [];
    b.links.handle('slow', () => new Promise((resolve) => answers.push(resolve)));
    await a.join(b);
    const calls = [a.links.call('b', 'slow', 1, wait), a.links.call('b', 'slow', 2, wait)];
    await until('the calls', () => answers.length === 2);
    const closed = b.listener.close(5_000);
    a.links.follow([]);
    await expect(a.links.call('b', 'slow', 3, wait)).rejects.toMatchObject({ outcome: 'not-sent' });
    for (const answer of answers) answer('done');
    expect(await Promise.all(calls)).toEqual(['done', 'done']);
    await closed;
    expect(answers).toHaveLength(2);
  });

  it('end although a node that has left never answers', async () => {
    const [a, b] = [await start(identity('a')), await start(identity('b'))];
    let asked = 0;
    b.links.handle('hang', () => {
      asked += 1;
      return new Promise(() => undefined);
    });
    await a.join(b);
    const call = a.links.call('b', 'hang', null, wait);
    await until('the call', () => asked === 1);
    a.links.follow([]);
    await expect(call).rejects.toMatchObject({ outcome: 'unknown' });
  });

  it.each<[string, Partial<PeerIdentity>, RegExp]>([
    ['another secret', { secret: Buffer.from('guessed') }, /does not know the secret/],
    ['another store', { cluster: 'store-2' }, /works on another store/],
    ['another name', { nodeId: 'c' }, /answers c, not b/],
  ])('are not made to a node with %s', async (_what, over, why) => {
    const a = await start(identity('a'));
    const b = await start(identity('b', over));
    a.links.follow([
      { nodeId: 'b', bootId: 'boot-b', address: '', peerAddress: `127.0.0.1:${b.port}` },
    ]);
    await until('the refusal', () => [...a.errors, ...b.errors].some((text) => why.test(text)));
    expect(a.links.connected).toEqual([]);
  });

  it.each<[string, Buffer, RegExp]>([
    ['garbage', Buffer.from('GET / HTTP/1.1\r\n\r\n'), /longer than accepted/],
    ['a frame that is no MessagePack', Buffer.from([0, 0, 0, 1, 0xc1]), /MessagePack|what it is/],
    ['an older version', versionFrame(0), /speaks version 0/],
  ])('end where a stranger sends %s', async (_what, bytes, why) => {
    const b = await start(identity('b'));
    const socket = net.connect({ host: '127.0.0.1', port: b.port });
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => undefined);
    socket.write(bytes);
    await closed;
    expect(b.errors.join('\n')).toMatch(why);
  });

  it('end where a stranger says nothing', async () => {
    const b = await start(identity('b'), { ...defaultPeerLimits, handshakeMs: 30 });
    const socket = net.connect({ host: '127.0.0.1', port: b.port });
    await new Promise((resolve) => socket.on('close', resolve));
    expect(b.errors.join('\n')).toMatch(/did not say in time/);
  });

  it('make a flood wait at its sender', async () => {
    const b = await start(identity('b'), { ...defaultPeerLimits, callsAtOnceMax: 10 });
    const a = await start(identity('a'));
    let running = 0;
    let most = 0;
    const release: (() => void)[] = [];
    b.links.handle('slow', async () => {
      most = Math.max(most, (running += 1));
      await new Promise<void>((resolve) => release.push(resolve));
      running -= 1;
      return null;
    });
    await a.join(b);
    const body = 'x'.repeat(100_000);
    const calls = Array.from({ length: 100 }, () => a.links.call('b', 'slow', body, wait));
    let done = false;
    void Promise.all(calls).then(() => (done = true));
    await until('the calls to end', () => {
      for (const one of release.splice(0)) one();
      return done;
    });
    // Those that one read has brought together are carried out although the limit is reached.
    expect(most).toBeLessThan(20);
  });
});

function versionFrame(version: number): Buffer {
  const body = Buffer.from([0x96, 1, version, 0xa1, 0x61, 0xa1, 0x61, 0xa1, 0x61, 0xa1, 0x61]);
  return Buffer.concat([Buffer.from([0, 0, 0, body.length]), body]);
}
