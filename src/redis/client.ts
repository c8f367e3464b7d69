// Connections to Redis (invariants 7.3 and 7.4): no offline queue, no automatic re-send, no
// retries. One ordered connection for commits, one for queues, one for everything else and one for
// subscriptions; each is a Redis client of one server, of Sentinel, or of a cluster. An answer that
// did not come is an unclear outcome, never sent again from here.
//
// Where replicas have to confirm what is acknowledged (level D1 of invariants section 2), each
// write on the connections for commits and queues is followed by WAIT, in the same packet: on
// another connection, or on one made anew after a failover, WAIT would speak of other writes. Too
// few confirmations in time are an unclear outcome: the write stands, and may be undone. WAITAOF
// does the same for what the primary and its replicas have on disk.
import { Cluster, type Redis } from 'ioredis';
import { ClusterRoute } from './cluster-route.js';
import { encodedCall, type Argument } from './encoded-call.js';
import {
  askFirstHost,
  connectTimeoutMs,
  createClient,
  hasSeveralHosts,
  isCluster,
  type Client,
  type ClientSettings,
  type RedisTls,
} from './create-client.js';
import { isClosed, isNoScript, toStoreError } from './errors.js';
import { sleep, systemClock } from '../std/clock.js';
import { StoreError } from '../store/execution-store.js';
import { Keys } from './keys.js';
import type { Script } from './script.js';

export interface RedisSettings {
  /** Its forms: ClientSettings. */
  readonly url: string;
  readonly tls?: RedisTls | undefined;
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
  /** The primary and these replicas have to have it on disk (WAITAOF); default false. */
  readonly waitAof?: boolean;
}

/** Replicas that have to confirm a write, whether on disk, and how long they may take. */
interface Barrier {
  readonly replicas: number;
  readonly onDisk: boolean;
  readonly timeoutMs: number;
}

/** A script call of a pipelined write. */
export interface ScriptCall {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly Argument[];
}

const answerTimeoutMs = 10_000;
/** How long a connection is tried for at the beginning. */
const giveUpMs = 15_000;
const connectAgainMs = 250;
const warmUpEveryMs = 50;

/** Sends at once; returns a promise of the answer. */
type Sender = (server: Redis) => unknown;

/** Commands that change nothing: no replica has to confirm them. */
const readCommands = new Set(['GET', 'HGET', 'HMGET', 'EXISTS', 'ZRANGE', 'ZSCORE', 'SMEMBERS']);
/** Commands about a server, or for all of a cluster: any server takes them. */
const keylessCommands = new Set(['TIME', 'INFO', 'CONFIG', 'PUBLISH', 'WAIT', 'WAITAOF']);

