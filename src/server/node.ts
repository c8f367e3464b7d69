// Starts and stops a node. Its parts are built in build-node.ts and build-api.ts.
//
// Start: the API listens first (503 until the node serves) while the private Redis, launched
// before, reads its file; then connections, definitions, shards. Stop, in reverse: long polls are
// answered, the API drains and closes, what is decided is written, shards are handed over,
// connections close, the private Redis ends.
import { ErrorAnswers } from '../api/errors.js';
import type { ApiHandler, ApiRequest, HttpServerSettings } from '../api/http-server.js';
import { TrustedProxies } from '../api/client-address.js';
import { begin } from '../api/http-limits.js';
import { compressing } from '../api/compress.js';
import { createHttpServer } from '../api/server.js';
import { createStartingApi } from '../api/starting.js';
import { buildApi, type BuiltApi } from './build-api.js';
import { buildNode, type BuiltNode } from './build-node.js';
import type { Settings } from './settings-table.js';
import { openStores, type NodeStores } from './node-stores.js';
import { openTracer } from './open-tracer.js';
import { loadPlugins } from './load-plugins.js';
import { storeWarnings } from '../redis/store-warnings.js';
import type { LaunchedStore } from '../redis/launch-store.js';
import { sleep, systemClock } from '../std/clock.js';
import { HealthLog } from './health-log.js';
import type { SupervisorChannel } from './processes/siblings.js';
import { StopStack } from './stop-stack.js';
import { TestParts, type TestSetup } from './test-parts.js';
import type { Logger } from '../telemetry/logger.js';
import { LoopLag } from '../telemetry/loop-lag.js';
import { Metrics } from '../telemetry/metrics.js';
import { Watchdog } from '../telemetry/watchdog.js';

export interface RunningNode {
  readonly port: number;
  /** Drains, writes what is decided, hands over, ends the private Redis. */
  stop(): Promise<void>;
  /** Name of the part that is being stopped; '' before and after. */
  readonly stoppingPart: string;
}

export interface SharedPort {
  /** The supervisor of the processes that share the port. */
  readonly supervisor: SupervisorChannel;
  /** See ProcessSeat. */
  readonly listensEarly: boolean;
}

export interface NodeOptions {
  readonly settings: Settings;
  readonly log: Logger;
  /** Launched already; the node ends it. */
  readonly store: LaunchedStore;
  /** Other processes of the same start listen on the same port. */
  readonly shared?: SharedPort;
  /** Breaks off a start. */
  readonly stopping: AbortSignal;
  /** Puts something between the node and its stores; for tests. */
  readonly wrapStores?: ((stores: NodeStores) => NodeStores) | undefined;
  /** A test server (test-parts.ts). */
  readonly test?: TestSetup | undefined;
}

/**
 * Starts a node; resolves once it serves. Rejects when it cannot; what was started by then has been
 * ended.
 */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { log, store } = options;
  const stops = new StopStack((error) => log.error({ err: error }, 'a part did not stop'));
  stops.push('the private Redis', () => store.stop());
  try {
    const port = await start(options, stops);
    return {
      port,
      stop: () => stops.stop(),
      get stoppingPart() {
        return stops.current;
      },
    };
  } catch (error) {
    await stops.stop();
    throw error;
  }
}

async function start(options: NodeOptions, stops: StopStack): Promise<number> {
  const { settings, log, store, stopping, wrapStores = (stores) => stores } = options;
  const metrics = new Metrics();
  const loopLag = new LoopLag();
  loopLag.start();
  stops.push('measuring', () => loopLag.stop());
  const nodeId = settings.nodeId === '' ? store.folder.nodeId : settings.nodeId;
  // Beside the store; the await below sees a failure.
  const loading = loadPlugins(settings, log);
  loading.catch(() => undefined);
  const errors = new ErrorAnswers(nodeId, log);
  const api = await listen(options, errors, stops);
  const test = options.test && new TestParts(options.test);
  const stores = wrapStores(
    await openStores(settings, store, {
      ...{ stops, stopping, ...test?.storeParts },
      answered: (ms) => metrics.observe('redisSeconds', ms / 1e3),
    }),
  );
  for (const sentence of storeWarnings(settings, stores)) log.warn(sentence);
  const plugins = await loading;
  const tracer = await openTracer(plugins, { nodeId, log, stops });
  const node = buildNode({
    settings,
    nodeId,
    log,
    loopLag,
    metrics,
    stores,
    plugins,
    tracer,
    test,
  });
  const supervisor = options.shared?.supervisor;
  const built = buildApi({ settings, log, errors, stores, node, plugins, supervisor });
  const watchdog = new Watchdog({
    blockedMsMax: settings.loopBlockedMsMax,
    note: node.executions.note,
    isSilent: settings.logLevel === 'silent',
    failed: (error) => log.error({ err: error }, 'the watchdog failed'),
  });
  stops.push('the watchdog', () => watchdog.stop());
  await run(node, { stores, built, stops, log });
  stopping.throwIfAborted();
  const handler = node.test === undefined ? built.handler : node.test.watched(built.handler);
  const port = await api.serve(compressing(handler, settings));
  await watchdog.start();
  stops.push('running requests', () => api.close(settings.drainMs));
  stops.push('long polls', () => node.hub.close());
  stops.push('health', async () => {
    api.leave();
    node.cluster.placement.prepareToLeave();
    await sleep(systemClock, settings.leaveNoticeMs);
  });
  return port;
}

