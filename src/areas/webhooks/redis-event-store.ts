// Events of webhooks in Redis: a hash of events, a sorted set of when each is due, and a bounded
// list of history entries per webhook, which goes with retention.
import type { UsedOnce, WebhookEventStore } from './event-store.js';
import type { WebhookEvent, WebhookHistoryEntry } from './webhook.js';
import { WebhookKeys } from './keys.js';
import type { RedisClient } from '../../redis/client.js';
import { packText, unpackText } from '../../redis/codec/record.js';
import { Script } from '../../redis/script.js';

const addScript = Script.named('add-webhook-event', new URL('./', import.meta.url));

export interface WebhookEventLimits {
  /** History entries of one webhook. */
  readonly historyMax: number;
  /** How long after the newest entry a history is kept, ms. */
  readonly historyLifeMs: number;
  /** How long a node has for an event before others may take it up, ms. */
  readonly claimMs: number;
}

export class RedisWebhookEventStore implements WebhookEventStore {
  readonly #keys: WebhookKeys;

  constructor(
    private readonly redis: RedisClient,
    private readonly limits: WebhookEventLimits,
  ) {
    this.#keys = new WebhookKeys(redis.keys.prefix);
  }

  async add(event: WebhookEvent, once: UsedOnce | undefined): Promise<'stored' | 'repeated'> {
    const events = this.#keys.events();
    const mark =
      once === undefined ? events : this.#keys.usedSignature(event.webhookId, once.signature);
    const stored = await this.redis.commits.run(
      addScript,
      [events, this.#keys.eventsDue(), mark],
      [
        event.id,
        event.receivedAt + this.limits.claimMs,
        packText(JSON.stringify(event)),
        once?.lifeMs ?? 0,
      ],
    );
    return stored === 1 ? 'stored' : 'repeated';
  }

  async due(now: number, limit: number): Promise<WebhookEvent[]> {
    const { reads } = this.redis;
    const range = ['-inf', now, 'LIMIT', 0, limit] as const;
    const ids = (await reads.call('ZRANGEBYSCORE', this.#keys.eventsDue(), ...range)) as string[];
    if (ids.length === 0) return [];
    const found = (await reads.callBuffer(
      'HMGET',
      this.#keys.events(),
      ...ids,
    )) as (Buffer | null)[];
    return found.flatMap((bytes) =>
      bytes === null ? [] : (JSON.parse(unpackText('event of a webhook', bytes)) as WebhookEvent),
    );
  }

  async postpone(eventId: string, at: number): Promise<void> {
    await this.redis.commits.call('ZADD', this.#keys.eventsDue(), 'XX', at, eventId);
  }

  async finish(
    event: Pick<WebhookEvent, 'id' | 'webhookId'>,
    entry: WebhookHistoryEntry,
  ): Promise<void> {
    const history = this.#keys.history(event.webhookId);
    // History first: a crash in between shows the event twice there, instead of nowhere.
    await this.redis.commits.callAll([
      ['LPUSH', history, packText(JSON.stringify(entry))],
      ['LTRIM', history, 0, this.limits.historyMax - 1],
      ['PEXPIRE', history, this.limits.historyLifeMs],
      ['ZREM', this.#keys.eventsDue(), event.id],
      ['HDEL', this.#keys.events(), event.id],
    ]);
  }

  async histories(webhookIds: readonly string[]): Promise<WebhookHistoryEntry[][]> {
    const { reads } = this.redis;
    const lists = (await reads.callAll(
      webhookIds.map((id) => ['LRANGE', this.#keys.history(id), 0, -1] as const),
    )) as Buffer[][];
    return lists.map((entries) =>
      entries.map(
        (bytes) => JSON.parse(unpackText('call of a webhook', bytes)) as WebhookHistoryEntry,
      ),
    );
  }

  async forget(webhookId: string): Promise<void> {
    await this.redis.commits.call('UNLINK', this.#keys.history(webhookId));
  }
}
