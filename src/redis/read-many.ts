// Reads the same thing from many keys in few calls (scripts/read-many.lua). On a cluster keys of
// one call share a slot, so they are grouped by partition there; elsewhere any keys go together.
import type { RedisClient } from './client.js';
import type { Argument } from './encoded-call.js';
import { Script } from './script.js';
import { partsOf } from '../std/parts.js';

const readManyScript = Script.named('read-many');

export interface PartitionKey {
  readonly partition: number;
  readonly key: string;
}

/** Commands that only read; what each call may ask of a key keeps the script short. */
export type ReadCommand = 'ZCOUNT' | 'ZRANGEBYSCORE' | 'ZREVRANGEBYSCORE';

/** Calls sent in one write; between two writes others get their turn. */
const callsPerWriteMax = 16;

/**
 * Replies in the order of the keys; bulk replies are Buffers. `keysPerCallMax` bounds what one call
 * of the script takes.
 */
export async function readMany(
  redis: RedisClient,
  keys: readonly PartitionKey[],
  keysPerCallMax: number,
  command: ReadCommand,
  ...args: readonly Argument[]
): Promise<unknown[]> {
  return await callMany(redis, keys, keysPerCallMax, [command, 0, ...args]);
}

/**
 * Of each key the named fields of a hash, or of a finished execution, which is a string, its first
 * bytes.
 */
export async function readExecutions(
  redis: RedisClient,
  keys: readonly PartitionKey[],
  options: {
    readonly keysPerCallMax: number;
    readonly fields: readonly string[];
    /** Of a string; undefined: all of it. */
    readonly bytesMax: number | undefined;
  },
): Promise<((Buffer | null)[] | Buffer)[]> {
  const { keysPerCallMax, fields, bytesMax = -1 } = options;
  const args = ['HMGET', bytesMax, ...fields];
  return (await callMany(redis, keys, keysPerCallMax, args)) as ((Buffer | null)[] | Buffer)[];
}

/** `args` as the script takes them. */
async function callMany(
  redis: RedisClient,
  keys: readonly PartitionKey[],
  keysPerCallMax: number,
  args: readonly Argument[],
): Promise<unknown[]> {
  const groups = groupsOf(keys, keysPerCallMax, redis.isCluster);
  const replies = new Array<unknown>(keys.length);
  for (const some of partsOf(groups, callsPerWriteMax)) {
    const answers = await redis.reads.runAll(
      some.map((group) => ({
        script: readManyScript,
        keys: group.map((place) => (keys[place] as PartitionKey).key),
        args,
      })),
    );
    for (const [i, group] of some.entries()) {
      const list = answers[i] as unknown[];
      for (const [j, place] of group.entries()) replies[place] = list[j];
    }
  }
  return replies;
}

/** Places of the keys that go together. */
function groupsOf(
  keys: readonly PartitionKey[],
  keysPerCallMax: number,
  isCluster: boolean,
): number[][] {
  const groups: number[][] = [];
  const open = new Map<number, number[]>();
  for (const [place, { partition }] of keys.entries()) {
    const slot = isCluster ? partition : 0;
    let group = open.get(slot);
    if (group === undefined || group.length >= keysPerCallMax) {
      group = [];
      open.set(slot, group);
      groups.push(group);
    }
    group.push(place);
  }
  return groups;
}
