// Builds a node out of its parts. Nothing runs yet: node.ts starts and stops what is built here.
import { randomUUID } from 'node:crypto';
import { buildCluster, type BuiltCluster } from './build-cluster.js';
import { buildEngineContext } from './build-engine-context.js';
import { buildSystemTasks, describeServers } from './build-system-tasks.js';
import { ActiveCallers } from '../access/active-callers.js';
import { buildDefinitionUse, type DefinitionUse } from './build-definition-use.js';
import { buildSealing, type Sealing } from './build-sealing.js';
import { addClusterMetrics } from './cluster-metrics.js';
import { retentionRulesOf, weightsOf } from './settings-checks.js';
import { buildStatistics, type NodeStatistics } from './build-statistics.js';
import type { Settings } from './settings-table.js';
import type { EngineContext } from '../engine/context.js';
import { NodeMonitor } from './node-monitor.js';
import { describeTrouble } from './node-trouble.js';
import type { NodeStores } from './node-stores.js';
import type { Lent } from '../areas/lent.js';
import { createHumanTaskFollower } from '../operation/human/index-human-task.js';
import { defaultOperationLimits, type OperationContext } from '../operation/context.js';
import { ExecutionRoom } from '../operation/execution-room.js';
import { Definitions } from '../operation/definitions/definitions.js';
import { ExecutionChanges } from '../operation/live/execution-changes.js';
import { InboxChanges } from '../operation/live/inbox-changes.js';
import { RecordTables } from '../operation/records/record-tables.js';
import { createEventPublisher, publisherOf } from '../operation/publish-event.js';
import { ParkedPolls } from '../operation/parked-polls.js';
import { HeldQuotas } from '../operation/held-quotas.js';
import { OpenQuotas } from '../operation/open-executions.js';
import { StartQuotas } from '../operation/start-quotas.js';
import { createDerivedStarts } from '../operation/start-derived.js';
import { buildOutboundClient } from './outbound-settings.js';
import { firstPorts, openAreas, type OpenAreas } from './open-areas.js';
import type { LoadedPlugins } from '../plugin/loaded-plugins.js';
import { StoreClock } from '../placement/store-clock.js';
import { PollHub } from '../queue/poll-hub.js';
import { WorkerNotes } from '../queue/worker-notes.js';
import { PollLog } from '../queue/poll-log.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { createSandbox, type SandboxSettings } from '../sandbox/script-sandbox.js';
import { ExecutionHost } from '../shard/execution-host.js';
import type { Executions } from '../shard/executions.js';
import { ExpirySweep } from '../shard/expiry-sweep.js';
import { OwnedShards } from '../shard/owned-shards.js';
import { RecountLoads } from '../shard/recount-loads.js';
import { systemClock } from '../std/clock.js';
import { buildTestNode, type TestNode, type TestParts } from './test-parts.js';
import { EventCounters } from '../telemetry/event-counters.js';
import type { Logger } from '../telemetry/logger.js';
import type { LoopLag } from '../telemetry/loop-lag.js';
import { Metrics } from '../telemetry/metrics.js';
import type { Tracer } from '../telemetry/tracer.js';
import { Tracing } from '../telemetry/tracing.js';

export interface NodeParts {
  readonly settings: Settings;
  readonly nodeId: string;
  readonly log: Logger;
  readonly loopLag: LoopLag;
  readonly stores: NodeStores;
  readonly plugins: LoadedPlugins;
  /** Absent: nobody takes spans. */
  readonly tracer?: Tracer | undefined;
  /** Of a test server. */
  readonly test?: TestParts | undefined;
}

