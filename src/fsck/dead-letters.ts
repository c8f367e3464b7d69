// Messages that event handlers gave up: a hash per handler with the order of its fields.
import { unpackText } from '../redis/codec/record.js';
import { decodeName } from '../redis/key-names.js';
import type { Check, FsckParts } from './check.js';
import { orderedHashesCheck, type OrderedField } from './ordered-hash.js';

export function deadLettersCheck(parts: FsckParts): Check<OrderedField> {
  const { keys } = parts.reader.redis;
  return orderedHashesCheck(parts, {
    name: 'dead letters of handlers',
    setOf({ kind, name }) {
      const handler = kind === 'dead-letters' ? decodeName(name) : undefined;
      if (handler === undefined) return undefined;
      const { letters: hash, order } = keys.deadLetters(handler);
      return {
        ...{ hash, order, what: 'dead letter' },
        unlisted: 'dead-letter-unlisted',
        orphan: 'dead-letter-orphan',
        listing: (id, value) => [['ZADD', order, String(failedAt(value)), id]],
      };
    },
  });
}

/** Epoch ms. */
function failedAt(value: Buffer): number {
  const letter = JSON.parse(unpackText('dead letter', value)) as { readonly failedAt?: number };
  return letter.failedAt ?? 0;
}
