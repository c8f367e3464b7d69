// Deliveries of outgoing webhooks in Redis: per webhook a hash of those on their way and a sorted
// set of when each is due, a bounded list of attempts, a bounded hash of dead letters with their
// order; and one sorted set of webhooks that may have something due. A finished attempt leaves
// last, so that a crash repeats an attempt instead of losing one.
import type { DeadLetter, Delivery, DeliveryAttempt } from './outgoing-webhook.js';
import type { DeliveryClaim, OutgoingStore } from './outgoing-store.js';
import { OutgoingKeys } from './keys.js';
import type { RedisClient } from '../../redis/client.js';
import { packText, unpackText } from '../../redis/codec/record.js';
import { allFields } from '../../redis/scans.js';
import { partsOf } from '../../std/parts.js';
import { Script } from '../../redis/script.js';

const claimScript = Script.named('claim-deliveries', new URL('./', import.meta.url));

export interface OutgoingLimits {
  /** Newest attempts of one webhook. */
  readonly attemptsKept: number;
  /** Newest dead letters of one webhook. */
  readonly deadLettersMax: number;
  /** Both are kept this long after the newest, ms. */
  readonly lifeMs: number;
}

/** Dead letters that one command reads or removes. */
const lettersPerCallMax = 200;

type Call = readonly [string, ...(string | number | Buffer)[]];

export class RedisOutgoingStore implements OutgoingStore {
  readonly #keys: OutgoingKeys;

  constructor(
    private readonly redis: RedisClient,
    private readonly limits: OutgoingLimits,
  ) {
    this.#keys = new OutgoingKeys(redis.keys.prefix);
  }

