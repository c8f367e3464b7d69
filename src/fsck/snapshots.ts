// Definition snapshots and their counts: a snapshot lives while executions of its partition name it
// (architecture section 3), so the count must be the number of these executions. Executions start
// and go while they are counted: a count that has changed meanwhile says nothing and is left for
// the next run.
import { readHeaders } from '../redis/execution-headers.js';
import type { Check, FsckParts, Suspect } from './check.js';
import type { Finding } from './finding.js';
import { attributesOf } from './readable.js';

/** Field of a partition's state: `s` and the content hash. */
const countField = /^s([0-9a-f]{8,})$/;

export function snapshotsCheck(parts: FsckParts): Check<number> {
  const { keys } = parts.reader.redis;
  return {
    name: 'definition snapshots',
    async *walk() {
      for (let partition = 0; partition < keys.partitions; partition++) {
        yield await Promise.resolve([partition]);
      }
    },
    async inspect(partitions) {
      const suspects: Suspect<number>[] = [];
      for (const subject of partitions) {
        for (const finding of await inspectPartition(parts, subject)) {
          suspects.push({ subject, finding });
        }
      }
      return suspects;
    },
  };
}

async function inspectPartition(parts: FsckParts, partition: number): Promise<Finding[]> {
  const before = await countsOf(parts, partition);
  const named = await namedBy(parts, partition);
  const after = await countsOf(parts, partition);
  const findings: Finding[] = [];
  for (const hash of new Set([...before.keys(), ...named.keys()])) {
    const stored = before.get(hash);
    if (stored !== after.get(hash)) continue;
    findings.push(
      ...(await judge(parts, { partition, hash, stored, named: named.get(hash) ?? 0 })),
    );
  }
  return findings;
}

interface Count {
  readonly partition: number;
  readonly hash: string;
  /** undefined: there is no count. */
  readonly stored: number | undefined;
  readonly named: number;
}

async function judge({ reader }: FsckParts, count: Count): Promise<Finding[]> {
  const { partition, hash, stored, named } = count;
  const { keys } = reader.redis;
  const state = keys.partitionState(partition);
  const snapshot = keys.snapshot(partition, hash);
  const common = { subject: hash, keys: [snapshot, state] };
  const [isThere = false] = await reader.exist([snapshot]);
  if (named > 0 && !isThere) {
    const sentence = `${named} executions name the definition snapshot ${hash}, which is missing`;
    return [{ ...common, kind: 'snapshot-missing', sentence }];
  }
  if ((stored ?? 0) === named) return [];
  const basis = {
    key: state,
    field: `s${hash}`,
    value: stored === undefined ? undefined : Buffer.from(String(stored)),
  };
  const sentence = `${named} executions name the definition snapshot ${hash} and ${stored ?? 0} are counted`;
  // One count too few removes a snapshot that is needed, one too many only keeps one: only the
  // former is worth the risk of a repair beside running nodes.
  const mend = (): Promise<boolean> =>
    reader.mend(basis, [['HSET', state, `s${hash}`, String(named)]]);
  return [
    { ...common, kind: 'snapshot-count', sentence, ...(named > (stored ?? 0) ? { mend } : {}) },
  ];
}

async function countsOf({ reader }: FsckParts, partition: number): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const fields of reader.fields(reader.redis.keys.partitionState(partition))) {
    for (const { field, value } of fields) {
      const hash = countField.exec(field)?.[1];
      if (hash !== undefined) counts.set(hash, Number(value));
    }
  }
  return counts;
}

/** How many executions of the partition name each snapshot. */
async function namedBy({ reader }: FsckParts, partition: number): Promise<Map<string, number>> {
  const { redis } = reader;
  const named = new Map<string, number>();
  const seen = new Set<string>();
  for await (const entries of reader.members(redis.keys.all(partition))) {
    const fresh = entries.filter(({ member }) => !seen.has(member));
    for (const { member } of fresh) seen.add(member);
    const headers = await readHeaders(
      redis,
      fresh.map(({ member }) => ({ partition, key: redis.keys.executionOf(partition, member) })),
    );
    for (const found of headers) {
      const read = attributesOf(found);
      if (read === undefined) continue;
      const { snapshotHash } = read;
      named.set(snapshotHash, (named.get(snapshotHash) ?? 0) + 1);
    }
  }
  return named;
}
