// Deliveries of outgoing webhooks in Redis: per webhook a hash of those on their way and a sorted
// set of when each is due, a bounded list of attempts, a bounded hash of dead letters with their
// order; and one sorted set of webhooks that may have something due. What is over leaves last, so
// that a crash repeats an attempt instead of losing one.
import type { DeadLetter, Delivery, DeliveryAttempt } from '../model/outgoing/outgoing-webhook.js';
import type { DeliveryClaim, OutgoingStore } from '../store/outgoing-store.js';
import type { RedisClient } from './client.js';
import { packText, unpackText } from './codec/record.js';
import { allFields, partsOf } from './scans.js';
import { Script } from './script.js';

const claimScript = Script.named('claim-deliveries');

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
  constructor(
    private readonly redis: RedisClient,
    private readonly limits: OutgoingLimits,
  ) {}

  async add(delivery: Delivery, dueAt: number): Promise<number> {
    const { keys, commits } = this.redis;
    const { id, webhookId } = delivery;
    const pending = keys.outgoingPending(webhookId);
    const replies = await commits.callAll([
      ['HSETNX', pending, id, pack(delivery)],
      ['ZADD', keys.outgoingDue(webhookId), 'NX', dueAt, id],
      ['ZADD', keys.outgoingWebhooks(), 'LT', dueAt, webhookId],
      ['HLEN', pending],
    ]);
    return Number(replies.at(-1));
  }

  async dueWebhooks(now: number, limit: number): Promise<string[]> {
    const { keys, reads } = this.redis;
    const range = ['-inf', now, 'LIMIT', 0, limit] as const;
    return (await reads.call('ZRANGEBYSCORE', keys.outgoingWebhooks(), ...range)) as string[];
  }

  async claim({ webhookId, now, until, limit }: DeliveryClaim): Promise<Delivery[]> {
    const { keys, commits } = this.redis;
    const due = keys.outgoingDue(webhookId);
    const script = [due, keys.outgoingWebhooks()];
    const reply = await commits.run(claimScript, script, [webhookId, now, until, limit]);
    const ids = (reply as (string | Buffer)[]).map(String);
    if (ids.length === 0) return [];
    const [found] = (await commits.callAll([
      ['HMGET', keys.outgoingPending(webhookId), ...ids],
    ])) as [(Buffer | null)[]];
    const gone = ids.filter((_id, i) => found[i] === null);
    if (gone.length > 0) await commits.call('ZREM', due, ...gone);
    return found.flatMap((bytes) => (bytes === null ? [] : unpack<Delivery>(bytes)));
  }

  async release({ id, webhookId }: Delivery, dueAt: number): Promise<void> {
    const { keys, commits } = this.redis;
    await commits.callAll([
      ['ZADD', keys.outgoingDue(webhookId), 'XX', dueAt, id],
      ['ZADD', keys.outgoingWebhooks(), 'LT', dueAt, webhookId],
    ]);
  }

  async postpone(delivery: Delivery, dueAt: number, attempt: DeliveryAttempt): Promise<void> {
    const { keys, commits } = this.redis;
    const { id, webhookId } = delivery;
    await commits.callAll([
      ['HSET', keys.outgoingPending(webhookId), id, pack(delivery)],
      ['ZADD', keys.outgoingDue(webhookId), dueAt, id],
      ['ZADD', keys.outgoingWebhooks(), 'LT', dueAt, webhookId],
      ...this.#logged(webhookId, attempt),
    ]);
  }

  async finish(
    delivery: Delivery,
    attempt: DeliveryAttempt,
    dead: DeadLetter | undefined,
  ): Promise<void> {
    const { keys, commits } = this.redis;
    const { id, webhookId } = delivery;
    const letters = keys.outgoingDead(webhookId);
    const order = keys.outgoingDeadOrder(webhookId);
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
      ['HDEL', keys.outgoingPending(webhookId), id],
      ['ZREM', keys.outgoingDue(webhookId), id],
    ]);
    if (dead !== undefined) await this.#trimDead(webhookId);
  }

  async waiting(webhookId: string): Promise<number> {
    const { keys, reads } = this.redis;
    return Number(await reads.call('HLEN', keys.outgoingPending(webhookId)));
  }

  async attempts(webhookId: string): Promise<DeliveryAttempt[]> {
    const { keys, reads } = this.redis;
    const log = keys.outgoingLog(webhookId);
    const [found] = (await reads.callAll([['LRANGE', log, 0, -1]])) as [Buffer[]];
    return found.map((bytes) => unpack<DeliveryAttempt>(bytes));
  }

  async deadLetters(webhookId: string): Promise<DeadLetter[]> {
    const { keys, reads } = this.redis;
    const found = await allFields(reads, keys.outgoingDead(webhookId), lettersPerCallMax);
    return found
      .map(([, bytes]) => unpack<DeadLetter>(bytes))
      .sort((a, b) => a.diedAt - b.diedAt || (a.id < b.id ? -1 : 1));
  }

  async removeDeadLetters(webhookId: string, ids: readonly string[]): Promise<void> {
    const { keys, commits } = this.redis;
    for (const some of partsOf(ids, lettersPerCallMax)) {
      await commits.callAll([
        ['HDEL', keys.outgoingDead(webhookId), ...some],
        ['ZREM', keys.outgoingDeadOrder(webhookId), ...some],
      ]);
    }
  }

  async forget(webhookId: string): Promise<void> {
    const { keys, commits } = this.redis;
    await commits.callAll([['ZREM', keys.outgoingWebhooks(), webhookId]]);
    await commits.call(
      'UNLINK',
      keys.outgoingPending(webhookId),
      keys.outgoingDue(webhookId),
      keys.outgoingLog(webhookId),
      keys.outgoingDead(webhookId),
      keys.outgoingDeadOrder(webhookId),
    );
  }

  #logged(webhookId: string, attempt: DeliveryAttempt): Call[] {
    const log = this.redis.keys.outgoingLog(webhookId);
    const { attemptsKept, lifeMs } = this.limits;
    return [
      ['LPUSH', log, pack(attempt)],
      ['LTRIM', log, 0, attemptsKept - 1],
      ['PEXPIRE', log, lifeMs],
    ];
  }

  async #trimDead(webhookId: string): Promise<void> {
    const { keys, commits } = this.redis;
    const order = keys.outgoingDeadOrder(webhookId);
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
