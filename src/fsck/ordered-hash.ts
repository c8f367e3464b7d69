// A hash and the sorted set of its fields: what stands in one must stand in the other.
import type { KeyspaceReader, Mending } from '../redis/keyspace-reader.js';
import type { Finding, FindingKind } from './finding.js';

export interface OrderedHash {
  readonly hash: string;
  readonly order: string;
  readonly unlisted: FindingKind;
  readonly orphan: FindingKind;
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
