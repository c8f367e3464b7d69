// Messages that event handlers gave up: a hash per handler with the order of its fields.
import { unpackText } from '../../redis/codec/record.js';
import { decodeName } from '../../redis/key-names.js';
import type { Check, FsckParts } from '../../fsck/check.js';
import { orderedHashesCheck } from '../../fsck/ordered-hash.js';
import { EventKeys } from './keys.js';

export const eventFindings = {
  'dead-letter-unlisted': 'I14',
  'dead-letter-orphan': 'I14',
} as const;

type Kind = keyof typeof eventFindings;

export function eventChecks(parts: FsckParts): readonly Check<unknown>[] {
  const keys = new EventKeys(parts.reader.redis.keys.prefix);
  const letters = orderedHashesCheck(parts, {
    name: 'dead letters of handlers',
    setOf({ kind, name }) {
      const handler = kind === 'dead-letters' ? decodeName(name) : undefined;
      if (handler === undefined) return undefined;
      const place = keys.deadLetters(handler);
      return {
        ...{ ...place, what: 'dead letter' },
        unlisted: 'dead-letter-unlisted' satisfies Kind,
        orphan: 'dead-letter-orphan' satisfies Kind,
        listing: (id, value) => [['ZADD', place.order, String(failedAt(value)), id]],
      };
    },
  });
  return [letters];
}

/** Epoch ms. */
function failedAt(value: Buffer): number {
  const letter = JSON.parse(unpackText('dead letter', value)) as { readonly failedAt?: number };
  return letter.failedAt ?? 0;
}
