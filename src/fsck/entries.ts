// The entries of a partition's sets name executions that exist and belong there: due set, marks,
// indexes. The other way round of execution-indexes.ts and execution-timers.ts.
import { executionIdOfShort, shortIdLength } from '../redis/codec/short-id.js';
import { readHeaders, type StoredHeaders } from '../redis/execution-headers.js';
import type { ParsedKey } from '../redis/key-kinds.js';
import { starterOfOpen } from '../redis/stored-form.js';
import type { Check, FsckParts, Suspect } from './check.js';
import type { Finding, FindingKind } from './finding.js';
import { attributesOf, statusOf } from './readable.js';

/** Sets that a text of the execution names, and what that text is. */
const textOf = { named: 'name', correlated: 'correlation id', 'open-of': 'starter' } as const;
type SetOfText = keyof typeof textOf;

interface EntryPlace {
  readonly partition: number;
  /** Of the set. */
  readonly key: string;
  readonly kind: 'due' | 'dirty' | 'all' | SetOfText;
  readonly member: string;
}

const findingOf: Readonly<Record<EntryPlace['kind'], FindingKind>> = {
  due: 'timer-orphan',
  dirty: 'mark-orphan',
  all: 'index-orphan',
  named: 'index-orphan',
  correlated: 'index-orphan',
  'open-of': 'index-orphan',
};

/** The sets that each partition has. */
export function partitionEntriesCheck(parts: FsckParts): Check<EntryPlace> {
  const { keys } = parts.reader.redis;
  return {
    name: 'entries of partitions',
    async *walk() {
      for (let partition = 0; partition < keys.partitions; partition++) {
        yield* membersOf(parts, { partition, key: keys.due(partition), kind: 'due' });
        yield* membersOf(parts, { partition, key: keys.dirty(partition), kind: 'dirty' });
        yield* membersOf(parts, { partition, key: keys.all(partition), kind: 'all' });
      }
    },
    inspect: (places) => inspect(parts, places),
  };
}

/** The sets of names, correlation ids and starters, as their keys are found. */
export function namedEntriesCheck(parts: FsckParts): Check<EntryPlace> {
  return {
    name: 'entries by name, correlation id and starter',
    async ofKeys(found: readonly ParsedKey[]) {
      const places: EntryPlace[] = [];
      for (const { kind, key, ...rest } of found) {
        if (!isSetOfText(kind)) continue;
        const { partition } = rest as { partition: number };
        for await (const some of membersOf(parts, { partition, key, kind })) places.push(...some);
      }
      return places;
    },
    inspect: (places) => inspect(parts, places),
  };
}

async function* membersOf(
  { reader }: FsckParts,
  set: Omit<EntryPlace, 'member'>,
): AsyncGenerator<EntryPlace[]> {
  for await (const some of reader.members(set.key)) {
    yield some.map(({ member }) => ({ ...set, member }));
  }
}

async function inspect(
  parts: FsckParts,
  places: readonly EntryPlace[],
): Promise<Suspect<EntryPlace>[]> {
  const { redis } = parts.reader;
  const headers = await readHeaders(
    redis,
    places.map(({ partition, member }) => ({
      partition,
      key: redis.keys.executionOf(partition, member),
    })),
  );
  const scores = await parts.reader.scores(places);
  const suspects: Suspect<EntryPlace>[] = [];
  for (const [i, place] of places.entries()) {
    if (scores[i] === undefined) continue;
    const finding = await judge(parts, place, headers[i]);
    if (finding !== undefined) suspects.push({ subject: place, finding });
  }
  return suspects;
}

async function judge(
  parts: FsckParts,
  { partition, key, kind, member }: EntryPlace,
  headers: StoredHeaders | undefined,
): Promise<Finding | undefined> {
  const { reader } = parts;
  const execution = reader.redis.keys.executionOf(partition, member);
  const isId = member.length === shortIdLength;
  const subject = isId ? executionIdOfShort(member) : member;
  const head = headers?.head ?? '';
  const common = {
    kind: findingOf[kind],
    subject,
    keys: [key, execution],
    mend: () => reader.mend({ key: execution, head }, [['ZREM', key, member]]),
  };
  if (headers === undefined) {
    return { ...common, sentence: `An entry names execution ${subject}, which does not exist` };
  }
  if (!isSetOfText(kind)) return undefined;
  const wanted = await keyOf(parts, partition, kind, headers);
  if (wanted === key) return undefined;
  const sentence =
    kind === 'open-of'
      ? `Execution ${subject} stands among the open ones of a starter and is none of them`
      : `Execution ${subject} stands under a ${textOf[kind]} that is not its own`;
  return { ...common, sentence };
}

function isSetOfText(kind: string): kind is SetOfText {
  return Object.hasOwn(textOf, kind);
}

/** The set in which the execution belongs; undefined: none. */
async function keyOf(
  { reader, executions }: FsckParts,
  partition: number,
  kind: SetOfText,
  headers: StoredHeaders,
): Promise<string | undefined> {
  const { keys } = reader.redis;
  const read = attributesOf(headers);
  if (read === undefined) return undefined;
  const { attributes, snapshotHash } = read;
  if (kind === 'correlated') {
    const { correlationId } = attributes;
    return correlationId === undefined ? undefined : keys.correlated(partition, correlationId);
  }
  if (kind === 'open-of') {
    const status = statusOf(headers);
    const starter = status && starterOfOpen(attributes, status);
    return starter && keys.openOf(partition, starter);
  }
  const snapshot = await executions.snapshotOf(partition, snapshotHash);
  // A snapshot that is missing is a finding of its own.
  return snapshot === undefined ? undefined : keys.named(partition, snapshot.def.name);
}
