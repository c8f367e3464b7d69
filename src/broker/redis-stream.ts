// Redis streams: an event `redis_stream:integration:stream` is a stream, and each reader a consumer
// group of it. Only one node reads for a handler, so a group has one consumer, and what a killed
// node had taken is found under its name by the next one.
//
// An entry that is published here has the fields `id`, `key` and `payload`, and those of its trace.
// Of entries that others append, the field `payload` is the message; without such a field all
// fields are, as an object.
import {
  StreamConnection,
  type StreamEntry,
  type StreamGroup,
} from '../redis/stream-connection.js';
import { BrokerError } from './broker-error.js';
import type {
  BrokerKind,
  BrokerMessage,
  BrokerReader,
  BrokerTarget,
  ConnectionGuard,
} from './broker-kind.js';
import { parseHosts, reachableAddress } from './endpoint.js';
import { Window } from './window.js';

const portByDefault = 6379;
/** A blocked read holds its connection for so long; a stop cuts it off. */
const waitMs = 5000;
const consumer = 'downbeat';

export const redisStreamBroker: BrokerKind = {
  name: 'redis_stream',
  eventKinds: ['redis_stream'],
  providerTypes: ['redis_stream'],
  settingNames: ['endpoint', 'port', 'user', 'password', 'namespace', 'tls', 'startFrom'],
  fansOut: () => true,
  async consume(target, reader, { guard }) {
    const stopped = new AbortController();
    const signal = AbortSignal.any([reader.signal, stopped.signal]);
    const group: StreamGroup = { stream: target.queue, group: reader.name, consumer };
    const [reads, acks] = await openBoth(target, guard);
    // Not taken any more: a read under way ends at once, what is handled may still be acknowledged.
    signal.addEventListener('abort', () => reads.close());
    try {
      const from = target.settings.choice('startFrom', ['earliest', 'latest'], 'earliest');
      await reads.ensureGroup(group, from === 'earliest' ? '0' : '$');
      reader.connected();
      await readAll({ group, reader, reads, acks, signal });
    } catch (error) {
      if (!reader.signal.aborted) throw error;
    } finally {
      stopped.abort();
      acks.close();
    }
  },
  async openSink(target, { guard }) {
    const connection = await open(target, guard);
    return {
      async publish({ queue }, { id, key, payload, headers = {} }) {
        const keyed = key === undefined ? [] : ['key', key.toString()];
        const more = Object.entries(headers).flat();
        await connection.append(queue, ['id', id, ...keyed, 'payload', payload, ...more]);
      },
      close: () => Promise.resolve(connection.close()),
    };
  },
};

interface Reading {
  readonly group: StreamGroup;
  readonly reader: BrokerReader;
  readonly reads: StreamConnection;
  readonly acks: StreamConnection;
  readonly signal: AbortSignal;
}

/** First what was taken before and not acknowledged, then what is new. */
async function readAll({ group, reader, reads, acks, signal }: Reading): Promise<void> {
  // A read that waits for new entries is cut off, so that the failure is told at once.
  const window = new Window(reader.prefetch, () => reads.close());
  let after = '0';
  try {
    while (!signal.aborted) {
      await window.room();
      const entries = await reads.read(group, after, { count: window.free, waitMs });
      if (after !== '>') after = entries.at(-1)?.id ?? '>';
      for (const entry of entries) {
        window.add(async () => {
          // An entry without fields was deleted from the stream after it had been taken.
          if (entry.fields.length > 0) await reader.handle(messageOf(group, entry));
          await acks.acknowledge(group, entry.id);
        });
      }
    }
  } finally {
    await window.drained();
  }
}

function messageOf({ stream }: StreamGroup, { id, fields }: StreamEntry): BrokerMessage {
  const values = new Map<string, string>();
  for (let i = 0; i + 1 < fields.length; i += 2) {
    values.set(fields[i] as string, fields[i + 1] as string);
  }
  const payload = values.get('payload') ?? JSON.stringify(Object.fromEntries(values));
  return {
    ...{ id: `${stream}:${id}`, publishedAt: Number.parseInt(id, 10), payload },
    header: (name) => values.get(name) ?? '',
  };
}

async function openBoth(
  target: BrokerTarget,
  guard: ConnectionGuard,
): Promise<[StreamConnection, StreamConnection]> {
  const first = await open(target, guard);
  try {
    return [first, await open(target, guard)];
  } catch (error) {
    first.close();
    throw error;
  }
}

async function open({ settings }: BrokerTarget, guard: ConnectionGuard): Promise<StreamConnection> {
  const endpoint = settings.required('endpoint');
  const [address] = parseHosts(endpoint, settings.count('port', portByDefault));
  if (address === undefined) throw new BrokerError(`${settings.source} has no endpoint`);
  const host = await reachableAddress(guard, address);
  const database = Number(settings.text('namespace') ?? 0);
  if (!Number.isSafeInteger(database) || database < 0) {
    throw new BrokerError(`namespace of ${settings.source} must be the number of a database`);
  }
  const isTls = settings.flag('tls') || endpoint.startsWith('rediss:');
  return await StreamConnection.open({
    ...{ host, port: address.port, database },
    user: settings.text('user'),
    password: settings.text('password'),
    tlsName: isTls ? address.host : undefined,
  });
}
