// Event queues in Redis: per queue a sorted set of attempts by the moment of publishing and a hash
// of their messages, in one slot. Every step is repeatable, and the order of the writes leaves at
// worst a message without its place in the order, which expires with its hash: publishing writes
// the message, then its place; removal takes the place first.
import type { EventMessage, EventQueueLimits, EventQueueStore } from './event-queue-store.js';
import type { RedisClient } from '../../../redis/client.js';
import { packRecord, unpackRecord } from '../../../redis/codec/record.js';
import type { TraceContext } from '../../../telemetry/trace-context.js';
import { EventKeys } from '../keys.js';
import { partsOf } from '../../../std/parts.js';

const messageFormat = 1;
const removedPerCallMax = 500;
const queuesPerCallMax = 1000;

export class RedisEventQueueStore implements EventQueueStore {
  readonly #listeners: ((queue: string) => void)[] = [];

  readonly #keys: EventKeys;

  constructor(
    private readonly redis: RedisClient,
    private readonly limits: EventQueueLimits,
  ) {
    this.#keys = new EventKeys(redis.keys.prefix);
  }

  async publish(queue: string, message: EventMessage): Promise<void> {
    const { order, messages } = this.#keysOf(queue);
    const { id, attemptKey, payload, publishedAt, trace } = message;
    // Most have no trace: their record ends before it.
    const traced = trace === undefined ? [] : [trace.traceparent, trace.tracestate ?? null];
    const record = packRecord([messageFormat, id, payload, publishedAt, ...traced]);
    await this.redis.queues.callAll([
      ['HSETNX', messages, attemptKey, record],
      ['ZADD', order, 'NX', publishedAt, attemptKey],
      ['PEXPIRE', messages, this.limits.ageMsMax],
      ['PEXPIRE', order, this.limits.ageMsMax],
    ]);
    await this.#trim(queue, publishedAt);
    await this.#mark(queue, publishedAt);
    for (const listener of this.#listeners) listener(queue);
  }

  async read(queue: string, limit: number): Promise<EventMessage[]> {
    const { order, messages } = this.#keysOf(queue);
    const attempts = (await this.redis.reads.call('ZRANGE', order, 0, limit - 1)) as string[];
    if (attempts.length === 0) return [];
    const records = (await this.redis.reads.callBuffer(
      'HMGET',
      messages,
      ...attempts,
    )) as (Buffer | null)[];
    return records.flatMap((bytes, i) => {
      if (bytes === null) return [];
      const fields = unpackRecord('event message', bytes, messageFormat);
      return {
        id: fields[1] as string,
        attemptKey: attempts[i] as string,
        payload: fields[2] as string,
        publishedAt: fields[3] as number,
        ...(typeof fields[4] === 'string' && { trace: traceOf(fields[4], fields[5]) }),
      };
    });
  }

  async remove(queue: string, messages: readonly EventMessage[]): Promise<void> {
    await this.#drop(
      queue,
      messages.map((message) => message.attemptKey),
    );
  }

  async withdraw(queue: string, attemptKey: string): Promise<void> {
    await this.#drop(queue, [attemptKey]);
  }

  async marked(queues: readonly string[]): Promise<string[]> {
    const marks = this.#keys.marked();
    const found: string[] = [];
    for (const some of partsOf(queues, queuesPerCallMax)) {
      const scores = (await this.redis.reads.call('ZMSCORE', marks, ...some)) as unknown[];
      found.push(...some.filter((_queue, i) => scores[i] !== null));
    }
    return found;
  }

  async unmark(queue: string): Promise<void> {
    await this.redis.queues.call('ZREM', this.#keys.marked(), queue);
  }

  onPublished(listener: (queue: string) => void): void {
    this.#listeners.push(listener);
  }

  async size(queue: string): Promise<number> {
    return (await this.redis.reads.call('ZCARD', this.#keysOf(queue).order)) as number;
  }

  /** After the message is stored, so that a mark that was removed too early is set again. */
  async #mark(queue: string, now: number): Promise<void> {
    const marks = this.#keys.marked();
    await this.redis.queues.callAll([
      ['ZADD', marks, now, queue],
      ['ZREMRANGEBYSCORE', marks, '-inf', now - this.limits.ageMsMax],
    ]);
  }

  /** Messages past their age, and the oldest past the number. */
  async #trim(queue: string, now: number): Promise<void> {
    const { order } = this.#keysOf(queue);
    const { messagesMax, ageMsMax } = this.limits;
    const oldest = ['LIMIT', 0, removedPerCallMax] as const;
    const [aged, size] = (await this.redis.queues.callAll([
      ['ZRANGEBYSCORE', order, '-inf', now - ageMsMax, ...oldest],
      ['ZCARD', order],
    ])) as [Buffer[], number];
    const excess = Math.min(size - messagesMax, removedPerCallMax);
    const oldestOnes =
      excess > 0
        ? ((await this.redis.queues.call('ZRANGE', order, 0, excess - 1)) as string[])
        : [];
    await this.#drop(queue, [...new Set([...aged.map(String), ...oldestOnes])]);
  }

  async #drop(queue: string, attemptKeys: readonly string[]): Promise<void> {
    if (attemptKeys.length === 0) return;
    const { order, messages } = this.#keysOf(queue);
    await this.redis.queues.callAll([
      ['ZREM', order, ...attemptKeys],
      ['HDEL', messages, ...attemptKeys],
    ]);
  }

  #keysOf(queue: string): { order: string; messages: string } {
    return { order: this.#keys.order(queue), messages: this.#keys.messages(queue) };
  }
}

function traceOf(traceparent: string, tracestate: unknown): TraceContext {
  return typeof tracestate === 'string' ? { traceparent, tracestate } : { traceparent };
}
