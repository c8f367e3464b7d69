// Dead letters in Redis, in an ordered hash per handler. The states of connections to brokers are
// one hash.
import type { DeadLetter, EventSourceState } from '../dead-letter.js';
import type { DeadLetterStore, EventSourceStore } from './dead-letter-store.js';
import type { RedisClient } from '../../../redis/client.js';
import { packText, unpackText } from '../../../redis/codec/record.js';
import { OrderedHashes, type OrderedHashLimits } from '../../../redis/ordered-hashes.js';
import { allFields } from '../../../redis/scans.js';
import { EventKeys } from '../keys.js';

/** States that one command reads. */
const statesPerCallMax = 200;

export class RedisDeadLetterStore implements DeadLetterStore, EventSourceStore {
  readonly #keys: EventKeys;
  readonly #letters: OrderedHashes<DeadLetter>;

  constructor(
    private readonly redis: RedisClient,
    /** Of one handler. */
    private readonly limits: OrderedHashLimits,
  ) {
    this.#keys = new EventKeys(redis.keys.prefix);
    this.#letters = new OrderedHashes(redis, 'dead letter');
  }

  async add(letter: DeadLetter): Promise<void> {
    const { id, failedAt: at, handler } = letter;
    const entry = { id, at, record: letter };
    await this.#letters.write(this.#keys.deadLetters(handler), [entry], this.limits);
  }

  list(handler: string, limit: number): Promise<DeadLetter[]> {
    return this.#letters.newest(this.#keys.deadLetters(handler), limit);
  }

  find(handler: string, ids: readonly string[]): Promise<DeadLetter[]> {
    return this.#letters.find(this.#keys.deadLetters(handler), ids);
  }

  remove(handler: string, ids: readonly string[]): Promise<void> {
    return this.#letters.remove(this.#keys.deadLetters(handler), ids);
  }

  forget(handler: string): Promise<void> {
    return this.#letters.forget(this.#keys.deadLetters(handler));
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
    return (await allFields(reads, this.#keys.sources(), statesPerCallMax)).map(
      ([, bytes]) => JSON.parse(unpackText('state of a broker', bytes)) as EventSourceState,
    );
  }

  async clearStates(): Promise<void> {
    await this.redis.commits.call('UNLINK', this.#keys.sources());
  }
}
