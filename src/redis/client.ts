// Connections to Redis (invariants 7.3 and 7.4): no offline queue, no automatic re-send, no
// retries. One ordered connection for commits, one for queues, one for everything else and one for
// subscriptions; each is a Redis client of one server, of Sentinel, or of a cluster. An answer that
// did not come is an unclear outcome, never sent again from here.
//
// Where replicas have to confirm what is acknowledged (level D1 of invariants section 2), each
// write on the connections for commits and queues is followed by WAIT, in the same packet: on
// another connection, or on one made anew after a failover, WAIT would speak of other writes. Too
// few confirmations in time are an unclear outcome: the write stands, and may be undone.
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { ClusterRoute } from './cluster-route.js';
import { encodedCall, type Argument } from './encoded-call.js';
import { isNoScript, toStoreError } from './errors.js';
import { sleep, systemClock } from '../std/clock.js';
import { StoreError } from '../store/execution-store.js';
import { Keys } from './keys.js';
import { parseHosts } from './redis-hosts.js';
import type { Script } from './script.js';

export interface RedisSettings {
  /**
   * `redis://user:password@host:6379/0`, `rediss://...`, `unix:/path`,
   * `redis-sentinel://host:26379,host2:26379/name` or `redis-cluster://host:7000,host2:7001`.
   */
  readonly url: string;
  readonly prefix: string;
  /** Slots that the shards are spread over, as the keyspace was created with; default 16. */
  readonly partitions?: number;
  /** Offset of test time in ms; 0 outside tests (invariants M11). */
  readonly timeOffsetMs?: () => number;
  /** Calls that got no answer for so long break the connection; default 10 s. */
  readonly answerTimeoutMs?: number;
  /** Replicas that have to confirm a write before it is acknowledged; default 0: none. */
  readonly waitReplicas?: number;
  /** How long they may take, ms; default 1000. */
  readonly waitReplicasMs?: number;
}

/** Replicas that have to confirm a write, and how long they may take. */
interface Barrier {
  readonly replicas: number;
  readonly timeoutMs: number;
}

type Client = Redis | Cluster;
/** The library's options in the form its constructor takes under exact optional properties. */
type Options = Omit<RedisOptions, 'replyMapping'> & { replyMapping: 'legacy' };

/** A script call of a pipelined write. */
export interface ScriptCall {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly Argument[];
}

const answerTimeoutMs = 10_000;
const connectTimeoutMs = 5_000;
const reconnectDelayMsMax = 500;
const warmUpEveryMs = 50;
/**
 * While the store loads its data it is asked again so often; its own estimate of the time left is
 * mostly far too long.
 */
const loadingRetryMs = 100;

/** Sends at once; returns a promise of the answer. */
type Sender = (server: Redis) => unknown;

/** Commands that change nothing: no replica has to confirm them. */
const readCommands = new Set(['GET', 'HGET', 'HMGET', 'EXISTS', 'ZRANGE', 'ZSCORE', 'SMEMBERS']);
/** Commands about a server, or for all of a cluster: any server takes them. */
const keylessCommands = new Set(['TIME', 'INFO', 'CONFIG', 'PUBLISH']);

/** One ordered connection. Every method rejects with StoreError only. */
export class Connection {
  readonly #route: ClusterRoute | undefined;

  /** `barrier`: what every write waits for besides its answer. */
  constructor(
    readonly client: Client,
    readonly isCluster: boolean,
    private readonly barrier?: Barrier,
    /** Reads wait as well. */
    private readonly confirmsReads = false,
  ) {
    this.#route = isCluster ? new ClusterRoute(client as Cluster) : undefined;
  }

