// NATS with JetStream: an event `nats:integration:subject` is a subject, and each reader a durable
// consumer of the stream that keeps it. Plain NATS forgets what nobody reads, so a subject that no
// stream keeps gets one.
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { checkServerIdentity, type ConnectionOptions as ConnectOptions } from 'node:tls';
import type { JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import type { ConnectionOptions, NatsConnection, TlsOptions } from '@nats-io/transport-node';
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
  keptAlive,
  Window,
} from '@downbeat/plugin';

const portByDefault = 4222;
const connectTimeoutMs = 5000;
/** The server hands out again what is not acknowledged for so long. */
const acknowledgeMs = 30_000;
const againAfterMs = 500;
const nanosPerMs = 1_000_000;

export const natsBroker: BrokerKind = {
  name: 'nats',
  eventKinds: ['nats', 'jsm'],
  providerTypes: ['nats'],
  settingNames: [
    'endpoint',
    'port',
    'user',
    'password',
    'api_key',
    'authenticationType',
    'tls',
    'startFrom',
  ],
  fansOut: () => true,
  async consume(target, reader, { guard }) {
    const connection = await connect(target.settings, guard);
    try {
      await readAll(connection, target, reader);
    } finally {
      // Sends the acknowledgements that are under way, unless the connection is lost already.
      await connection.drain().catch(() => undefined);
    }
  },
  async openSink({ settings }, { guard }) {
    const connection = await connect(settings, guard);
    const { jetstream, jetstreamManager } = await import('@nats-io/jetstream');
    const { headers: createHeaders } = await import('@nats-io/transport-node');
    const client: JetStreamClient = jetstream(connection);
    const kept = new Set<string>();
    return {
      async publish({ queue }, { id, payload, headers = {} }) {
        if (!kept.has(queue)) await streamOf(await jetstreamManager(connection), queue);
        kept.add(queue);
        const sent = createHeaders();
        for (const [name, value] of Object.entries(headers)) sent.set(name, value);
        await client.publish(queue, payload, { msgID: id, headers: sent });
      },
      close: () => connection.close(),
    };
  },
};

async function readAll(
  connection: NatsConnection,
  { queue: subject, settings }: BrokerTarget,
  reader: BrokerReader,
): Promise<void> {
  const { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } =
    await import('@nats-io/jetstream');
  const manager = await jetstreamManager(connection);
  const stream = await streamOf(manager, subject);
  const from = settings.choice('startFrom', ['earliest', 'latest'], 'earliest');
  const { name } = await manager.consumers.add(stream, {
    durable_name: durableName(reader.name, subject),
    filter_subject: subject,
    ack_policy: AckPolicy.Explicit,
    ack_wait: acknowledgeMs * nanosPerMs,
    deliver_policy: from === 'earliest' ? DeliverPolicy.All : DeliverPolicy.New,
    max_ack_pending: reader.prefetch,
  });
  const consumer = await jetstream(connection).consumers.get(stream, name);
  const messages = await consumer.consume({ max_messages: reader.prefetch });
  const stop = (): void => messages.stop();
  reader.signal.addEventListener('abort', stop);
  if (reader.signal.aborted) stop();
  const window = new Window(reader.prefetch, stop);
  void connection.closed().then(stop);
  reader.connected();
  try {
    for await (const message of messages) {
      await window.room();
      window.add(() => handle(stream, reader, message));
    }
  } finally {
    reader.signal.removeEventListener('abort', stop);
    await window.drained();
  }
  if (!reader.signal.aborted) throw new BrokerError('the connection was lost');
}

async function handle(stream: string, reader: BrokerReader, message: JsMsg): Promise<void> {
  try {
    await keptAlive(
      acknowledgeMs / 3,
      () => message.working(),
      () => reader.handle(messageOf(stream, message)),
    );
    message.ack();
  } catch (error) {
    // Not at once: the connection that failed would be handed it before it is closed.
    message.nak(againAfterMs);
    throw error;
  }
}

function messageOf(stream: string, message: JsMsg): BrokerMessage {
  const publishedAt = Math.floor(message.info.timestampNanos / nanosPerMs);
  return {
    ...{ id: `${stream}:${message.seq}`, publishedAt, payload: message.string() },
    header: (name) => headerText(message, name),
  };
}

/** NATS tells names apart by their case; clients of HTTP's habits write `Traceparent`. */
function headerText({ headers }: Pick<JsMsg, 'headers'>, name: string): string {
  const own = headers?.keys().find((each) => each.toLowerCase() === name);
  return own === undefined ? '' : (headers?.get(own) ?? '');
}

/** The stream that keeps a subject; made when there is none. */
async function streamOf(manager: JetStreamManager, subject: string): Promise<string> {
  try {
    return await manager.streams.find(subject);
  } catch (error) {
    if (!(error instanceof Error && /no stream matches/i.test(error.message))) throw error;
  }
  const name = `DOWNBEAT_${subject.replace(/[^\w-]/g, '_')}`;
  await manager.streams.add({ name, subjects: [subject] });
  return name;
}

/** Unique by the reader's name and the subject; names may hold few characters only. */
function durableName(reader: string, subject: string): string {
  const hash = createHash('sha256').update(`${reader}\n${subject}`).digest('hex').slice(0, 16);
  return `downbeat-${reader.replace(/[^\w-]/g, '_').slice(0, 40)}-${hash}`;
}

async function connect(settings: BrokerSettings, guard: ConnectionGuard): Promise<NatsConnection> {
  const endpoint = settings.required('endpoint');
  const hosts = parseHosts(endpoint, settings.count('port', portByDefault));
  const isTls = settings.flag('tls') || endpoint.startsWith('tls:');
  const [user, pass, token] = ['user', 'password', 'api_key'].map((name) => settings.text(name));
  const options: ConnectionOptions = {
    name: 'downbeat',
    timeout: connectTimeoutMs,
    reconnect: false,
    ignoreClusterUpdates: true,
    ...(user === undefined ? {} : { user }),
    ...(pass === undefined ? {} : { pass }),
    ...(token === undefined ? {} : { token }),
  };
  const { connect: open } = await import('@nats-io/transport-node');
  let failure: unknown;
  for (const { host, port } of hosts) {
    try {
      // The address is what was checked; the name would be resolved again.
      const address = await reachableAddress(guard, { host, port });
      const servers = [`${bracketed(address)}:${port}`];
      return await open({ ...options, servers, ...(isTls ? { tls: tlsOptions(host) } : {}) });
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** A certificate is for the name, which the library does not know from the address. */
function tlsOptions(host: string): TlsOptions & ConnectOptions {
  return {
    ...(isIP(host) === 0 ? { servername: host } : {}),
    checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
  };
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
