// A hash and the sorted set of its fields: what stands in one must stand in the other.
import type { KeyspaceReader, Mending } from '../redis/keyspace-reader.js';
import type { Check, FsckParts, Suspect } from './check.js';
import type { Finding } from './finding.js';

export interface OrderedHash {
  readonly hash: string;
  readonly order: string;
  /** Kind of the finding. */
  readonly unlisted: string;
  /** Kind of the finding. */
  readonly orphan: string;
  /** What a field is, for people. */
  readonly what: string;
  /** Puts a field that is missing in the order there. */
  readonly listing: (id: string, value: Buffer) => readonly Mending[];
}

/** What is wrong with a field of which these were read; undefined: nothing. */
export function judgeField(
  reader: KeyspaceReader,
  { hash, order, unlisted, orphan, what, listing }: OrderedHash,
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
  set: OrderedHash & { readonly name: string },
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
