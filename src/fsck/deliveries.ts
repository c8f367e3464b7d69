// What is on its way to outgoing webhooks, and what was given up there or by event handlers. Each
// is a hash with the order of its fields, of one webhook or handler; what stands in one must stand
// in the other. And a webhook with something due must be in the list that the nodes go by.
import type { DeadLetter } from '../model/outgoing/outgoing-webhook.js';
import { unpackText } from '../redis/codec/record.js';
import type { ParsedKey } from '../redis/key-kinds.js';
import { decodeName } from '../redis/key-names.js';
import type { Check, FsckParts, Suspect } from './check.js';
import type { Finding } from './finding.js';
import { judgeField, type OrderedHash } from './ordered-hash.js';

interface Place {
  readonly set: OrderedHash;
  readonly id: string;
}

const deadLetterFindings = {
  unlisted: 'dead-letter-unlisted',
  orphan: 'dead-letter-orphan',
  what: 'dead letter',
} as const;

export function deliveriesCheck(parts: FsckParts): Check<Place> {
  const { reader } = parts;
  return {
    name: 'deliveries and dead letters',
    async ofKeys(found: readonly ParsedKey[]) {
      const places: Place[] = [];
      for (const parsed of found) {
        const set = setOf(parts, parsed);
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
      const suspects: Suspect<Place>[] = [];
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

async function all<T>(slices: AsyncIterable<T[]>, idOf: (entry: T) => string): Promise<string[]> {
  const ids: string[] = [];
  for await (const some of slices) ids.push(...some.map(idOf));
  return ids;
}

/** undefined for keys of other kinds, and where a long name has left only its digest. */
function setOf({ reader, now }: FsckParts, { kind, name }: ParsedKey): OrderedHash | undefined {
  if (kind !== 'deliveries' && kind !== 'given-up' && kind !== 'dead-letters') return undefined;
  const { keys } = reader.redis;
  const owner = decodeName(name);
  if (owner === undefined) return undefined;
  if (kind === 'deliveries') {
    const order = keys.outgoingDue(owner);
    return {
      ...{ hash: keys.outgoingPending(owner), order, what: 'delivery' },
      ...{ unlisted: 'delivery-unlisted', orphan: 'delivery-orphan' },
      listing: (id) => [
        ['ZADD', order, String(now()), id],
        ['ZADD', keys.outgoingWebhooks(), 'LT', String(now()), owner],
      ],
    };
  }
  const { letters: hash, order } =
    kind === 'dead-letters'
      ? keys.deadLetters(owner)
      : { letters: keys.outgoingDead(owner), order: keys.outgoingDeadOrder(owner) };
  const listing: OrderedHash['listing'] = (id, value) => [
    ['ZADD', order, String(timeOf(value, kind)), id],
  ];
  return { hash, order, listing, ...deadLetterFindings };
}

/** Epoch ms at which it was given up. */
function timeOf(value: Buffer, kind: 'given-up' | 'dead-letters'): number {
  const letter = JSON.parse(unpackText('dead letter', value)) as Partial<DeadLetter> & {
    readonly failedAt?: number;
  };
  return (kind === 'given-up' ? letter.diedAt : letter.failedAt) ?? 0;
}

/** Webhooks that have something due and are not looked at by then. */
export function dueWebhooksCheck({ reader }: FsckParts): Check<string> {
  const { keys } = reader.redis;
  return {
    name: 'outgoing webhooks',
    ofKeys: (found: readonly ParsedKey[]) =>
      found.flatMap((parsed) => {
        if (parsed.kind !== 'deliveries') return [];
        const webhookId = decodeName(parsed.name);
        return webhookId !== undefined && parsed.key === keys.outgoingDue(webhookId)
          ? [webhookId]
          : [];
      }),
    async inspect(webhookIds) {
      const suspects: Suspect<string>[] = [];
      for (const subject of webhookIds) {
        const order = keys.outgoingDue(subject);
        const list = keys.outgoingWebhooks();
        const firstAt = await reader.lowestScore(order);
        const [listedAt] = await reader.scores([{ key: list, member: subject }]);
        if (firstAt === undefined || (listedAt !== undefined && listedAt <= firstAt)) continue;
        const finding: Finding = {
          kind: 'delivery-unseen',
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
