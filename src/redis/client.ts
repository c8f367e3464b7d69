// Connections to Redis (invariants 7.3 and 7.4): no offline queue, no automatic re-send, no
// retries. One ordered connection for commits, one for queues, one for everything else and one for
// subscriptions; each is a Redis client of one server, of Sentinel, or of a cluster. An answer that
// did not come is an unclear outcome, never sent again from here.
//
// Where replicas have to confirm what is acknowledged (level D1 of invariants section 2), each
// write on the connections for commits and queues is followed by WAIT, in the same packet: on
// another connection, or on one made anew after a failover, WAIT would speak of other writes. Too
// few confirmations in time are an unclear outcome: the write stands, and may be undone. WAITAOF
// does the same for what the primary and its replicas have on disk (barrier.ts).
import { Cluster, Redis } from 'ioredis';
import { sleep, systemClock } from '../std/clock.js';
import { Connection } from './connection.js';
import {
  askFirstHost,
  connectTimeoutMs,
  createClient,
  hasSeveralHosts,
  isCluster,
  watchFailovers,
  type Client,
  type ClientSettings,
  type RedisTls,
} from './create-client.js';
import { isClosed, toStoreError } from './errors.js';
import type { FailoverWatch } from './failover-watch.js';
import { Keys } from './keys.js';
import { KnownQueues } from './known-queues.js';
import { LoadingWatch } from './loading-watch.js';

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

const answerTimeoutMs = 10_000;
/** How long a connection is tried for at the beginning. */
const giveUpMs = 15_000;
const connectAgainMs = 250;
/** Pause after a subscription that was refused. */
const subscribeAgainMs = 1000;
const warmUpEveryMs = 50;

/** All connections of a node. */
export class RedisClient {
  readonly keys: Keys;
  readonly knownQueues = new KnownQueues();
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
   * Writes that need no order with commits wait here as well.
   */
  readonly confirmedReads: Connection;
  readonly #subscriber: Client;
  readonly #channels = new Set<string>();
  readonly #loading: LoadingWatch | undefined;
  readonly #clients: Client[];
  readonly #failovers: FailoverWatch | undefined;
  readonly #stateListeners: ((up: boolean) => void)[] = [];
  #up = false;
  #isEnded = false;
  #newestError: Error | undefined;
  #newestTime = 0;
  /** Store time less the monotonic clock, without the offset of tests. */
  #aheadMs: number | undefined;

  constructor(private readonly settings: RedisSettings) {
    this.keys = new Keys(settings.prefix, settings.partitions);
    this.isCluster = isCluster(settings.url);
    this.#clients = ['commits', 'queues', 'reads', 'subscriber'].map((name) =>
      createClient(this.#clientSettings(name)),
    );
    const [commits, queues, reads, subscriber] = this.#clients as [Client, Client, Client, Client];
    const { waitReplicas: replicas = 0, waitReplicasMs: timeoutMs = 1000 } = settings;
    const { waitAof: onDisk = false } = settings;
    const markKey = (tag: string): string => this.keys.mark(tag);
    const confirmation =
      replicas === 0 && !onDisk ? undefined : { replicas, onDisk, timeoutMs, markKey };
    this.commits = new Connection(commits, this.isCluster, { confirmation });
    this.ownership = new Connection(commits, this.isCluster);
    this.queues = new Connection(queues, this.isCluster, { confirmation });
    this.reads = new Connection(reads, this.isCluster, { gathers: true });
    const confirmed = { confirmation, confirmsReads: true };
    this.confirmedReads = new Connection(reads, this.isCluster, confirmed);
    this.#subscriber = subscriber;
    if (subscriber instanceof Redis) subscriber.on('ready', () => void this.#subscribeAgain());
    this.#failovers = watchFailovers(this.#clientSettings('subscriber'), this.#clients);
    this.#loading = reads instanceof Redis ? new LoadingWatch(reads) : undefined;
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
   * again until then; a store that loads its data is waited for.
   */
  async connect(): Promise<void> {
    this.#failovers?.start();
    const giveUp = setInterval(() => this.isLoading || this.disconnect(), giveUpMs);
    try {
      await Promise.all(this.#clients.map((client) => client.connect()));
      for (const client of this.#clients) if (client instanceof Cluster) await warmUp(client);
    } catch (error) {
      this.disconnect();
      throw toStoreError(this.#newestError ?? (await this.#askedFirstHost()) ?? error);
    } finally {
      clearInterval(giveUp);
    }
    this.#watch();
  }

  disconnect(): void {
    this.#isEnded = true;
    this.#failovers?.stop();
    for (const client of this.#clients) client.disconnect();
  }

  /** Redis answers, and reads its data from disk; of a cluster this is not known. */
  get isLoading(): boolean {
    return this.#loading?.isLoading ?? false;
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

  /** Which process answers for a key; undefined when it does not say. */
  async processOf(key: string): Promise<string | undefined> {
    const info = String(await this.reads.callAt(key, 'INFO', 'server'));
    return /^run_id:(\S+)/m.exec(info)?.[1];
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
    this.#channels.add(channel);
  }

  /**
   * After a reconnect. A Redis that refuses the channels, or goes again meanwhile, costs messages
   * only; who listens reads what it may have missed.
   */
  async #subscribeAgain(): Promise<void> {
    if (this.#channels.size === 0) return;
    try {
      await this.#subscriber.subscribe(...this.#channels);
    } catch (error) {
      this.#failed(error as Error);
      if (this.#subscriber.status !== 'ready') return;
      setTimeout(() => void this.#subscribeAgain(), subscribeAgainMs).unref();
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
