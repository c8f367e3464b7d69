// Copies every key of a loaded snapshot into another Redis, with its time to live. Keys of the same
// deployments that are there already stop it, unless they are to be replaced: then they go first,
// so nothing of two moments is mixed.
import { Redis } from 'ioredis';
import { badInput } from '../shared/failure.js';
import type { SnapshotServer } from './snapshot-server.js';

const keysAtOnce = 500;
const connectTimeoutMs = 5000;

/** Resolves with the number of keys. */
export async function copyInto(
  snapshot: SnapshotServer,
  url: string,
  replace: boolean,
): Promise<number> {
  const source = new Redis(snapshot.socket, { lazyConnect: true });
  const target = new Redis(url, {
    ...{ lazyConnect: true, connectTimeout: connectTimeoutMs },
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // Said by the call that fails.
  target.on('error', () => undefined);
  try {
    await source.connect();
    await target.connect();
    await clear(source, target, replace);
    let copied = 0;
    for await (const keys of batches(source, '*')) {
      copied += await copyKeys(source, target, keys);
    }
    return copied;
  } finally {
    source.disconnect();
    target.disconnect();
  }
}

async function clear(source: Redis, target: Redis, replace: boolean): Promise<void> {
  const prefixes = new Set<string>();
  for await (const keys of batches(source, '*:keyspace')) {
    for (const key of keys) prefixes.add(key.toString().slice(0, -'keyspace'.length));
  }
  if (prefixes.size === 0)
    throw badInput('The snapshot holds nothing of a server. Nothing was changed.');
  for (const prefix of prefixes) {
    const literal = prefix.replace(/[*?[\]\\]/g, '\\$&');
    // A lease of a node ends three seconds after the node.
    for await (const leases of batches(target, `${literal}node:*`)) {
      if (leases.length > 0)
        throw badInput('Nodes run on that Redis: stop them first. Nothing was changed.');
    }
    const pattern = `${literal}*`;
    for await (const keys of batches(target, pattern)) {
      if (!replace)
        throw badInput(
          `Keys with the prefix ${prefix} are stored there: say --replace to delete them first. Nothing was changed.`,
        );
      await target.unlink(...keys);
    }
  }
}

async function copyKeys(source: Redis, target: Redis, keys: readonly Buffer[]): Promise<number> {
  const reads = source.pipeline();
  for (const key of keys) reads.dumpBuffer(key).pttl(key);
  const found = (await reads.exec()) ?? [];
  const writes = target.pipeline();
  let count = 0;
  for (const [index, key] of keys.entries()) {
    const content = found[index * 2]?.[1];
    const left = Number(found[index * 2 + 1]?.[1]);
    // It has expired in the meantime.
    if (!Buffer.isBuffer(content)) continue;
    writes.restore(key, Math.max(0, left), content, 'REPLACE');
    count++;
  }
  for (const [error] of (await writes.exec()) ?? []) if (error !== null) throw error;
  return count;
}

async function* batches(client: Redis, pattern: string): AsyncGenerator<Buffer[]> {
  let cursor = '0';
  do {
    const [next, keys] = await client.scanBuffer(cursor, 'MATCH', pattern, 'COUNT', keysAtOnce);
    cursor = next.toString();
    if (keys.length > 0) yield keys;
  } while (cursor !== '0');
}