  async add(delivery: Delivery, dueAt: number): Promise<number> {
    const { commits } = this.redis;
    const { id, webhookId } = delivery;
    const pending = this.#keys.pending(webhookId);
    const replies = await commits.callAll([
      ['HSETNX', pending, id, pack(delivery)],
      ['ZADD', this.#keys.due(webhookId), 'NX', dueAt, id],
      ['ZADD', this.#keys.webhooks(), 'LT', dueAt, webhookId],
      ['HLEN', pending],
    ]);
    return Number(replies.at(-1));
  }

  async dueWebhooks(now: number, limit: number): Promise<string[]> {
    const { reads } = this.redis;
    const range = ['-inf', now, 'LIMIT', 0, limit] as const;
    return (await reads.call('ZRANGEBYSCORE', this.#keys.webhooks(), ...range)) as string[];
  }

  async claim({ webhookId, now, until, limit }: DeliveryClaim): Promise<Delivery[]> {
    const { commits } = this.redis;
    const due = this.#keys.due(webhookId);
    const script = [due, this.#keys.webhooks()];
    const reply = await commits.run(claimScript, script, [webhookId, now, until, limit]);
    const ids = (reply as (string | Buffer)[]).map(String);
    if (ids.length === 0) return [];
    const [found] = (await commits.callAll([['HMGET', this.#keys.pending(webhookId), ...ids]])) as [
      (Buffer | null)[],
    ];
    const gone = ids.filter((_id, i) => found[i] === null);
    if (gone.length > 0) await commits.call('ZREM', due, ...gone);
    return found.flatMap((bytes) => (bytes === null ? [] : unpack<Delivery>(bytes)));
  }

  async release({ id, webhookId }: Delivery, dueAt: number): Promise<void> {
    const { commits } = this.redis;
    await commits.callAll([
      ['ZADD', this.#keys.due(webhookId), 'XX', dueAt, id],
      ['ZADD', this.#keys.webhooks(), 'LT', dueAt, webhookId],
    ]);
  }

  async postpone(delivery: Delivery, dueAt: number, attempt: DeliveryAttempt): Promise<void> {
    const { commits } = this.redis;
    const { id, webhookId } = delivery;
    await commits.callAll([
      ['HSET', this.#keys.pending(webhookId), id, pack(delivery)],
      ['ZADD', this.#keys.due(webhookId), dueAt, id],
      ['ZADD', this.#keys.webhooks(), 'LT', dueAt, webhookId],
      ...this.#logged(webhookId, attempt),
    ]);
  }

  async finish(
    delivery: Delivery,
    attempt: DeliveryAttempt,
    dead: DeadLetter | undefined,
  ): Promise<void> {
    const { commits } = this.redis;
    const { id, webhookId } = delivery;
    const letters = this.#keys.dead(webhookId);
    const order = this.#keys.deadOrder(webhookId);
    const { lifeMs } = this.limits;
    const kept: Call[] =
      dead === undefined
        ? []
        : [
            ['HSET', letters, id, pack(dead)],
            ['ZADD', order, dead.diedAt, id],
            ['PEXPIRE', letters, lifeMs],
            ['PEXPIRE', order, lifeMs],
          ];
    await commits.callAll([
      ...kept,
      ...this.#logged(webhookId, attempt),
      // In this order: what is due and has no record is dropped by the next claim.
      ['HDEL', this.#keys.pending(webhookId), id],
      ['ZREM', this.#keys.due(webhookId), id],
    ]);
    if (dead !== undefined) await this.#trimDead(webhookId);
  }

  async waiting(webhookId: string): Promise<number> {
    const { reads } = this.redis;
    return Number(await reads.call('HLEN', this.#keys.pending(webhookId)));
  }

  async attempts(webhookId: string): Promise<DeliveryAttempt[]> {
    const { reads } = this.redis;
    const log = this.#keys.log(webhookId);
    const [found] = (await reads.callAll([['LRANGE', log, 0, -1]])) as [Buffer[]];
    return found.map((bytes) => unpack<DeliveryAttempt>(bytes));
  }

  async deadLetters(webhookId: string): Promise<DeadLetter[]> {
    const { reads } = this.redis;
    const found = await allFields(reads, this.#keys.dead(webhookId), lettersPerCallMax);
    return found
      .map(([, bytes]) => unpack<DeadLetter>(bytes))
      .sort((a, b) => a.diedAt - b.diedAt || (a.id < b.id ? -1 : 1));
  }

  async removeDeadLetters(webhookId: string, ids: readonly string[]): Promise<void> {
    const { commits } = this.redis;
    for (const some of partsOf(ids, lettersPerCallMax)) {
      await commits.callAll([
        ['HDEL', this.#keys.dead(webhookId), ...some],
        ['ZREM', this.#keys.deadOrder(webhookId), ...some],
      ]);
    }
  }

  async forget(webhookId: string): Promise<void> {
    const { commits } = this.redis;
    await commits.callAll([['ZREM', this.#keys.webhooks(), webhookId]]);
    await commits.call(
      'UNLINK',
      this.#keys.pending(webhookId),
      this.#keys.due(webhookId),
      this.#keys.log(webhookId),
      this.#keys.dead(webhookId),
      this.#keys.deadOrder(webhookId),
    );
  }

  #logged(webhookId: string, attempt: DeliveryAttempt): Call[] {
    const log = this.#keys.log(webhookId);
    const { attemptsKept, lifeMs } = this.limits;
    return [
      ['LPUSH', log, pack(attempt)],
      ['LTRIM', log, 0, attemptsKept - 1],
      ['PEXPIRE', log, lifeMs],
    ];
  }

  async #trimDead(webhookId: string): Promise<void> {
    const { commits } = this.redis;
    const order = this.#keys.deadOrder(webhookId);
    const last = -1 - this.limits.deadLettersMax;
    const oldest = (await commits.call('ZRANGE', order, 0, last)) as string[];
    await this.removeDeadLetters(webhookId, oldest.map(String));
  }
}

function pack(record: Delivery | DeliveryAttempt): string | Buffer {
  return packText(JSON.stringify(record));
}

function unpack<T extends Delivery | DeliveryAttempt>(bytes: Buffer): T {
  return JSON.parse(unpackText('delivery of an outgoing webhook', bytes)) as T;
}