/** A node's parts, none of them started. */
export interface BuiltNode {
  readonly nodeId: string;
  readonly clock: StoreClock;
  readonly metrics: Metrics;
  /** To be called before metrics are written. */
  readonly refreshMetrics: () => Promise<void>;
  readonly monitor: NodeMonitor;
  /** Administrative records; loaded before any service of an area starts. */
  readonly tables: RecordTables;
  readonly sealing: Sealing;
  readonly definitionUse: DefinitionUse;
  readonly activeCallers: ActiveCallers;
  /** The areas with a room of their own, after their first step. */
  readonly rooms: OpenAreas;
  readonly sandbox: Sandbox;
  readonly context: EngineContext;
  readonly definitions: Definitions;
  readonly pollLog: PollLog;
  readonly hub: PollHub;
  readonly executions: ExecutionHost;
  /** Its place among the nodes of the cluster. */
  readonly cluster: BuiltCluster;
  readonly expirySweep: ExpirySweep;
  readonly recountLoads: RecountLoads;
  readonly statistics: NodeStatistics;
  readonly operations: OperationContext;
  /** undefined: no test server. */
  readonly test: TestNode | undefined;
  /** One sentence about what keeps it from serving; undefined while nothing does. */
  readonly trouble: () => string | undefined;
}