interface ListeningApi {
  /** Requests are answered by this handler from now on; resolves with the port. */
  serve(handler: ApiHandler): Promise<number>;
  /** Each answer is the last one of its connection from now on. */
  leave(): void;
  close(drainMs: number): Promise<void>;
}

/**
 * Listens, and answers 503 until there is something to serve. Where other processes serve on the
 * port it listens only then.
 */
async function listen(
  { settings, log, shared }: NodeOptions,
  errors: ErrorAnswers,
  stops: StopStack,
): Promise<ListeningApi> {
  let current = createStartingApi(errors);
  const proxies = new TrustedProxies(settings.trustedProxies);
  const server = await createHttpServer(
    settings.httpServer as 'auto' | 'uws' | 'node',
    {
      host: settings.host,
      port: settings.port,
      sharesPort: shared !== undefined,
      bodyBytesMax: settings.bodyBytesMax,
      headerBytesMax: settings.headerBytesMax,
      connectionsMax: settings.connectionsMax,
      ...tlsOf(settings),
      streamBytesUnsentMax: settings.streamBytesUnsentMax,
      bodyPermits: {
        bytesMax: settings.unfinishedBodyBytesMax,
        strangersMax: settings.strangerBodiesMax,
      },
      addressOf: (request) =>
        proxies.clientOf(request.remoteAddress, request.header('x-forwarded-for')),
    },
    Object.assign((request: ApiRequest) => current(request), {
      begin: (request: ApiRequest) => begin(current, request, settings),
    }),
    (message) => log.warn(message),
  );
  stops.push('the HTTP server', () => server.close(0));
  let port = shared?.listensEarly === false ? undefined : await server.listen();
  return {
    async serve(handler) {
      current = handler;
      return (port ??= await server.listen());
    },
    leave: () => server.leave(),
    close: (drainMs) => server.close(drainMs),
  };
}

/** Starts everything behind the API, in order. */
async function run(
  node: BuiltNode,
  {
    stores,
    built,
    stops,
    log,
  }: { stores: NodeStores; built: BuiltApi; stops: StopStack; log: Logger },
): Promise<void> {
  const { sandbox, definitions, tables, pollLog, cluster, executions, hub, expirySweep } = node;
  const { recountLoads } = node;
  const { minutes, overdue, reporter } = node.statistics;
  const { entrance, confirmation } = node.sealing.protection(
    node.rooms.lent.administrators.hasIdentities,
  );
  const { network, placement, leadership, notices } = cluster;
  stops.push('user scripts', () => sandbox.stop());
  await stops.start([definitions, node.sealing.keys, tables, pollLog, minutes]);
  await stops.start([entrance]);
  const healthLog = new HealthLog(node.trouble, log, systemClock);
  stores.redis.onState((up) => {
    if (!up) placement.lost(new Error('the connection to the store was lost'));
    healthLog.tell();
  });
  await stops.start([network, placement, confirmation, leadership, notices]);
  stops.push('what is not yet written', () => executions.drain());
  await stops.start([...executions.services, overdue, hub.leaseEnds, expirySweep]);
  await stops.start([cluster.held, recountLoads]);
  await stops.start([node.sealing.renewal, ...built.services]);
  if (node.test !== undefined) await stops.start([node.test.auto]);
  await stops.start([reporter, healthLog]);
}

function tlsOf({ tlsCertFile, tlsKeyFile }: Settings): Pick<HttpServerSettings, 'tls'> {
  return tlsCertFile === '' ? {} : { tls: { certFile: tlsCertFile, keyFile: tlsKeyFile } };
}
