// A connection to a Redis that is a message broker: streams with consumer groups. It has nothing to
// do with the store of the deployment. Nothing is sent again from here; when the connection is lost
// every call rejects and the connection is done with.
import { Redis } from 'ioredis';

export interface StreamServer {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  /** The name that the certificate must be for; undefined: without TLS. */
  readonly tlsName: string | undefined;
}

export interface StreamEntry {
  readonly id: string;
  /** Names and values as one list; empty when the entry was deleted from the stream. */
  readonly fields: readonly string[];
}

export interface StreamGroup {
  readonly stream: string;
  readonly group: string;
  readonly consumer: string;
}

const connectTimeoutMs = 5000;

export class StreamConnection {
  private constructor(private readonly client: Redis) {}

  /** Rejects with the client's error when the server does not answer. */
  static async open(server: StreamServer): Promise<StreamConnection> {
    const { host, port, user, password, database, tlsName } = server;
    const client = new Redis({
      ...{ host, port, db: database, connectTimeout: connectTimeoutMs },
      ...(user === undefined ? {} : { username: user }),
      ...(password === undefined ? {} : { password }),
      ...(tlsName === undefined ? {} : { tls: { servername: tlsName } }),
      replyMapping: 'legacy',
      protocol: 2,
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      disableClientInfo: true,
      retryStrategy: () => null,
    });
    // Errors reach callers as rejections; this listener keeps the library from printing them.
    let lastError: Error | undefined;
    client.on('error', (error: Error) => (lastError = error));
    try {
      await client.connect();
    } catch (error) {
      client.disconnect();
      throw lastError ?? error;
    }
    return new StreamConnection(client);
  }

  /** Makes the group at the beginning of the stream, and the stream, unless they are there. */
  async ensureGroup({ stream, group }: StreamGroup, from: '0' | '$'): Promise<void> {
    try {
      await this.client.call('XGROUP', 'CREATE', stream, group, from, 'MKSTREAM');
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('BUSYGROUP'))) throw error;
    }
  }

  /**
   * Up to `count` entries: those that the consumer took and did not acknowledge, after an id, or
   * new ones (`>`), for which it waits up to `waitMs`.
   */
  async read(
    { stream, group, consumer }: StreamGroup,
    after: string,
    { count, waitMs }: { count: number; waitMs: number },
  ): Promise<StreamEntry[]> {
    const block = after === '>' ? ['BLOCK', waitMs] : [];
    const reply = (await this.client.call(
      'XREADGROUP',
      ...['GROUP', group, consumer, 'COUNT', count, ...block, 'STREAMS', stream, after],
    )) as [string, [string, string[] | null][]][] | null;
    const entries = reply?.[0]?.[1] ?? [];
    return entries.map(([id, fields]) => ({ id, fields: fields ?? [] }));
  }

  async acknowledge({ stream, group }: StreamGroup, id: string): Promise<void> {
    await this.client.call('XACK', stream, group, id);
  }

  /** Appends an entry; resolves with its id. */
  async append(stream: string, fields: readonly string[]): Promise<string> {
    return (await this.client.call('XADD', stream, '*', ...fields)) as string;
  }

  /** Calls under way reject. */
  close(): void {
    this.client.disconnect();
  }
}
