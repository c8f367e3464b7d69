// AMQP 0-9-1 (RabbitMQ). `amqp:integration:queue` and `amqp_queue:...` are a queue, whose readers
// share its messages. `amqp_exchange:integration:exchange?exchangeType=topic&routingKey=a.#` is an
// exchange; each reader has a durable queue of its own that is bound to it.
import { randomUUID } from 'node:crypto';
import type { Channel, ChannelModel, ConfirmChannel, ConsumeMessage } from 'amqplib';
import {
  BrokerError,
  type BrokerKind,
  type BrokerMessage,
  type BrokerPublication,
  type BrokerReader,
  type BrokerTarget,
  type ConnectionGuard,
  type BrokerSettings,
  parseHosts,
  reachableAddress,
  Window,
} from '@downbeat/plugin';

const connectTimeoutMs = 5000;
const heartbeatSeconds = 10;
/** It is there already, as something else or without a right to declare it: it is used as it is. */
const usedAsItIs: readonly unknown[] = [403, 406];
const exchangeTypes = ['topic', 'direct', 'fanout', 'headers'] as const;

export const amqpBroker: BrokerKind = {
  name: 'amqp',
  eventKinds: ['amqp', 'amqp_queue', 'amqp_exchange'],
  providerTypes: ['amqp'],
  settingNames: ['endpoint', 'port', 'protocol', 'user', 'password', 'namespace', 'tls'],
  fansOut: (eventKind) => eventKind === 'amqp_exchange',
  async consume(target, reader, { guard }) {
    const connection = await connect(target.settings, guard);
    try {
      const queue = await declareSource(connection, target, reader.name);
      await readAll(connection, queue, reader);
    } finally {
      await connection.close().catch(() => undefined);
    }
  },
  async openSink({ settings }, { guard }) {
    const connection = await connect(settings, guard);
    const channel = await connection.createConfirmChannel();
    // An error closes the channel; the publication that meets it rejects.
    channel.on('error', () => undefined);
    const returned = new Set<string>();
    const lost = new Promise<never>((_resolve, reject) => {
      channel.on('close', () => reject(new BrokerError('the connection was lost')));
    });
    // Prevents an unhandled rejection; publications that await it still see it.
    lost.catch(() => undefined);
    channel.on('return', ({ properties }) => returned.add(String(properties.messageId)));
    const declared = new Set<string>();
    return {
      async publish(target, message) {
        const name = `${target.eventKind} ${target.queue}`;
        if (!declared.has(name)) await declareTarget(connection, target);
        declared.add(name);
        await Promise.race([publish(channel, target, message), lost]);
        if (returned.delete(message.id)) throw new BrokerError(`${target.queue} takes nothing`);
      },
      close: () => connection.close(),
    };
  },
};

async function readAll(
  connection: ChannelModel,
  queue: string,
  reader: BrokerReader,
): Promise<void> {
  const channel = await connection.createChannel();
  let end = (_error?: Error): void => undefined;
  const ended = new Promise<Error | undefined>((resolve) => (end = resolve));
  const lost = (): void => end(new BrokerError('the connection was lost'));
  connection.on('close', lost);
  channel.on('error', (error) => end(error));
  channel.on('close', lost);
  const window = new Window(reader.prefetch, () => end());
  await channel.prefetch(reader.prefetch);
  const { consumerTag } = await channel.consume(queue, (message) => {
    // The broker cancels the consumer when the queue is deleted.
    if (message === null) end(new BrokerError(`the queue ${queue} was deleted`));
    else window.add(() => handle(channel, queue, reader, message));
  });
  const stop = (): void => end();
  reader.signal.addEventListener('abort', stop, { once: true });
  if (reader.signal.aborted) stop();
  reader.connected();
  const error = await ended;
  reader.signal.removeEventListener('abort', stop);
  if (error === undefined) await channel.cancel(consumerTag);
  await window.drained();
  if (error !== undefined) throw error;
  await channel.close();
}

async function handle(
  channel: Channel,
  queue: string,
  reader: BrokerReader,
  message: ConsumeMessage,
): Promise<void> {
  try {
    await reader.handle(messageOf(queue, message));
  } catch (error) {
    channel.nack(message);
    throw error;
  }
  channel.ack(message);
}

/** A message whose publisher gave no id gets one, which changes when it comes again. */
function messageOf(queue: string, { content, properties }: ConsumeMessage): BrokerMessage {
  const { messageId, timestamp } = properties;
  const id = typeof messageId === 'string' && messageId !== '' ? messageId : randomUUID();
  const publishedAt = typeof timestamp === 'number' ? timestamp * 1000 : undefined;
  return {
    ...{ id: `${queue}:${id}`, publishedAt, payload: content.toString('utf8') },
    header: (name) => headerText(properties.headers?.[name]),
  };
}

