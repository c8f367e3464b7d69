// Kafka: an event `kafka:integration:topic` is a topic, and each reader a consumer group of it
// whose name begins with the connection's groupId. Messages are handled at the same time; what is
// committed of a partition is everything before the first message that is not done.
//
// The library connects by itself to the addresses that brokers tell: kafka-addresses.ts says where.
import type { Consumer, ConsumerOptions, Message, Producer } from '@platformatic/kafka';
import {
  BrokerError,
  type BrokerKind,
  type BrokerMessage,
  type BrokerReader,
  type BrokerTarget,
  type ConnectionGuard,
  type BrokerSettings,
  parseHosts,
  reachableAddress,
  Window,
} from '@downbeat/plugin';
import { guardConnections, KafkaAddresses } from './kafka-addresses.js';
import { OffsetTracker } from './offset-tracker.js';

const portByDefault = 9092;
const connectTimeoutMs = 5000;
const requestTimeoutMs = 10_000;
/** A reader that is gone is missed by its group after so long. */
const sessionTimeoutMs = 10_000;
const fetchWaitMs = 1000;
const protocols = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] as const;
const mechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

export const kafkaBroker: BrokerKind = {
  name: 'kafka',
  eventKinds: ['kafka'],
  providerTypes: ['kafka', 'kafka_msk', 'kafka_confluent'],
  settingNames: [
    ...['endpoint', 'connectionType', 'protocol', 'mechanism', 'user', 'password', 'groupId'],
    'startFrom',
  ],
  fansOut: () => true,
  async consume(target, reader, { guard }) {
    const options = await connectionOptions(target.settings, guard);
    const library = await import('@platformatic/kafka');
    guardConnections(library);
    const groupId = `${target.settings.text('groupId') ?? 'downbeat'}-${reader.name}`;
    const consumer = new library.Consumer<Buffer, Buffer, Buffer, Buffer>({
      ...options,
      groupId,
      sessionTimeout: sessionTimeoutMs,
      heartbeatInterval: sessionTimeoutMs / 4,
      maxWaitTime: fetchWaitMs,
      highWaterMark: reader.prefetch,
    });
    // Errors reach the stream or a call; without a listener the process would end.
    consumer.on('error', () => undefined);
    try {
      await checkBrokers(consumer, guard);
      // The topic is made, where the broker allows that, so that its first message is not missed.
      await consumer.metadata({ topics: [target.queue], autocreateTopics: true });
      await readAll(consumer, target, reader);
    } finally {
      await Promise.resolve(consumer.close(true)).catch(() => undefined);
    }
  },
  async openSink({ settings }, { guard }) {
    const options = await connectionOptions(settings, guard);
    const library = await import('@platformatic/kafka');
    guardConnections(library);
    const producer: Producer<Buffer, Buffer, Buffer, Buffer> = new library.Producer({
      ...options,
      acks: library.ProduceAcks.ALL,
      autocreateTopics: true,
    });
    producer.on('error', () => undefined);
    try {
      await checkBrokers(producer, guard);
    } catch (error) {
      await producer.close().catch(() => undefined);
      throw error;
    }
    return {
      async publish({ queue: topic }, { key, payload, headers = {} }) {
        const sent = Object.entries(headers).map(
          ([name, value]) => [Buffer.from(name), Buffer.from(value)] as const,
        );
        const message = { topic, value: Buffer.from(payload), headers: new Map(sent) };
        const keyed =
          key === undefined ? {} : { key: typeof key === 'string' ? Buffer.from(key) : key };
        await producer.send({ messages: [{ ...message, ...keyed }] });
      },
      close: () => producer.close(),
    };
  },
};

type Taken = Message<Buffer, Buffer, Buffer, Buffer>;

async function readAll(
  consumer: Consumer<Buffer, Buffer, Buffer, Buffer>,
  { queue: topic, settings }: BrokerTarget,
  reader: BrokerReader,
): Promise<void> {
  const from = settings.choice('startFrom', ['earliest', 'latest'], 'earliest');
  const stream = await consumer.consume({
    topics: [topic],
    autocommit: false,
    mode: 'committed',
    fallbackMode: from,
  });
  const stop = (): void => void stream.destroy();
  const window = new Window(reader.prefetch, stop);
  const offsets = new OffsetTracker<Taken>();
  /** Commits, in order. */
  let committing: Promise<void> = Promise.resolve();
  reader.signal.addEventListener('abort', stop);
  if (reader.signal.aborted) stop();
  reader.connected();
  try {
    for await (const message of stream as AsyncIterable<Taken>) {
      await window.room();
      const done = offsets.add(String(message.partition), message);
      window.add(async () => {
        await reader.handle(messageOf(message));
        const last = done();
        if (last === undefined) return;
        committing = committing.then(async () => await last.commit());
        await committing;
      });
    }
  } catch (error) {
    if (!reader.signal.aborted) throw error;
  } finally {
    reader.signal.removeEventListener('abort', stop);
    await window.drained();
  }
  if (!reader.signal.aborted) throw new BrokerError('the connection was lost');
}

function messageOf(message: Taken): BrokerMessage {
  const { topic, partition, offset, timestamp, value } = message;
  return {
    id: `${topic}:${partition}:${offset}`,
    publishedAt: Number(timestamp),
    payload: value.toString('utf8'),
    header: (name) => headerText(message, name),
  };
}

/** Names are bytes, so that they are no keys of the map to look up. */
function headerText({ headers }: Pick<Taken, 'headers'>, name: string): string {
  for (const [each, value] of headers) {
    if (each.toString('utf8').toLowerCase() === name) return value.toString('utf8');
  }
  return '';
}

type ConnectionOptions = Pick<
  ConsumerOptions<Buffer, Buffer, Buffer, Buffer>,
  | 'clientId'
  | 'bootstrapBrokers'
  | 'connectTimeout'
  | 'requestTimeout'
  | 'timeout'
  | 'retries'
  | 'tls'
  | 'tlsServerName'
  | 'context'
  | 'sasl'
>;

async function connectionOptions(
  settings: BrokerSettings,
  guard: ConnectionGuard,
): Promise<ConnectionOptions> {
  const hosts = parseHosts(settings.required('endpoint'), portByDefault);
  const protocol = settings.choice('protocol', protocols, 'PLAINTEXT');
  for (const each of hosts) await reachableAddress(guard, each);
  const isTls = protocol.endsWith('SSL');
  const addresses = new KafkaAddresses(guard, isTls);
  const mechanism = settings.choice('mechanism', mechanisms, 'PLAIN');
  const sasl = protocol.startsWith('SASL')
    ? {
        sasl: {
          mechanism,
          username: settings.required('user'),
          password: settings.required('password'),
        },
      }
    : {};
  return {
    clientId: 'downbeat',
    bootstrapBrokers: hosts.map(({ host, port }) => ({ host, port })),
    connectTimeout: connectTimeoutMs,
    requestTimeout: requestTimeoutMs,
    timeout: requestTimeoutMs,
    retries: 2,
    context: addresses,
    ...(isTls ? { tls: { lookup: addresses.lookup }, tlsServerName: true } : {}),
    ...sasl,
  };
}

/** The brokers that the first one tells of must be allowed too. */
async function checkBrokers(
  client: Pick<Consumer, 'metadata'>,
  guard: ConnectionGuard,
): Promise<void> {
  const { brokers } = await client.metadata({ topics: [] });
  for (const { host, port } of brokers.values()) await reachableAddress(guard, { host, port });
}
