// Poll data in Redis: one hash, a field per (type, domain). A node saves what it has seen about
// once a second.
import type { QueueName } from '../engine/decision.js';
import type { PollData, PollDataStore } from '../store/queue-store.js';
import type { RedisClient } from './client.js';
import { parseQueueText, queueText } from './codec/queue-record.js';
import { packRecord, unpackRecord } from './codec/record.js';
import { allFields } from './scans.js';
import { partsOf } from '../std/parts.js';

const entriesPerCallMax = 500;

export class RedisPollDataStore implements PollDataStore {
  constructor(private readonly redis: RedisClient) {}

  async save(entries: readonly PollData[]): Promise<void> {
    for (const some of partsOf(entries, entriesPerCallMax)) {
      const fields = some.flatMap((entry) => {
        const { queueName: taskType, domain } = entry;
        const name = queueText(domain === undefined ? { taskType } : { taskType, domain });
        return [name, packRecord([1, entry.workerId, entry.lastPollTime])];
      });
      await this.redis.reads.call('HSET', this.redis.keys.pollData(), ...fields);
    }
  }

  async remove(queues: readonly QueueName[]): Promise<void> {
    for (const some of partsOf(queues, entriesPerCallMax)) {
      const names = some.map(queueText);
      await this.redis.reads.call('HDEL', this.redis.keys.pollData(), ...names);
    }
  }

  async list(taskType: string | undefined): Promise<PollData[]> {
    const { reads, keys } = this.redis;
    const found: PollData[] = [];
    for (const [name, bytes] of await allFields(reads, keys.pollData(), entriesPerCallMax)) {
      const queue = parseQueueText(name);
      if (taskType !== undefined && queue.taskType !== taskType) continue;
      found.push(pollOf(queue, bytes));
    }
    return found;
  }

  async read(queues: readonly QueueName[]): Promise<(PollData | undefined)[]> {
    if (queues.length === 0) return [];
    const { reads, keys } = this.redis;
    const found = await reads.callBuffer('HMGET', keys.pollData(), ...queues.map(queueText));
    return (found as (Buffer | null)[]).map((bytes, i) =>
      bytes === null ? undefined : pollOf(queues[i] as QueueName, bytes),
    );
  }
}

function pollOf({ taskType, domain }: QueueName, bytes: Buffer): PollData {
  const [, workerId, lastPollTime] = unpackRecord('poll record', bytes, 1);
  return {
    queueName: taskType,
    ...(domain === undefined ? {} : { domain }),
    ...(workerId === null ? {} : { workerId: workerId as string }),
    lastPollTime: lastPollTime as number,
  };
}
