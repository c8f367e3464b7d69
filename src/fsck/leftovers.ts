// Keys that nothing names any more: snapshots without a count, segments of executions that are
// gone, idempotency records of executions that never were (invariants I1, I3).
import { segmentsIn } from '../redis/codec/execution-fields.js';
import { unpackRecord } from '../redis/codec/record.js';
import type { ParsedKey } from '../redis/key-kinds.js';
import { parseExecutionId, shardOf } from '../std/ids.js';
import type { Check, FsckParts, Suspect } from './check.js';
import type { Finding } from './finding.js';

type Leftover = Extract<ParsedKey, { readonly partition: number }>;

export function leftoversCheck(parts: FsckParts): Check<Leftover> {
  return {
    name: 'keys that stand alone',
    ofKeys: (keys: readonly ParsedKey[]) =>
      keys.flatMap((key) =>
        key.kind === 'snapshot' || key.kind === 'segment' || key.kind === 'idempotency'
          ? [key]
          : [],
      ),
    async inspect(keys) {
      const suspects: Suspect<Leftover>[] = [];
      for (const subject of keys) {
        const finding = await inspect(parts, subject);
        if (finding !== undefined) suspects.push({ subject, finding });
      }
      return suspects;
    },
  };
}

async function inspect(parts: FsckParts, leftover: Leftover): Promise<Finding | undefined> {
  switch (leftover.kind) {
    case 'snapshot':
      return await inspectSnapshot(parts, leftover);
    case 'segment':
      return await inspectSegment(parts, leftover);
    default:
      return await inspectIdempotency(parts, leftover);
  }
}

async function inspectSnapshot(
  { reader }: FsckParts,
  { key, partition, name }: Leftover,
): Promise<Finding | undefined> {
  const state = reader.redis.keys.partitionState(partition);
  const [count] = await reader.values(state, [`s${name}`]);
  if (count !== undefined) return undefined;
  return {
    kind: 'snapshot-orphan',
    subject: name,
    keys: [key, state],
    sentence: `The definition snapshot ${name} is kept and not counted`,
  };
}

/** A segment that is not current yet expires by itself. */
async function inspectSegment(
  { reader }: FsckParts,
  { key, partition, name }: Leftover,
): Promise<Finding | undefined> {
  const [livesMs] = await reader.livesMs([key]);
  if (livesMs !== -1) return undefined;
  const { keys } = reader.redis;
  const execution = keys.executionOf(partition, name);
  const [isThere = false] = await reader.exist([execution]);
  const stored = isThere
    ? await reader.values(execution, ['g']).catch(() => [undefined])
    : [undefined];
  const current = segmentsIn(stored[0]).map((segment) => keys.segment(execution, segment));
  if (current.includes(key)) return undefined;
  return {
    kind: 'segment-orphan',
    subject: key,
    keys: [key, execution],
    sentence: `A segment is kept that no execution names`,
    mend: () => reader.write('PEXPIRE', key, orphanLifeMs),
  };
}

/** A commit that is under way still finds it. */
const orphanLifeMs = 60_000;

async function inspectIdempotency(
  { reader, shards }: FsckParts,
  { key }: Leftover,
): Promise<Finding | undefined> {
  const { redis } = reader;
  const [livesMs] = await reader.livesMs([key]);
  if (livesMs !== -1) return undefined;
  const bytes = (await redis.reads.callBuffer('GET', key)) as Buffer | null;
  if (bytes === null) return undefined;
  const executionId = String(unpackRecord('idempotency record', bytes, 1)[1]);
  const id = parseExecutionId(executionId);
  const execution = id === undefined ? '' : redis.keys.execution(shardOf(id, shards), id);
  if (id !== undefined && (await reader.exist([execution]))[0] === true) return undefined;
  return {
    kind: 'idempotency-orphan',
    subject: executionId,
    keys: [key, execution],
    sentence: `An idempotency key stands for execution ${executionId}, which does not exist`,
  };
}