  /**
   * Runs a script once; bulk replies come as Buffers. NOSCRIPT proves that nothing ran, so the
   * source is then sent.
   */
  async run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    try {
      return await this.#write(keys[0], (server) =>
        server.sendCommand(encodedCall('EVALSHA', script.sha, keys, args)),
      );
    } catch (error) {
      if (!isNoScript(error)) throw toStoreError(error);
    }
    return await this.runInOrder(script, keys, args);
  }

  /**
   * Runs a script, sending its source: what is sent later on this connection is carried out later,
   * also by a store that does not know the script.
   */
  async runInOrder(
    script: Pick<Script, 'source'>,
    keys: readonly string[],
    args: readonly Argument[],
  ): Promise<unknown> {
    try {
      return await this.#write(keys[0], (server) =>
        server.sendCommand(encodedCall('EVAL', script.source, keys, args)),
      );
    } catch (error) {
      throw toStoreError(error);
    }
  }

  /** Sends to the server of the key, and waits for its replicas where that is set. */
  #write(key: string | undefined, send: Sender): unknown {
    const { barrier } = this;
    if (barrier === undefined) return this.#send(key, send);
    return this.#send(key, (server) => behindBarrier(server, send, barrier));
  }

  /** Sends to the server of the key. */
  #send(key: string | undefined, send: Sender): unknown {
    if (this.#route === undefined) return send(this.client as Redis);
    return this.#route.send(key ?? '', send);
  }

  /**
   * Sends scripts as one write, in order; each has its own outcome, the first failure rejects after
   * all have answered.
   */
  async runAll(calls: readonly ScriptCall[]): Promise<unknown[]> {
    const single = calls[0];
    if (calls.length === 1 && single)
      return [await this.run(single.script, single.keys, single.args)];
    return await this.#together(calls.map((c) => () => this.run(c.script, c.keys, c.args)));
  }

  /** One command with text replies. Its first argument is the key that decides where it goes. */
  async call(command: string, ...args: Argument[]): Promise<unknown> {
    return await this.#command(command, args, (server) => server.call(command, ...args));
  }

  /** One command with Buffers as bulk replies; the key comes first. */
  async callBuffer(command: string, ...args: Argument[]): Promise<unknown> {
    return await this.#command(command, args, (server) => server.callBuffer(command, ...args));
  }

  async #command(
    command: string,
    [key]: readonly Argument[],
    send: (server: Client) => unknown,
  ): Promise<unknown> {
    try {
      if (keylessCommands.has(command)) return await send(this.client);
      if (!this.confirmsReads && readCommands.has(command))
        return await this.#send(String(key), send);
      return await this.#write(String(key), send);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  /** Commands as one write; replies in order, bulk replies as Buffers. */
  async callAll(commands: readonly (readonly [string, ...Argument[]])[]): Promise<unknown[]> {
    return await this.#together(
      commands.map(
        ([name, ...args]) =>
          () =>
            this.callBuffer(name, ...args),
      ),
    );
  }

  /**
   * Everything sent in one turn of the event loop leaves in one packet: the socket is corked
   * meanwhile.
   */
  async #together(sends: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
    const stream = this.isCluster ? undefined : (this.client as Redis).stream;
    stream?.cork();
    const replies = sends.map((send) => send());
    if (stream) process.nextTick(() => stream.uncork());
    const settled = await Promise.allSettled(replies);
    return settled.map((result) => {
      if (result.status === 'rejected') throw toStoreError(result.reason);
      return result.value as unknown;
    });
  }

  get isReady(): boolean {
    return this.client.status === 'ready';
  }
}

async function behindBarrier(
  server: Redis,
  send: Sender,
  { replicas, timeoutMs }: Barrier,
): Promise<unknown> {
  const [sent, waited] = await Promise.allSettled([
    send(server),
    server.call('WAIT', replicas, timeoutMs),
  ]);
  if (sent.status === 'rejected') throw sent.reason;
  const confirmed = waited.status === 'rejected' ? 0 : Number(waited.value);
  if (confirmed >= replicas) return sent.value;
  throw new StoreError(
    'unclear',
    `${confirmed} of ${replicas} replicas of Redis confirmed a write in ${timeoutMs} ms`,
  );
}

/** All connections of a node. */
export class RedisClient {
  readonly keys: Keys;
  readonly isCluster: boolean;
  readonly commits: Connection;
  /**
   * The same connection as `commits`, for owner records: no replica has to confirm them. One that a
   * failover undoes is refused by the fence (invariants M1).
   */
  readonly ownership: Connection;
  readonly queues: Connection;
  readonly reads: Connection;
  /**
   * The same connection as `reads`, for what is acknowledged because it is read: a write whose
   * outcome was unclear stands, and a failover may still undo it, until the replicas have it too.
   */
  readonly confirmedReads: Connection;
  readonly #subscriber: Client;
  readonly #clients: Client[];
  readonly #stateListeners: ((up: boolean) => void)[] = [];
  #up = false;
  #newestTime = 0;
  /** Store time less the monotonic clock, without the offset of tests. */
  #aheadMs: number | undefined;

