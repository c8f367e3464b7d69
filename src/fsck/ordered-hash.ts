// A hash and the sorted set of its fields: what stands in one must stand in the other.
import type { KeyspaceReader, Mending } from '../redis/keyspace-reader.js';
import type { OrderedHash } from '../redis/ordered-hashes.js';
import type { ParsedKey } from '../redis/key-kinds.js';
import type { Check, FsckParts, Suspect } from './check.js';
import type { Finding } from './finding.js';

export interface CheckedHash extends OrderedHash {
  /** Kind of the finding. */
  readonly unlisted: string;
  /** Kind of the finding. */
  readonly orphan: string;
  /** The name of a field, for people. */
  readonly what: string;
  /** Puts a field that is missing in the order there. */
  readonly listing: (id: string, value: Buffer) => readonly Mending[];
}

/** The fault of a field of which these were read; undefined: none. */
function judgeField(
  reader: KeyspaceReader,
  { hash, order, unlisted, orphan, what, listing }: CheckedHash,
  id: string,
  { value, score }: { readonly value: Buffer | undefined; readonly score: number | undefined },
): Finding | undefined {
  if ((value === undefined) === (score === undefined)) return undefined;
  const common = { subject: id, keys: [hash, order] };
  const basis = { key: hash, field: id, value };
  if (value === undefined) {
    const sentence = `The ${what} ${id} is listed and has no record`;
    const mend = (): Promise<boolean> => reader.mend(basis, [['ZREM', order, id]]);
    return { ...common, kind: orphan, sentence, mend };
  }
  const sentence = `The ${what} ${id} is in no order, so that nobody finds it`;
  return {
    ...common,
    kind: unlisted,
    sentence,
    mend: () => reader.mend(basis, listing(id, value)),
  };
}

/** Every field of the hash and every member of the order. */
export function orderedHashCheck(
  { reader }: FsckParts,
  set: CheckedHash & { readonly name: string },
): Check<string> {
  const { hash, order } = set;
  return {
    name: set.name,
    async *walk() {
      for await (const some of reader.fields(hash)) yield some.map(({ field }) => field);
      for await (const some of reader.members(order)) yield some.map(({ member }) => member);
    },
    async inspect(names) {
      const values = await reader.values(hash, names);
      const scores = await reader.scores(names.map((member) => ({ key: order, member })));
      return names.flatMap((subject, i): Suspect<string>[] => {
        const read = { value: values[i], score: scores[i] };
        const finding = judgeField(reader, set, subject, read);
        return finding === undefined ? [] : [{ subject, finding }];
      });
    },
  };
}

/** The same for hashes that are found by their keys, such as one per owner. */
export function orderedHashesCheck(
  { reader }: FsckParts,
  {
    name,
    setOf,
  }: {
    readonly name: string;
    /** The set that a key is the hash or the order of; undefined: none. */
    readonly setOf: (key: ParsedKey) => CheckedHash | undefined;
  },
): Check<OrderedField> {
  return {
    name,
    async ofKeys(found) {
      const places: OrderedField[] = [];
      for (const parsed of found) {
        const set = setOf(parsed);
        if (set === undefined) continue;
        const ids =
          parsed.key === set.hash
            ? await all(reader.fields(set.hash), ({ field }) => field)
            : await all(reader.members(set.order), ({ member }) => member);
        places.push(...ids.map((id) => ({ set, id })));
      }
      return places;
    },
    async inspect(places) {
      const suspects: Suspect<OrderedField>[] = [];
      for (const subject of places) {
        const { set, id } = subject;
        const [value] = await reader.values(set.hash, [id]);
        const [score] = await reader.scores([{ key: set.order, member: id }]);
        const finding = judgeField(reader, set, id, { value, score });
        if (finding !== undefined) suspects.push({ subject, finding });
      }
      return suspects;
    },
  };
}

/** A field of one of several hashes. */
export interface OrderedField {
  readonly set: CheckedHash;
  readonly id: string;
}

async function all<T>(slices: AsyncIterable<T[]>, idOf: (entry: T) => string): Promise<string[]> {
  const ids: string[] = [];
  for await (const some of slices) ids.push(...some.map(idOf));
  return ids;
}
