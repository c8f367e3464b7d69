// Checks of what is on its way to outgoing webhooks and of what was given up (invariants I14): each
// is a hash with the order of its fields, and a webhook with something due must be in the list that
// the nodes go by.
import type { Check, FsckParts, Suspect } from '../../fsck/check.js';
import type { Finding } from '../../fsck/finding.js';
import { orderedHashesCheck, type CheckedHash } from '../../fsck/ordered-hash.js';
import { unpackText } from '../../redis/codec/record.js';
import type { ParsedKey } from '../../redis/key-kinds.js';
import { decodeName } from '../../redis/key-names.js';
import { OutgoingKeys } from './keys.js';
import type { DeadLetter } from './outgoing-webhook.js';

export const outgoingFindings = {
  'delivery-unlisted': 'I14',
  'delivery-orphan': 'I14',
  'delivery-unseen': 'I14',
  'dead-letter-unlisted': 'I14',
  'dead-letter-orphan': 'I14',
} as const;

type Kind = keyof typeof outgoingFindings;

export function outgoingChecks(parts: FsckParts): readonly Check<unknown>[] {
  const keys = new OutgoingKeys(parts.reader.redis.keys.prefix);
  const deliveries = orderedHashesCheck(parts, {
    name: 'deliveries and their dead letters',
    setOf: (key) => setOf(keys, parts, key),
  });
  return [deliveries, dueWebhooksCheck(keys, parts)];
}

/** undefined for keys of other kinds, and where a long name has left only its digest. */
function setOf(
  keys: OutgoingKeys,
  { now }: FsckParts,
  { kind, name }: ParsedKey,
): CheckedHash | undefined {
  if (kind !== 'deliveries' && kind !== 'given-up') return undefined;
  const owner = decodeName(name);
  if (owner === undefined) return undefined;
  if (kind === 'deliveries') {
    const order = keys.due(owner);
    return {
      ...{ hash: keys.pending(owner), order, what: 'delivery' },
      unlisted: 'delivery-unlisted' satisfies Kind,
      orphan: 'delivery-orphan' satisfies Kind,
      listing: (id) => [
        ['ZADD', order, String(now()), id],
        ['ZADD', keys.webhooks(), 'LT', String(now()), owner],
      ],
    };
  }
  const order = keys.deadOrder(owner);
  return {
    ...{ hash: keys.dead(owner), order, what: 'dead letter' },
    unlisted: 'dead-letter-unlisted' satisfies Kind,
    orphan: 'dead-letter-orphan' satisfies Kind,
    listing: (id, value) => [['ZADD', order, String(diedAt(value)), id]],
  };
}

/** Epoch ms. */
function diedAt(value: Buffer): number {
  return (JSON.parse(unpackText('dead letter', value)) as Partial<DeadLetter>).diedAt ?? 0;
}

/** Webhooks that have something due and are not looked at by then. */
function dueWebhooksCheck(keys: OutgoingKeys, { reader }: FsckParts): Check<string> {
  return {
    name: 'outgoing webhooks',
    ofKeys: (found: readonly ParsedKey[]) =>
      found.flatMap((parsed) => {
        if (parsed.kind !== 'deliveries') return [];
        const webhookId = decodeName(parsed.name);
        return webhookId !== undefined && parsed.key === keys.due(webhookId) ? [webhookId] : [];
      }),
    async inspect(webhookIds) {
      const suspects: Suspect<string>[] = [];
      for (const subject of webhookIds) {
        const order = keys.due(subject);
        const list = keys.webhooks();
        const firstAt = await reader.lowestScore(order);
        const [listedAt] = await reader.scores([{ key: list, member: subject }]);
        if (firstAt === undefined || (listedAt !== undefined && listedAt <= firstAt)) continue;
        const finding: Finding = {
          kind: 'delivery-unseen' satisfies Kind,
          subject,
          keys: [order, list],
          sentence: `The outgoing webhook ${subject} has something due that no node looks for`,
          mend: () => reader.write('ZADD', list, 'LT', firstAt, subject),
        };
        suspects.push({ subject, finding });
      }
      return suspects;
    },
  };
}
