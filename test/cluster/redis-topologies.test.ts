import { describe, expect, it } from 'vitest';
import { startTopology, topologyKinds, type Topology } from '../../cluster/redis-topologies.js';
import { TcpProxy } from '../../cluster/tcp-proxy.js';
import { RedisClient } from '../../src/redis/client.js';
import { until } from '../support/until.js';

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
});
