// Makes the Redis client of one connection: of one server, of Sentinel or of a cluster, each with
// or without TLS. client.ts tells their common part: no offline queue, no re-send.
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { PrimaryConnector, ServerConnector } from './connectors.js';
import { FailoverWatch } from './failover-watch.js';
import { parseHosts, type Hosts } from './redis-hosts.js';

export type Client = Redis | Cluster;

/** Texts in PEM. */
export interface RedisTls {
  /** Trusted instead of the system's authorities. */
  readonly ca?: string;
  /** Certificate chain and key that this client shows; both or none. */
  readonly cert?: string;
  readonly key?: string;
}

export interface ClientSettings {
  /**
   * `redis://user:password@host:6379/0`, `unix:/path`, `redis-sentinel://host:26379,host2/name` or
   * `redis-cluster://host:7000,host2:7001`; with TLS `rediss` in place of `redis`.
   */
  readonly url: string;
  /** With TLS; default: the system's authorities, no certificate of its own. */
  readonly tls?: RedisTls | undefined;
  readonly connectionName: string;
  /** A call without an answer for this long closes the connection; undefined: no call does. */
  readonly answerTimeoutMs: number | undefined;
}

/** The library's options in the form its constructor takes under exact optional properties. */
type Options = Omit<RedisOptions, 'replyMapping'> & { replyMapping: 'legacy' };

export const connectTimeoutMs = 5_000;
const reconnectDelayMsMax = 500;
/**
 * While the store loads its data it is asked again so often; its own estimate of the time left is
 * mostly far too long.
 */
const loadingRetryMs = 100;

export function createClient(settings: ClientSettings): Client {
  const common = commonOptions(settings);
  const { url } = settings;
  if (url.startsWith('unix:')) {
    return new Redis({ ...common, path: url.replace(/^unix:(\/\/)?/, '') });
  }
  if (isSentinel(url)) return sentinelClient(url, common);
  if (isCluster(url)) return clusterClient(url, common);
  return new Redis(url, common);
}

/** Watches the failovers of `clients`; undefined where there are no Sentinels. */
export function watchFailovers(
  settings: ClientSettings,
  clients: readonly Client[],
): FailoverWatch | undefined {
  const { url } = settings;
  if (!isSentinel(url)) return undefined;
  const { hosts, path } = parseHosts(url, 26379);
  const common = { ...commonOptions(settings), enableReadyCheck: false };
  const sentinels = hosts.map((host) => new Redis({ ...common, ...host }));
  return new FailoverWatch(path, sentinels, clients as readonly Redis[]);
}

/**
 * The error of the first server or Sentinel of several, or of the network on the way to it, which
 * the library does not pass on. undefined: it answers.
 */
export async function askFirstHost(settings: ClientSettings): Promise<Error | undefined> {
  const { url } = settings;
  const ofSentinel = isSentinel(url);
  const parsed = parseHosts(url, ofSentinel ? 26379 : 6379);
  const [first] = parsed.hosts;
  const client = new Redis({
    ...commonOptions(settings),
    ...first,
    ...(ofSentinel ? {} : credentialsOf(parsed)),
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  let found: Error | undefined;
  client.on('error', (error) => (found = error));
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    found ??= error as Error;
  } finally {
    client.disconnect();
  }
  return found;
}

export function hasSeveralHosts(url: string): boolean {
  return isSentinel(url) || isCluster(url);
}

function isSentinel(url: string): boolean {
  return /^rediss?-sentinel:/.test(url);
}

export function isCluster(url: string): boolean {
  return /^rediss?-cluster:/.test(url);
}

function commonOptions({ url, tls, connectionName, answerTimeoutMs }: ClientSettings): Options {
  return {
    Connector: ServerConnector,
    replyMapping: 'legacy',
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableReadyCheck: true,
    // The library would leave a refusal to nobody, which ends the process; client.ts subscribes.
    autoResubscribe: false,
    maxLoadingRetryTime: loadingRetryMs,
    protocol: 2,
    noDelay: true,
    connectTimeout: connectTimeoutMs,
    connectionName,
    disableClientInfo: true,
    retryStrategy: (times) => Math.min(times * 25, reconnectDelayMsMax),
    ...(answerTimeoutMs === undefined ? {} : { socketTimeout: answerTimeoutMs }),
    ...(/^rediss(-|:)/.test(url) ? { tls: { ...tls } } : {}),
  };
}

/** Sentinels are reached as the servers are: with TLS or without it. */
function sentinelClient(url: string, { tls, ...common }: Options): Redis {
  const parsed = parseHosts(url, 26379);
  return new Redis({
    ...common,
    ...credentialsOf(parsed),
    Connector: PrimaryConnector,
    sentinels: parsed.hosts,
    name: parsed.path,
    ...(tls === undefined ? {} : { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
  });
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
    redisOptions: { ...common, ...credentialsOf(parsed) },
    clusterRetryStrategy: (times) => Math.min(times * 25, reconnectDelayMsMax),
  });
}

function credentialsOf({ username, password }: Hosts): Pick<Options, 'username' | 'password'> {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
}