/** Their key follows the name of a subcommand. */
const subcommanded = new Set(['MEMORY']);

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
    args: readonly Argument[],
    send: (server: Client) => unknown,
  ): Promise<unknown> {
    const key = args[subcommanded.has(command) ? 1 : 0];
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

async function behindBarrier(server: Redis, send: Sender, barrier: Barrier): Promise<unknown> {
  const { replicas, onDisk, timeoutMs } = barrier;
  const [sent, waited] = await Promise.allSettled([
    send(server),
    onDisk
      ? server.call('WAITAOF', 1, replicas, timeoutMs)
      : server.call('WAIT', replicas, timeoutMs),
  ]);
  if (sent.status === 'rejected') throw sent.reason;
  const [files, confirmed] = confirmations(waited);
  if (files >= (onDisk ? 1 : 0) && confirmed >= replicas) return sent.value;
  const who =
    onDisk && files === 0 ? 'No file of Redis' : `${confirmed} of ${replicas} replicas of Redis`;
  throw new StoreError('unclear', `${who} confirmed a write in ${timeoutMs} ms`);
}

/** Of files of the primary and of replicas; WAIT answers with replicas alone. */
function confirmations(waited: PromiseSettledResult<unknown>): readonly [number, number] {
  if (waited.status === 'rejected') return [0, 0];
  const { value } = waited;
  return Array.isArray(value) ? [Number(value[0]), Number(value[1])] : [0, Number(value)];
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
  #isEnded = false;
  #newestError: Error | undefined;
  #newestTime = 0;

  constructor(private readonly settings: RedisSettings) {
    this.keys = new Keys(settings.prefix, settings.partitions);
    this.isCluster = isCluster(settings.url);
    this.#clients = ['commits', 'queues', 'reads', 'subscriber'].map((name) =>
      createClient(this.#clientSettings(name)),
    );
    const [commits, queues, reads, subscriber] = this.#clients as [Client, Client, Client, Client];
    const { waitReplicas: replicas = 0, waitReplicasMs: timeoutMs = 1000 } = settings;
    const { waitAof: onDisk = false } = settings;
    const barrier = replicas === 0 && !onDisk ? undefined : { replicas, onDisk, timeoutMs };
    this.commits = new Connection(commits, this.isCluster, barrier);
    this.ownership = new Connection(commits, this.isCluster);
    this.queues = new Connection(queues, this.isCluster, barrier);
    this.reads = new Connection(reads, this.isCluster);
    this.confirmedReads = new Connection(reads, this.isCluster, barrier, true);
    this.#subscriber = subscriber;
    for (const client of this.#clients) {
      // Errors reach callers as rejections and the state listeners; this listener keeps the library
      // from printing them.
      client.on('error', (error: Error) => this.#failed(error));
      client.on('ready', () => this.#watch());
      client.on('close', () => this.#watch());
      client.on('end', () => this.#connectAgain(client));
    }
  }

  /**
   * Connects; rejects with StoreError, which says what the server or the network said last, when
   * the store cannot be used or does not answer in time. Sentinel and clusters are asked again and
   * again until then.
   */
  async connect(): Promise<void> {
    const giveUp = setTimeout(() => this.disconnect(), giveUpMs);
    try {
      await Promise.all(this.#clients.map((client) => client.connect()));
      for (const client of this.#clients) if (client instanceof Cluster) await warmUp(client);
    } catch (error) {
      this.disconnect();
      throw toStoreError(this.#newestError ?? (await this.#askedFirstHost()) ?? error);
    } finally {
      clearTimeout(giveUp);
    }
    this.#watch();
  }

  disconnect(): void {
    this.#isEnded = true;
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

  /** Store time, epoch ms: never earlier than an answer before (invariants M11). */
  async now(): Promise<number> {
    const reply = (await this.reads.call('TIME')) as [string, string];
    const time = Number(reply[0]) * 1000 + Math.floor(Number(reply[1]) / 1000) + this.timeOffsetMs;
    this.#newestTime = Math.max(this.#newestTime, time);
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

  /** That a connection is closed follows from what was said before. */
  #failed(error: Error): void {
    if (!isClosed(error)) this.#newestError = error;
    this.#watch();
  }

  async #askedFirstHost(): Promise<Error | undefined> {
    const { url } = this.settings;
    return hasSeveralHosts(url) ? await askFirstHost(this.#clientSettings('reads')) : undefined;
  }

  #clientSettings(name: string): ClientSettings {
    const { url, tls, prefix, answerTimeoutMs: timeoutMs = answerTimeoutMs } = this.settings;
    return {
      ...{ url, tls, connectionName: `${prefix}-${name}` },
      answerTimeoutMs: name === 'subscriber' ? undefined : timeoutMs,
    };
  }

  /** The library gives a connection up when it breaks while it is being made. */
  #connectAgain(client: Client): void {
    setTimeout(() => {
      // A failure is told to the listeners; an end that follows from it comes here again.
      if (!this.#isEnded) client.connect().catch(() => undefined);
    }, connectAgainMs).unref();
  }

  #watch(): void {
    const up = this.#clients.every((client) => client.status === 'ready');
    if (up === this.#up) return;
    this.#up = up;
    for (const listener of this.#stateListeners) listener(up);
  }
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
