// The server, or the cluster, that a soak runs on.
import path from 'node:path';
import { Redis } from 'ioredis';
import { LocalCluster } from '../../cluster/local-cluster.js';
import type { TopologyKind } from '../../cluster/redis-topologies.js';
import { ApiClient } from '../../testkit/api-client.js';
import { freePort, memoryBytesOf } from '../../testkit/process.js';
import { serverProgram, startServer } from '../../testkit/server.js';
import { LiveHeap } from './live-heap.js';

export interface Subject {
  /** One for each node. */
  readonly clients: readonly ApiClient[];
  /** Of every primary. */
  readonly stores: readonly Redis[];
  /** Of a single node. */
  readonly heap: LiveHeap | undefined;
  /** Bytes of memory of all nodes. */
  residentBytes(): number;
  /** Ends all that was started. */
  stop(): Promise<void>;
}

const args = ['--retention-seconds', '1'];
/** Nodes of a cluster share the key of their secrets. */
const secretsKey = Buffer.alloc(32, 's').toString('base64');

export async function startNode(): Promise<Subject> {
  const port = await freePort();
  const program = [`--inspect=127.0.0.1:${port}`, serverProgram];
  const server = await startServer({ args, program });
  const heap = await LiveHeap.of(port);
  return started({
    ...{ heap, urls: [server.url] },
    stores: [new Redis(path.join(server.dataDir, 'redis', 'redis.sock'))],
    pids: [server.pid],
    end: async () => {
      heap.close();
      await server.stop();
    },
  });
}

export async function startCluster(nodes: number, redis: TopologyKind): Promise<Subject> {
  const cluster = await LocalCluster.start({
    ...{ nodes, redis, port: 0, isDirect: true },
    args: [...args, '--secrets-key', secretsKey],
  });
  return started({
    ...{ heap: undefined, urls: cluster.urls },
    stores: cluster.topology.primaries().map(({ port }) => new Redis(port, '127.0.0.1')),
    pids: cluster.nodes.map(({ pid }) => pid),
    end: () => cluster.stop(),
  });
}

function started(parts: {
  readonly urls: readonly string[];
  readonly stores: readonly Redis[];
  readonly heap: LiveHeap | undefined;
  readonly pids: readonly number[];
  readonly end: () => Promise<void>;
}): Subject {
  const { stores, heap, pids } = parts;
  const clients = parts.urls.map((url) => new ApiClient(url));
  return {
    ...{ clients, stores, heap },
    residentBytes: () => pids.reduce((sum, pid) => sum + memoryBytesOf(pid), 0),
    stop: async () => {
      for (const store of stores) store.disconnect();
      await Promise.all(clients.map((client) => client.close()));
      await parts.end();
    },
  };
}
