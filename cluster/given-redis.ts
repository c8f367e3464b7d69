// A Redis that the user runs: for a torture against one's own deployment of Redis. It is neither
// harmed nor ended; the nodes use a prefix of their own there, and what they wrote goes at the end.
import { KeyspaceReader } from '../src/redis/keyspace-reader.js';
import { RedisClient } from '../src/redis/client.js';
import type { RedisProcess } from './redis-process.js';
import type { Topology } from './redis-topologies.js';

export interface GivenRedisSettings {
  /** As for `--redis-url`. */
  readonly url: string;
  /** The prefix of the nodes' keys; no key may have it yet. */
  readonly prefix: string;
}

export class GivenRedis implements Topology {
  readonly kind = 'given';
  readonly servers: readonly RedisProcess[] = [];
  readonly all: readonly RedisProcess[] = [];

  private constructor(
    readonly url: string,
    readonly prefix: string,
  ) {}

  /** Throws with a sentence when keys start with the prefix already. */
  static async find({ url, prefix }: GivenRedisSettings): Promise<GivenRedis> {
    await withReader(url, prefix, async (reader) => {
      for await (const keys of reader.names()) {
        if (keys.length === 0) continue;
        throw new Error(`Redis holds keys that start with ${prefix}: already; name another prefix`);
      }
    });
    return new GivenRedis(url, prefix);
  }

  primary(): RedisProcess {
    throw leftAlone();
  }

  primaries(): readonly RedisProcess[] {
    return [];
  }

  failover(): Promise<string> {
    return Promise.reject(leftAlone());
  }

  reshard(): Promise<string> {
    return Promise.reject(leftAlone());
  }

  mend(): Promise<void> {
    return Promise.resolve();
  }

  /** Removes what starts with the prefix. */
  async stop(): Promise<void> {
    await withReader(this.url, this.prefix, async (reader) => {
      for await (const keys of reader.names()) {
        for (const key of keys) await reader.write('UNLINK', key);
      }
    });
  }
}

function leftAlone(): Error {
  return new Error('A Redis of your own is left alone');
}

async function withReader(
  url: string,
  prefix: string,
  use: (reader: KeyspaceReader) => Promise<void>,
): Promise<void> {
  const redis = new RedisClient({ url, prefix });
  try {
    await redis.connect();
    await use(new KeyspaceReader(redis));
  } finally {
    redis.disconnect();
  }
}
