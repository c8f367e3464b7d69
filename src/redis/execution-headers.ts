// Reads the headers of many executions in few calls, of finished ones and of others alike.
import { breathe } from '../std/breather.js';
import { headerBytes, readCompactHeaders } from './codec/compact-record.js';
import type { StoredValue } from './codec/record.js';
import type { RedisClient } from './client.js';
import { readExecutions, type PartitionKey } from './read-many.js';

const perCallMax = 200;

export interface StoredHeaders {
  readonly head: string;
  readonly attributes: StoredValue;
  readonly progress: StoredValue;
  /** Field `g`: the segments of one that is no string. */
  readonly segments: StoredValue | undefined;
  /** The string of a finished execution. */
  readonly isCompact: boolean;
}

/** In the order of the keys; undefined where there is no execution. */
export async function readHeaders(
  redis: RedisClient,
  keys: readonly PartitionKey[],
): Promise<(StoredHeaders | undefined)[]> {
  const fields = ['h', 'a', 'x', 'g'];
  const options = { keysPerCallMax: perCallMax, fields, bytesMax: headerBytes };
  const replies = await readExecutions(redis, keys, options);
  const headers: (StoredHeaders | undefined)[] = [];
  for (const [i, reply] of replies.entries()) {
    if (!Buffer.isBuffer(reply)) {
      headers.push(ofHash(reply));
      continue;
    }
    const found = readCompactHeaders(reply) ?? (await readWhole(redis, keys[i] as PartitionKey));
    headers.push(found && { ...found, segments: undefined, isCompact: true });
    await breathe();
  }
  return headers;
}

/** Headers of unusual length. */
async function readWhole(
  redis: RedisClient,
  key: PartitionKey,
): Promise<ReturnType<typeof readCompactHeaders>> {
  const options = { keysPerCallMax: 1, fields: ['h'], bytesMax: undefined };
  const [reply] = await readExecutions(redis, [key], options);
  return Buffer.isBuffer(reply) ? readCompactHeaders(reply) : undefined;
}

function ofHash([head, attributes, progress, segments]: (Buffer | null)[]):
  StoredHeaders | undefined {
  if (!head || !attributes || !progress) return undefined;
  return {
    ...{ head: head.toString(), attributes, progress },
    segments: segments ?? undefined,
    isCompact: false,
  };
}
