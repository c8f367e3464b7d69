// Copies every key of a loaded snapshot into another Redis, with its time to live. Keys of the same
// deployments that are there already stop it, unless they are to be replaced: then they go first,
// so nothing of two moments is mixed. A copy that breaks off leaves a mark, and no server starts on
// that.
import { Redis } from 'ioredis';
import { badInput, exitCodes, Failure } from '../shared/failure.js';
import type { SnapshotServer } from './snapshot-server.js';

const markName = 'keyspace';
/** In place of the record of a keyspace while it is copied; a server refuses it by name. */
const restoringMark = 'restoring';
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
    const marks = await begin(source, target, replace);
    let copied = 0;
    try {
      for await (const keys of batches(source, '*')) {
        copied += await copyKeys(
          source,
          target,
          keys.filter((key) => !marks.has(key.toString())),
        );
      }
      return copied + (await copyKeys(source, target, [...marks].map(Buffer.from)));
    } catch (error) {
      throw new Failure(
        `${(error as Error).message}\nWhat lies there now is not whole, and no server starts on it: the same command with --replace begins anew.`,
        exitCodes.unreachable,
      );
    }
  } finally {
    source.disconnect();
    target.disconnect();
  }
}

/**
 * Marks each keyspace that is copied, so that no server takes half of one for a whole, and deletes
 * what is to be replaced. Resolves with the keys of the marks, which are copied last.
 */
async function begin(source: Redis, target: Redis, replace: boolean): Promise<Set<string>> {
  const marks = new Set<string>();
  for await (const keys of batches(source, `*:${markName}`)) {
    for (const key of keys) marks.add(key.toString());
  }
  if (marks.size === 0)
    throw badInput('The snapshot holds nothing of a server. Nothing was changed.');
  const prefixes = [...marks].map((key) => key.slice(0, -markName.length));
  for (const prefix of prefixes) await requireFree(target, prefix, replace);
  for (const key of marks) await target.set(key, restoringMark);
  for (const prefix of prefixes) {
    for await (const keys of batches(target, `${literal(prefix)}*`)) {
      const others = keys.filter((key) => !marks.has(key.toString()));
      if (others.length > 0) await target.unlink(...others);
    }
  }
  return marks;
}

async function requireFree(target: Redis, prefix: string, replace: boolean): Promise<void> {
  // A lease of a node ends three seconds after the node.
  for await (const leases of batches(target, `${literal(prefix)}node:*`)) {
    if (leases.length > 0)
      throw badInput('Nodes run on that Redis: stop them first. Nothing was changed.');
  }
  if (replace) return;
  if ((await target.get(`${prefix}${markName}`)) === restoringMark)
    throw badInput(
      'A restore into that Redis broke off: say --replace to begin anew. Nothing was changed.',
    );
  for await (const keys of batches(target, `${literal(prefix)}*`)) {
    if (keys.length > 0)
      throw badInput(
        `Keys with the prefix ${prefix} are stored there: say --replace to delete them first. Nothing was changed.`,
      );
  }
}

function literal(prefix: string): string {
  return prefix.replace(/[*?[\]\\]/g, '\\$&');
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
