import net from 'node:net';
import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { RedisProcess } from '../../cluster/redis-process.js';
import { startTopology, topologyKinds, type Topology } from '../../cluster/redis-topologies.js';
import { TcpProxy } from '../../cluster/tcp-proxy.js';
import { RedisClient } from '../../src/redis/client.js';
import type { Connection } from '../../src/redis/connection.js';
import { until } from '../../testkit/until.js';

async function withClient(
  topology: Topology,
  work: (client: RedisClient) => Promise<void>,
  url = topology.url,
): Promise<void> {
  const client = new RedisClient({ url, prefix: 'test' });
  try {
    await client.connect();
    await work(client);
  } finally {
    client.disconnect();
  }
}

describe('the Redis under a cluster', () => {
  it.each(topologyKinds)(
    '%s answers the store client, also after a failover',
    async (kind) => {
      const topology = await startTopology(kind);
      try {
        await withClient(topology, async (client) => {
          await client.reads.call('SET', 'test:key', 'before');
          if (kind === 'single') await expect(topology.failover()).rejects.toThrow(/nobody/);
          else await topology.failover();
          await until('the value', () =>
            client.reads.call('GET', 'test:key').then(
              (value) => String(value) === 'before',
              () => false,
            ),
          );
        });
      } finally {
        await topology.stop();
      }
    },
    60_000,
  );

  it('has a new primary: all connections move there before the former one is told', async () => {
    const topology = await startTopology('sentinel');
    try {
      await withClient(topology, async (client) => {
        const former = topology.primary();
        await topology.failover();
        const { port } = topology.primary();
        const isMoved = (connection: Connection): boolean => {
          const { status, stream } = connection.client as Redis;
          return status === 'ready' && (stream as net.Socket).remotePort === port;
        };
        const connections = [client.commits, client.queues, client.reads];
        await until('the move', () => connections.every(isMoved), { timeoutMs: 30_000 });
        // Sentinel makes it a replica some 8 s after the failover is over.
        expect(former.ask('ROLE')).toMatch(/^master/);
      });
    } finally {
      await topology.stop();
    }
  }, 60_000);

  it('ends a move of slots that was broken off', async () => {
    const topology = await startTopology('cluster');
    try {
      const [from, to] = topology.primaries() as [RedisProcess, RedisProcess];
      const slot = /\bmyself\b.* (\d+)-\d+$/m.exec(from.ask('CLUSTER', 'NODES'))?.[1] as string;
      const idOf = (server: RedisProcess): string => server.ask('CLUSTER', 'MYID').trim();
      to.ask('CLUSTER', 'SETSLOT', slot, 'IMPORTING', idOf(from));
      from.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', idOf(to));
      expect(from.ask('CLUSTER', 'NODES')).toContain(`[${slot}->-`);
      await topology.mend();
      for (const server of [from, to]) {
        expect(server.ask('CLUSTER', 'NODES')).not.toMatch(/\[\d+-/);
      }
    } finally {
      await topology.stop();
    }
  }, 90_000);

  it('can be cut off, slowed and healed by a proxy', async () => {
    const topology = await startTopology('single');
    const { port } = topology.primary();
    const proxy = new TcpProxy(() => ({ host: '127.0.0.1', port }));
    try {
      const url = `redis://127.0.0.1:${await proxy.listen()}`;
      const work = async (client: RedisClient): Promise<void> => {
        await client.reads.call('SET', 'test:key', '1');
        proxy.slow(30);
        const startAt = performance.now();
        await client.reads.call('GET', 'test:key');
        expect(performance.now() - startAt).toBeGreaterThan(55);
        proxy.cut();
        let answered = false;
        void client.reads.call('GET', 'test:key').then(
          () => (answered = true),
          () => undefined,
        );
        await until('the cut', () => proxy.state === 'cut');
        proxy.heal();
        await until('an answer', () =>
          client.reads.call('GET', 'test:key').then(
            () => true,
            () => false,
          ),
        );
        expect(answered).toBe(false);
      };
      await withClient(topology, work, url);
    } finally {
      await proxy.close();
      await topology.stop();
    }
  });

  it('keeps the order of what a proxy passes when a slow link is fast again', async () => {
    const received: Buffer[] = [];
    const server = net.createServer((socket) => {
      socket.on('data', (bytes) => received.push(bytes));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as net.AddressInfo;
    const proxy = new TcpProxy(() => ({ host: '127.0.0.1', port }));
    const socket = net.connect(await proxy.listen(), '127.0.0.1');
    const text = (): string => Buffer.concat(received).toString();
    try {
      socket.write('1');
      await until('the first byte', () => text() === '1');
      proxy.slow(50);
      socket.write('2');
      await until('the delay', () => proxy.delayedInAll === 1);
      proxy.heal();
      socket.write('3');
      await until('all bytes', () => text().length === 3);
      expect(text()).toBe('123');
    } finally {
      socket.destroy();
      await proxy.close();
      server.close();
    }
  });
});
