// What is on its way to outgoing webhooks, and what was given up there or by event handlers. Each
// is a hash with the order of its fields, of one webhook or handler; what stands in one must stand
// in the other. And a webhook with something due must be in the list that the nodes go by.
import type { DeadLetter } from '../model/outgoing/outgoing-webhook.js';
import { unpackText } from '../redis/codec/record.js';
import type { ParsedKey } from '../redis/key-kinds.js';
import type { Mending } from '../redis/keyspace-reader.js';
import { decodeName } from '../redis/keys.js';
import type { Check, FsckParts, Suspect } from './check.js';
import type { Finding, FindingKind } from './finding.js';

interface Place {
  readonly hash: string;
  readonly order: string;
  readonly id: string;
  /** Webhook or event handler. */
  readonly owner: string;
  readonly kind: 'deliveries' | 'given-up' | 'dead-letters';
}

interface Sentences {
  readonly unlisted: FindingKind;
  readonly orphan: FindingKind;
  readonly what: string;
}

const deadLetters: Sentences = {
  unlisted: 'dead-letter-unlisted',
  orphan: 'dead-letter-orphan',
  what: 'dead letter',
};

const sentencesOf: Readonly<Record<Place['kind'], Sentences>> = {
  deliveries: { unlisted: 'delivery-unlisted', orphan: 'delivery-orphan', what: 'delivery' },
  'given-up': deadLetters,
  'dead-letters': deadLetters,
};

export function deliveriesCheck(parts: FsckParts): Check<Place> {
  const { reader } = parts;
  return {
    name: 'deliveries and dead letters',
    async ofKeys(found: readonly ParsedKey[]) {
      const places: Place[] = [];
      for (const parsed of found) {
        const pair = pairOf(parts, parsed);
        if (pair === undefined) continue;
        const ids =
          parsed.key === pair.hash
            ? await all(reader.fields(pair.hash), ({ field }) => field)
            : await all(reader.members(pair.order), ({ member }) => member);
        places.push(...ids.map((id) => ({ ...pair, id })));
      }
      return places;
    },
    async inspect(places) {
      const suspects: Suspect<Place>[] = [];
      for (const subject of places) {
        const finding = await inspect(parts, subject);
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
function pairOf({ reader }: FsckParts, parsed: ParsedKey): Omit<Place, 'id'> | undefined {
  const { keys } = reader.redis;
  const { kind } = parsed;
  if (kind !== 'deliveries' && kind !== 'given-up' && kind !== 'dead-letters') return undefined;
  const name = decodeName(parsed.name);
  if (name === undefined) return undefined;
  const common = { kind, owner: name };
  switch (kind) {
    case 'deliveries':
      return { ...common, hash: keys.outgoingPending(name), order: keys.outgoingDue(name) };
    case 'given-up':
      return { ...common, hash: keys.outgoingDead(name), order: keys.outgoingDeadOrder(name) };
    case 'dead-letters': {
      const { letters, order } = keys.deadLetters(name);
      return { ...common, hash: letters, order };
    }
  }
}

async function inspect(
  { reader, now }: FsckParts,
  { hash, order, id, kind, owner }: Place,
): Promise<Finding | undefined> {
  const [value] = await reader.values(hash, [id]);
  const [score] = await reader.scores([{ key: order, member: id }]);
  if ((value === undefined) === (score === undefined)) return undefined;
  const { unlisted, orphan, what } = sentencesOf[kind];
  const common = { subject: id, keys: [hash, order] };
  const basis = { key: hash, field: id, value };
  if (value === undefined) {
    const mend = (): Promise<boolean> => reader.mend(basis, [['ZREM', order, id]]);
    return { ...common, kind: orphan, sentence: `The ${what} ${id} is listed, no record`, mend };
  }
  const at = String(kind === 'deliveries' ? now() : timeOf(value, kind));
  const listed: Mending = ['ZADD', order, at, id];
  const seen: Mending = ['ZADD', reader.redis.keys.outgoingWebhooks(), 'LT', at, owner];
  const mend = (): Promise<boolean> =>
    reader.mend(basis, kind === 'deliveries' ? [listed, seen] : [listed]);
  return { ...common, kind: unlisted, sentence: `The ${what} ${id} is in no order`, mend };
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
