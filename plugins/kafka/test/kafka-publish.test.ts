// KAFKA_PUBLISH (semantics 4.21): what reaches the sink; the sink itself is tried on a real Kafka
// in test/broker.
import { describe, expect, it } from 'vitest';
import { BrokerError } from '../../../src/broker/broker-error.js';
import type { JsonMap } from '../../../src/model/json.js';
import { createKafkaPublishTask } from '../src/kafka-publish.js';
import type { SystemTaskServices, TaskOutcome } from '../../../src/system-task/system-task.js';
import { taskRun } from '../../../test/system-task/task-run.js';

type Sent = Parameters<SystemTaskServices['brokerSink']['send']>;

const request = { bootStrapServers: 'a:9092,b:9092', topic: 'orders', value: { n: 1 } };

async function publish(over: JsonMap, asyncComplete = false): Promise<[TaskOutcome, Sent[]]> {
  const sent: Sent[] = [];
  const send = (...args: Sent): Promise<void> => Promise.resolve(void sent.push(args));
  const task = createKafkaPublishTask({ brokerSink: { send } });
  const run = taskRun({ kafka_request: { ...request, ...over } }, { asyncComplete });
  return [await task.run(run), sent];
}

describe('a KAFKA_PUBLISH task', () => {
  it('publishes the value as JSON text and completes without output', async () => {
    const [outcome, sent] = await publish({ key: 'k', headers: { trace: 'x', n: 2 } });
    expect(outcome).toEqual({ status: 'COMPLETED', output: {} });
    const [found, message, timeoutMs] = sent[0] as Sent;
    expect([found.kind.name, found.target.queue]).toEqual(['kafka', 'orders']);
    expect(found.target.settings.text('endpoint')).toBe('a:9092,b:9092');
    expect(message).toMatchObject({
      payload: '{"n":1}',
      key: 'k',
      headers: { trace: 'x', n: '2' },
    });
    expect(timeoutMs).toBeUndefined();
  });

  it('sends a text as JSON too, and leaves the end to others with asyncComplete', async () => {
    const limits = { requestTimeoutMs: 4000, maxBlockMs: 1000 };
    const [outcome, sent] = await publish({ value: 'text', ...limits }, true);
    expect(outcome.status).toBe('IN_PROGRESS');
    expect(sent[0]?.[1].payload).toBe('"text"');
    expect(sent[0]?.[2]).toBe(5000);
  });

  it.each([
    ['org.apache.kafka.common.serialization.LongSerializer', 258, '0000000000000102'],
    ['org.apache.kafka.common.serialization.IntegerSerializer', '-2', 'fffffffe'],
    ['org.apache.kafka.common.serialization.StringSerializer', 258, '323538'],
  ])('writes keys as %s does', async (keySerializer, key, bytes) => {
    const [, sent] = await publish({ keySerializer, key });
    expect(Buffer.from(sent[0]?.[1].key ?? '').toString('hex')).toBe(bytes);
  });

  it.each<[JsonMap, RegExp]>([
    [{ bootStrapServers: '' }, /No boot strap servers specified/],
    [{ topic: null }, /Missing Kafka topic/],
    [{ value: null }, /No message to publish/],
    [{ headers: ['a'] }, /kafka_request.headers must be an object/],
    [{ requestTimeoutMs: 'soon' }, /kafka_request.requestTimeoutMs must be a number/],
    [{ key: 1, keySerializer: 'x.ByteSerializer' }, /keySerializer must be a String, Long/],
    [{ key: 2 ** 31, keySerializer: 'IntegerSerializer' }, /key must be a whole number of 32 bits/],
    [{ key: 'x', keySerializer: 'LongSerializer' }, /key must be a whole number of 64 bits/],
  ])('fails with %j', async (over, reason) => {
    const [outcome, sent] = await publish(over);
    expect([outcome.status, sent]).toEqual(['FAILED', []]);
    expect(outcome.reason).toMatch(reason);
  });

  it('fails when the brokers do not take it', async () => {
    const send = (): Promise<never> => Promise.reject(new BrokerError('kafka: nobody there'));
    const task = createKafkaPublishTask({ brokerSink: { send } });
    const outcome = await task.run(taskRun({ kafka_request: request }));
    expect([outcome.status, outcome.reason]).toEqual(['FAILED', 'kafka: nobody there']);
  });
});
