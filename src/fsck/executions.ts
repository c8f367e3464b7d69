// Checks executions one by one: each is read as a new owner would read it, and compared with
// everything that has to agree with it.
import { executionIdOfShort } from '../redis/codec/short-id.js';
import type { ParsedKey } from '../redis/key-kinds.js';
import { openExecution } from '../engine/load-execution.js';
import type { StoredExecution } from '../store/execution-store.js';
import { shardOf } from '../std/ids.js';
import type { Check, FsckParts, Suspect } from './check.js';
import { checkIndexes } from './execution-indexes.js';
import { checkOutbox } from './execution-outbox.js';
import { checkQueues } from './execution-queues.js';
import { checkTimers } from './execution-timers.js';
import { checkTree } from './execution-tree.js';
import { checkWaits } from './execution-waits.js';
import type { Finding } from './finding.js';
import type { ExecutionCheck } from './read-execution.js';
import { checkPermit } from './permits.js';
import { partsOf } from '../std/parts.js';

const ownChecks: readonly ExecutionCheck[] = [
  checkIndexes,
  checkTimers,
  checkOutbox,
  checkTree,
  checkQueues,
  checkWaits,
  checkPermit,
];

interface ExecutionPlace {
  readonly partition: number;
  readonly shortId: string;
}

/** Executions read at the same time. */
const atOnceMax = 16;

/** `ofAreas`: what areas compare with an execution. */
export function executionsCheck(
  parts: FsckParts,
  ofAreas: readonly ExecutionCheck[],
): Check<ExecutionPlace> {
  const checks = [...ownChecks, ...ofAreas];
  return {
    name: 'executions',
    ofKeys: (keys: readonly ParsedKey[]) =>
      keys.flatMap((key) =>
        key.kind === 'execution' ? [{ partition: key.partition, shortId: key.name }] : [],
      ),
    async inspect(places) {
      const suspects: Suspect<ExecutionPlace>[] = [];
      for (const some of partsOf(places, atOnceMax)) {
        const found = await Promise.all(some.map((place) => inspectOne(parts, place, checks)));
        for (const [i, findings] of found.entries()) {
          const subject = some[i] as ExecutionPlace;
          for (const finding of findings) suspects.push({ subject, finding });
        }
      }
      return suspects;
    },
  };
}

async function inspectOne(
  parts: FsckParts,
  place: ExecutionPlace,
  checks: readonly ExecutionCheck[],
): Promise<Finding[]> {
  const { keys } = parts.reader.redis;
  const { partition, shortId } = place;
  const id = executionIdOfShort(shortId);
  const shard = shardOf(id, parts.shards);
  const key = keys.executionOf(partition, shortId);
  if (keys.partitionOf(shard) !== partition) {
    const sentence = `Execution ${id} of shard ${shard} lies in partition ${partition}`;
    return [{ kind: 'record-unreadable', subject: id, keys: [key], sentence }];
  }
  let stored: StoredExecution | undefined;
  try {
    stored = await parts.executions.load(shard, id);
    if (stored === undefined) return [];
    const open = openExecution(stored.execution);
    const read = { id, shard, partition, shortId, key, stored, open };
    return (await Promise.all(checks.map((check) => check(parts, read)))).flat();
  } catch (error) {
    // An execution that cannot be decoded is a finding; a store that is away ends the check.
    if (error instanceof Error && error.name === 'StoreError') throw error;
    const sentence = `Execution ${id} cannot be read: ${(error as Error).message}`;
    return [{ kind: 'record-unreadable', subject: id, keys: [key], sentence }];
  }
}
