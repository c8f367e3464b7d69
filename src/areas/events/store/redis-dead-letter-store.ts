// Dead letters in Redis: per handler a hash of letters and a sorted set of their ids by time, both
// in one slot, bounded by number and age. The states of connections to brokers are one hash.
import type { DeadLetter, EventSourceState } from '../dead-letter.js';
import type { DeadLetterStore, EventSourceStore } from './dead-letter-store.js';
import type { RedisClient } from '../../../redis/client.js';
import { packText, unpackText } from '../../../redis/codec/record.js';
import { allFields, partsOf } from '../../../redis/scans.js';
import { EventKeys } from '../keys.js';

/** Letters, or states, that one command reads or removes. */
const lettersPerCallMax = 200;

export interface DeadLetterLimits {
  /** Newest letters of one handler. */
  readonly lettersMax: number;
  /** How long letters are kept after the newest one, ms. */
  readonly lifeMs: number;
}

export class RedisDeadLetterStore implements DeadLetterStore, EventSourceStore {
  readonly #keys: EventKeys;

  constructor(
    private readonly redis: RedisClient,
    private readonly limits: DeadLetterLimits,
  ) {
    this.#keys = new EventKeys(redis.keys.prefix);
  }

  /** The letter, then its place; removal takes both. */
  async add(letter: DeadLetter): Promise<void> {
    const { letters, order } = this.#keys.deadLetters(letter.handler);
    const { lettersMax, lifeMs } = this.limits;
    const answers = await this.redis.commits.callAll([
      ['HSET', letters, letter.id, packText(JSON.stringify(letter))],
      ['ZADD', order, letter.failedAt, letter.id],
      ['PEXPIRE', letters, lifeMs],
      ['PEXPIRE', order, lifeMs],
      ['ZCARD', order],
    ]);
    const excess = Number(answers.at(-1)) - lettersMax;
    if (excess <= 0) return;
    const oldest = await this.redis.commits.call('ZRANGE', order, 0, excess - 1);
    await this.remove(letter.handler, oldest as string[]);
  }

  async list(handler: string, limit: number): Promise<DeadLetter[]> {
    const { order } = this.#keys.deadLetters(handler);
    const ids = await this.redis.reads.call('ZREVRANGE', order, 0, limit - 1);
    return await this.find(handler, ids as string[]);
  }

  async find(handler: string, ids: readonly string[]): Promise<DeadLetter[]> {
    const { letters } = this.#keys.deadLetters(handler);
    const found: DeadLetter[] = [];
    for (const some of partsOf(ids, lettersPerCallMax)) {
      const records = await this.redis.reads.callBuffer('HMGET', letters, ...some);
      for (const bytes of records as (Buffer | null)[]) {
        if (bytes !== null) found.push(JSON.parse(unpackText('dead letter', bytes)) as DeadLetter);
      }
    }
    return found;
  }

  async remove(handler: string, ids: readonly string[]): Promise<void> {
    const { letters, order } = this.#keys.deadLetters(handler);
    for (const some of partsOf(ids, lettersPerCallMax)) {
      await this.redis.commits.callAll([
        ['ZREM', order, ...some],
        ['HDEL', letters, ...some],
      ]);
    }
  }

  async forget(handler: string): Promise<void> {
    const { letters, order } = this.#keys.deadLetters(handler);
    await this.redis.commits.callAll([
      ['UNLINK', letters],
      ['UNLINK', order],
    ]);
  }

  async keepState(state: EventSourceState): Promise<void> {
    const record = packText(JSON.stringify(state));
    await this.redis.commits.call('HSET', this.#keys.sources(), state.id, record);
  }

  async dropState(id: string): Promise<void> {
    await this.redis.commits.call('HDEL', this.#keys.sources(), id);
  }

  async states(): Promise<EventSourceState[]> {
    const { reads } = this.redis;
    return (await allFields(reads, this.#keys.sources(), lettersPerCallMax)).map(
      ([, bytes]) => JSON.parse(unpackText('state of a broker', bytes)) as EventSourceState,
    );
  }

  async clearStates(): Promise<void> {
    await this.redis.commits.call('UNLINK', this.#keys.sources());
  }
}