export function buildNode(parts: NodeParts): BuiltNode {
  const { settings, nodeId, stores, log, plugins, test } = parts;
  const metrics = new Metrics();
  const monitor = new NodeMonitor(metrics, log);
  const failed = (error: unknown, about?: object): void => monitor.failed(error, about);
  const clock = new StoreClock(systemClock);
  const tables = new RecordTables(stores.records, clock, failed);
  const { secret } = stores;
  const definitions = new Definitions({
    store: stores.definitions,
    clock,
    shownInput: (task) => plugins.taskTypes.get(task.type)?.shownInput(task),
    onLookFailed: failed,
  });
  const sealing = buildSealing(settings, {
    ...{ log, clock, tables, members: () => stores.shards.members() },
  });
  const client = buildOutboundClient(settings);
  const pollLog = new PollLog(stores.pollData, clock, failed);
  const workers = new WorkerNotes(clock);
  const rooms = openAreas({
    ...{ settings, tables, redis: stores.redis },
    ports: firstPorts({
      ...{ settings, log, clock, metrics, failed, tables, stores, definitions },
      secretBox: sealing.box,
      outbound: client,
      brokerKinds: plugins.brokerKinds,
      describeServer: describeServers(settings, plugins),
      vectors: stores.vectors,
    }),
  });
  const { lent } = rooms;
  const definitionUse = buildDefinitionUse(settings, { definitions, tables, lent });
  const context = buildEngineContext(settings, {
    ...{ clock, definitions, pollLog, definitionUse, lent },
    serverTaskTypes: plugins.taskTypes,
    mocks: test?.mocks,
    refuseFork: (...asked) => held.refuseFork(...asked),
  });
  const sandbox = buildSandbox(settings, test && (() => test.scriptWorld()));
  const owned = new OwnedShards();
  const counters = new EventCounters();
  const hub = buildHub(settings, { clock, stores, pollLog, counters, failed });
  const activeCallers = new ActiveCallers(() => systemClock.monotonic());
  const tracing = parts.tracer && new Tracing(parts.tracer, clock);
  const executions = new ExecutionHost({
    tracing,
    sharing: {
      othersThan: (caller) => activeCallers.othersThan(caller),
      longWorkPercentMax: settings.longWorkPercentMax,
      weightOf: weightsOf(settings),
    },
    ...{ clock, sandbox, context, owned, hub, monitor, counters },
    store: stores.executions,
    queues: stores.queues,
    quarantine: stores.quarantine,
    room: stores.memory,
    secret,
    settings: {
      shards: settings.shards,
      actorBytesMax: settings.actorBytesMax,
      commitsPerBatchMax: settings.commitsPerBatchMax,
      retention: retentionRulesOf(settings),
      uncommittedBytesMax: settings.uncommittedBytesMax,
      settleTimeoutMs: settings.settleTimeoutMs,
    },
    handedOut: lent.handedOut,
    fillIds: test?.random?.of('executions'),
  });
  const cluster = buildCluster({
    ...{ settings, nodeId, clock, stores, owned, hub, executions, monitor },
  });
  const routed = cluster.executions;
  const privateFolder = settings.redisUrl === '' ? settings.dataDir : undefined;
  const statistics = buildStatistics({
    ...{ counters, clock, metrics, failed, store: stores.statistics },
    namesMax: settings.metricsNamesMax,
    overdue: () => executions.timers.overdue,
    ...{ nodeId, workers, lag: parts.loopLag.reader() },
    executions: () => executions.cache.count,
    parkedPolls: () => hub.parkedPolls,
  });
  const refused = (quota: string): void => metrics.count('quotaRefusals', quota);
  const quotas = new StartQuotas({ settings, clock, count: refused });
  const open = new OpenQuotas({
    ...{ settings, index: stores.executions.search, clock, count: refused },
  });
  const held = new HeldQuotas({
    ...{ settings, count: refused },
    heldBy: (by, name) => cluster.held.heldBy(by, name),
  });
  const parkedPolls = new ParkedPolls(settings.callerParkedPollsMax, () =>
    refused('callerParkedPollsMax'),
  );
  const operations = buildOperations(settings, {
    ...{ definitionUse, clock, stores, hub, executions: routed, definitions, pollLog },
    ...{ context, minutes: statistics.minutes, quotas, open, held, parkedPolls, sandbox },
    workers,
    tracing,
    startRefused: (kind) => metrics.count('startsRefused', kind),
    randomId: randomIdOf(test),
    lent,
  });
  const { childDepthMax, workflowStatusListenerSink, taskStatusListenerSink } = settings;
  const serverSinks = [workflowStatusListenerSink, taskStatusListenerSink];
  const inbox = new InboxChanges(cluster.topicNotices);
  const systemTasks = buildSystemTasks(settings, {
    ...{ nodeId, clock, stores, executions: routed, client, failed },
    ...{ operations, sandbox, plugins, lent },
  });
  executions.connect({
    executions: routed,
    starts: createDerivedStarts({
      ...{ executions: routed, definitions, childDepthMax, quotas, open, held },
      workflowUse: definitionUse.workflowUse,
    }),
    systemTasks,
    humanTasks: createHumanTaskFollower({
      ...{ store: stores.humanTasks, executions: routed },
      indexed: (taskId, entry) => inbox.changed(taskId, entry),
    }),
    rooms: stores.rooms,
    follower: new ExecutionChanges(cluster.topicNotices),
    events: publisherOf(
      lent.deliveries,
      createEventPublisher({
        eventSink: lent.eventSink,
        requireRight: lent.requirePublishRight,
        ...{ serverSinks, clock },
        eventLifeMs: settings.stateEventSecondsMax * 1000,
      }),
    ),
  });
  addGauges(metrics, { executions, hub, loopLag: parts.loopLag });
  const refreshMetrics = addClusterMetrics(metrics, {
    ...{ hub, owned, stores, clock, settings, failed },
    leadership: cluster.leadership,
  });
  return {
    ...{
      nodeId,
      clock,
      metrics,
      monitor,
      tables,
      sealing,
      definitionUse,
      activeCallers,
      sandbox,
      context,
      definitions,
      pollLog,
      hub,
    },
    ...{ executions, cluster, rooms, statistics, refreshMetrics },
    test:
      test &&
      buildTestNode(test, {
        ...{ clock, executions, failed },
        isRunning: () => systemTasks.running > 0,
      }),
    trouble: () =>
      describeTrouble({ privateFolder, placement: cluster.placement, store: stores.redis }),
    expirySweep: new ExpirySweep({
      ...{ clock, store: stores.executions, owned, outlook: executions.outlook, failed },
      before: lent.beforeRemoval,
    }),
    recountLoads: new RecountLoads({
      ...{ clock, shards: settings.shards, store: stores.held, owned, failed },
      ...{ cache: executions.cache, loads: executions.loads, isWanted: held.isSet },
    }),
    operations,
  };
}

function randomIdOf(test: TestParts | undefined): () => string {
  const random = test?.random;
  return random === undefined ? randomUUID : () => random.uuid('ids');
}