/** Clients of some languages send texts as bytes. */
function headerText(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('utf8');
  return typeof value === 'string' ? value : '';
}

async function publish(
  channel: ConfirmChannel,
  { eventKind, queue }: BrokerTarget,
  { id, key, payload, headers = {} }: BrokerPublication,
): Promise<void> {
  const isExchange = eventKind === 'amqp_exchange';
  const { name, routingKey } = parseQueue(queue);
  const [exchange, route] = isExchange ? [name, routingKey ?? key?.toString() ?? ''] : ['', name];
  const options = {
    ...{ persistent: true, contentType: 'application/json', messageId: id, headers },
    timestamp: Math.floor(Date.now() / 1000),
    // A queue that is not there is told; an exchange may have nothing that is bound to it.
    mandatory: !isExchange,
  };
  await new Promise<void>((resolve, reject) => {
    channel.publish(exchange, route, Buffer.from(payload), options, (error: unknown) => {
      if (error === null || error === undefined) resolve();
      else reject(error instanceof Error ? error : new BrokerError('the message was refused'));
    });
  });
}

/** The queue that a reader consumes. */
async function declareSource(
  connection: ChannelModel,
  target: BrokerTarget,
  reader: string,
): Promise<string> {
  await declareTarget(connection, target);
  const { name, routingKey, exchangeType } = parseQueue(target.queue);
  if (target.eventKind !== 'amqp_exchange') return name;
  const queue = `downbeat.${name}.${reader}`;
  const route = routingKey ?? (exchangeType === 'topic' ? '#' : '');
  await declare(connection, (channel) => channel.assertQueue(queue, { durable: true }));
  await declare(connection, (channel) => channel.bindQueue(queue, name, route));
  return queue;
}

/** Makes the queue or exchange, unless it is there. */
async function declareTarget(
  connection: ChannelModel,
  { eventKind, queue }: BrokerTarget,
): Promise<void> {
  const { name, exchangeType } = parseQueue(queue);
  await declare(connection, (channel) =>
    eventKind === 'amqp_exchange'
      ? channel.assertExchange(name, exchangeType, { durable: true })
      : channel.assertQueue(name, { durable: true }),
  );
}

/** On a channel of its own, because a refusal closes the channel. */
async function declare(
  connection: ChannelModel,
  ask: (channel: Channel) => PromiseLike<unknown>,
): Promise<void> {
  const channel = await connection.createChannel();
  channel.on('error', () => undefined);
  try {
    await ask(channel);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (!usedAsItIs.includes(code)) throw error;
    return;
  }
  await channel.close();
}

export interface AmqpQueue {
  readonly name: string;
  readonly exchangeType: (typeof exchangeTypes)[number];
  readonly routingKey: string | undefined;
}

/** Throws BrokerError for parameters that there are not. */
export function parseQueue(text: string): AmqpQueue {
  const mark = text.indexOf('?');
  const name = mark < 0 ? text : text.slice(0, mark);
  const parameters = new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1));
  for (const parameter of parameters.keys()) {
    if (parameter === 'exchangeType' || parameter === 'routingKey') continue;
    throw new BrokerError(`${text}: the parameters are exchangeType and routingKey`);
  }
  const given = parameters.get('exchangeType') ?? 'topic';
  const exchangeType = exchangeTypes.find((type) => type === given);
  if (exchangeType === undefined) {
    throw new BrokerError(`${text}: exchangeType must be one of ${exchangeTypes.join(', ')}`);
  }
  return { name, exchangeType, routingKey: parameters.get('routingKey') ?? undefined };
}

async function connect(settings: BrokerSettings, guard: ConnectionGuard): Promise<ChannelModel> {
  const protocol = settings.choice('protocol', ['amqp', 'amqps'], 'amqp');
  const endpoint = settings.required('endpoint');
  const isTls = settings.flag('tls') || protocol === 'amqps' || endpoint.startsWith('amqps:');
  const port = settings.count('port', isTls ? 5671 : 5672);
  const [address] = parseHosts(endpoint, port);
  if (address === undefined) throw new BrokerError(`${settings.source} has no endpoint`);
  const hostname = await reachableAddress(guard, address);
  const { connect: open } = await import('amqplib');
  const connection = await open(
    {
      ...{ protocol: isTls ? 'amqps' : 'amqp', hostname, port: address.port },
      username: settings.text('user') ?? 'guest',
      password: settings.text('password') ?? 'guest',
      vhost: settings.text('namespace') ?? '/',
      heartbeat: heartbeatSeconds,
    },
    { timeout: connectTimeoutMs, noDelay: true, servername: address.host },
  );
  // Its end is told by `close` to those who wait; without a listener the process would end.
  connection.on('error', () => undefined);
  return connection;
}