  constructor(private readonly settings: RedisSettings) {
    this.keys = new Keys(settings.prefix, settings.partitions);
    this.isCluster = settings.url.startsWith('redis-cluster:');
    this.#clients = ['commits', 'queues', 'reads', 'subscriber'].map((name) =>
      createClient(settings, name),
    );
    const [commits, queues, reads, subscriber] = this.#clients as [Client, Client, Client, Client];
    const { waitReplicas: replicas = 0, waitReplicasMs: timeoutMs = 1000 } = settings;
    const barrier = replicas === 0 ? undefined : { replicas, timeoutMs };
    this.commits = new Connection(commits, this.isCluster, barrier);
    this.ownership = new Connection(commits, this.isCluster);
    this.queues = new Connection(queues, this.isCluster, barrier);
    this.reads = new Connection(reads, this.isCluster);
    this.confirmedReads = new Connection(reads, this.isCluster, barrier, true);
    this.#subscriber = subscriber;
    for (const client of this.#clients) {
      // Errors reach callers as rejections and the state listeners; this listener keeps the library
      // from printing them.
      client.on('error', () => this.#watch());
      client.on('ready', () => this.#watch());
      client.on('close', () => this.#watch());
    }
  }

  /**
   * Connects; rejects with StoreError when the store does not answer within the connect time limit.
   */
  async connect(): Promise<void> {
    try {
      await Promise.all(this.#clients.map((client) => client.connect()));
      for (const client of this.#clients) if (client instanceof Cluster) await warmUp(client);
    } catch (error) {
      this.disconnect();
      throw toStoreError(error);
    }
    this.#watch();
  }

  disconnect(): void {
    for (const client of this.#clients) client.disconnect();
  }

  /** All connections stand. */
  get isUp(): boolean {
    return this.#up;
  }

  /** Called when the store is lost and when it is back. */
  onState(listener: (up: boolean) => void): void {
    this.#stateListeners.push(listener);
  }

  get timeOffsetMs(): number {
    return this.settings.timeOffsetMs?.() ?? 0;
  }

  /**
   * Store time without a question, epoch ms: by the newest answer, and by the clock of this machine
   * before there is one.
   */
  get estimatedNow(): number {
    const own = this.#aheadMs === undefined ? Date.now() : performance.now() + this.#aheadMs;
    return Math.floor(own + this.timeOffsetMs);
  }

  /** Store time, epoch ms: never earlier than an answer before (invariants M11). */
  async now(): Promise<number> {
    const reply = (await this.reads.call('TIME')) as [string, string];
    const time = Number(reply[0]) * 1000 + Math.floor(Number(reply[1]) / 1000);
    this.#aheadMs = time - performance.now();
    this.#newestTime = Math.max(this.#newestTime, time + this.timeOffsetMs);
    return this.#newestTime;
  }

  /**
   * Resolves once the subscription stands; it is renewed after a reconnect. Messages meanwhile are
   * lost.
   */
  async subscribe(channel: string, listener: (message: Buffer) => void): Promise<void> {
    this.#subscriber.on('messageBuffer', (from: Buffer, message: Buffer) => {
      if (from.toString() === channel) listener(message);
    });
    try {
      await this.#subscriber.subscribe(channel);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  #watch(): void {
    const up = this.#clients.every((client) => client.status === 'ready');
    if (up === this.#up) return;
    this.#up = up;
    for (const listener of this.#stateListeners) listener(up);
  }
}

function createClient(settings: RedisSettings, name: string): Client {
  const common: Options = {
    replyMapping: 'legacy',
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableReadyCheck: true,
    maxLoadingRetryTime: loadingRetryMs,
    protocol: 2,
    noDelay: true,
    connectTimeout: connectTimeoutMs,
    connectionName: `${settings.prefix}-${name}`,
    disableClientInfo: true,
    retryStrategy: (times) => Math.min(times * 25, reconnectDelayMsMax),
  };
  if (name !== 'subscriber') common.socketTimeout = settings.answerTimeoutMs ?? answerTimeoutMs;
  const { url } = settings;
  if (url.startsWith('unix:'))
    return new Redis({ ...common, path: url.replace(/^unix:(\/\/)?/, '') });
  if (url.startsWith('redis-sentinel:')) return new Redis({ ...common, ...sentinelOptions(url) });
  if (url.startsWith('redis-cluster:')) return clusterClient(url, common);
  return new Redis(url, common);
}

/**
 * The client of a cluster is ready before its connections to the primaries are, and may close those
 * that it made at first under the first commands: each has to answer before any other use.
 */
async function warmUp(cluster: Cluster): Promise<void> {
  const giveUpAt = systemClock.monotonic() + connectTimeoutMs;
  for (;;) {
    try {
      await Promise.all(cluster.nodes('master').map((server) => server.ping()));
      return;
    } catch (error) {
      if (systemClock.monotonic() > giveUpAt) throw error;
      await sleep(systemClock, warmUpEveryMs);
    }
  }
}

function sentinelOptions(
  url: string,
): Pick<RedisOptions, 'sentinels' | 'name' | 'password' | 'username'> {
  const parsed = parseHosts(url, 26379);
  return {
    sentinels: parsed.hosts,
    name: parsed.path,
    ...(parsed.password === undefined ? {} : { password: parsed.password }),
    ...(parsed.username === undefined ? {} : { username: parsed.username }),
  };
}

function clusterClient(url: string, common: Options): Cluster {
  const parsed = parseHosts(url, 6379);
  return new Cluster(parsed.hosts, {
    lazyConnect: true,
    enableOfflineQueue: false,
    // A redirect proves that nothing ran; everything else is never sent again.
    maxRedirections: 4,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 0,
    redisOptions: {
      ...common,
      ...(parsed.password === undefined ? {} : { password: parsed.password }),
      ...(parsed.username === undefined ? {} : { username: parsed.username }),
    },
    clusterRetryStrategy: (times) => Math.min(times * 25, reconnectDelayMsMax),
  });
}