function buildSandbox(settings: Settings, world: SandboxSettings['world']): Sandbox {
  return createSandbox({
    scriptTimeMsMax: settings.scriptTimeMsMax,
    scriptMemoryBytesMax: settings.scriptMemoryBytesMax,
    scriptOutputBytesMax: settings.scriptOutputBytesMax,
    scriptWorkersMax: settings.scriptWorkers,
    valueLimits: settings,
    quotas: settings,
    weightOf: weightsOf(settings),
    clock: systemClock,
    world,
  });
}

function buildHub(
  settings: Settings,
  parts: {
    clock: StoreClock;
    stores: NodeStores;
    pollLog: PollLog;
    counters: EventCounters;
    failed: (error: unknown) => void;
  },
): PollHub {
  const { clock, stores, pollLog, counters, failed } = parts;
  return new PollHub({
    ...{ clock, pollLog, counters, failed },
    store: stores.queues,
    ridesWithCommits: stores.executions.movesRideWithCommits,
    settings: {
      parkedPollsMax: settings.parkedPollsMax,
      readyHeldMax: settings.readyHeldMax,
      provisionalLeaseMs: 5000,
      claimTimeoutMs: 1000,
      popMax: settings.pollCountMax,
    },
  });
}

function buildOperations(
  settings: Settings,
  parts: {
    definitionUse: DefinitionUse;
    clock: StoreClock;
    stores: NodeStores;
    hub: PollHub;
    executions: Executions;
    definitions: Definitions;
    pollLog: PollLog;
    context: EngineContext;
    minutes: OperationContext['minutes'];
    quotas: StartQuotas;
    open: OpenQuotas;
    held: HeldQuotas;
    parkedPolls: ParkedPolls;
    workers: WorkerNotes;
    sandbox: Sandbox;
    tracing: Tracing | undefined;
    startRefused: (kind: string) => void;
    randomId: OperationContext['randomId'];
    lent: Lent;
  },
): OperationContext {
  const { definitionUse, clock, stores, hub, executions, definitions, pollLog } = parts;
  const { payloads, archive, removeFiles, hidingSecrets, access, waitingCallers } = parts.lent;
  return {
    ...{ payloads, archive, removeFiles },
    ...{ access, taskUse: definitionUse.taskUse, waiting: waitingCallers },
    executions,
    startQuotas: parts.quotas,
    openQuotas: parts.open,
    heldQuotas: parts.held,
    scriptsHeldBy: (share) => parts.sandbox.heldBy(share),
    parkedPolls: parts.parkedPolls,
    room: new ExecutionRoom({ rooms: stores.rooms, engine: parts.context, clock }),
    taskQueues: hub,
    executionIndex: stores.executions,
    queueStore: stores.queues,
    pollData: pollLog,
    workers: parts.workers,
    taskLogs: hidingSecrets(stores.taskLogs),
    ...{ definitions, minutes: parts.minutes },
    clock,
    tracing: parts.tracing,
    startRefused: parts.startRefused,
    randomId: parts.randomId,
    limits: {
      ...defaultOperationLimits,
      workflowInputBytesMax: settings.workflowPayloadBytesMax,
      values: settings,
      pollCountMax: settings.pollCountMax,
      waitSecondsMax: settings.waitSecondsMax,
      childDepthMax: settings.childDepthMax,
    },
  };
}

function addGauges(
  metrics: Metrics,
  parts: { executions: ExecutionHost; hub: PollHub; loopLag: LoopLag },
): void {
  const { executions, hub, loopLag } = parts;
  metrics.gauge('executionsInMemory', () => executions.cache.count);
  metrics.gauge('quarantinedExecutions', () => executions.quarantine.count);
  metrics.gauge('executionBytes', () => executions.cache.bytes);
  metrics.gauge('parkedPolls', () => hub.parkedPolls);
  metrics.gauge('uncommittedBytes', () => executions.uncommittedBytes);
  metrics.gauge('armedWakeUps', () => executions.timers.armed);
  metrics.collectProcess(loopLag);
}
