// Checks of what webhooks store: events stand in the hash and in the order of what is due
// (invariants I14).
import type { Check, FsckParts } from '../../fsck/check.js';
import { orderedHashCheck } from '../../fsck/ordered-hash.js';
import { WebhookKeys } from './keys.js';

export const webhookFindings = {
  'webhook-event-unlisted': 'I14',
  'webhook-event-orphan': 'I14',
} as const;

type Kind = keyof typeof webhookFindings;

export function webhookChecks(parts: FsckParts): readonly Check<string>[] {
  const keys = new WebhookKeys(parts.reader.redis.keys.prefix);
  const check = orderedHashCheck(parts, {
    name: 'events of webhooks',
    hash: keys.events(),
    order: keys.eventsDue(),
    unlisted: 'webhook-event-unlisted' satisfies Kind,
    orphan: 'webhook-event-orphan' satisfies Kind,
    what: 'event of a webhook',
    listing: (id) => [['ZADD', keys.eventsDue(), String(parts.now()), id]],
  });
  return [check];
}
