// Asks the owner of an execution to look at it: its wake-up is due now and its mark says that
// something is open. The owner, or the next one, then loads it and releases again what was promised
// (invariants M5). A wake-up that is earlier than needed does nothing.
import { dueScore } from '../redis/codec/scores.js';
import type { Mending } from '../redis/keyspace-reader.js';
import type { FsckParts } from './check.js';
import type { ReadExecution } from './read-execution.js';

export function wakeOwner(
  { reader, now }: FsckParts,
  { partition, shard, shortId, key, stored }: ReadExecution,
): Promise<boolean> {
  const { keys } = reader.redis;
  const wakeAt = dueScore(keys.placeOf(shard), false, now());
  const commands: Mending[] = [
    ['ZADD', keys.dirty(partition), String(shard), shortId],
    ['ZADD', keys.due(partition), String(wakeAt), shortId],
  ];
  return reader.mend({ key, head: stored.head }, commands);
}
