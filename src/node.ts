// Composition root: builds a node out of its parts and starts and stops them in order. No logic of
// its own.
//
// Start: the API listens first (503 until the node serves) while the private Redis, launched
// before, reads its file; then connections, definitions, shards. Stop: long polls are answered, the
// API drains and closes, what is decided is written, shards are handed over, connections close, the
// private Redis ends.
import { randomBytes, randomUUID } from 'node:crypto';
import { createApi } from './api/api.js';
import { ErrorAnswers } from './api/errors.js';
import { Administration } from './administration.js';
import { buildAreas } from './areas.js';
import { RecordTables } from './operation/records/record-tables.js';
import { RedisRecordStore } from './redis/record-store.js';
import type { ApiHandler } from './api/http-server.js';
import { allRoutes } from './api/routes.js';
import { createHttpServer } from './api/server.js';
import { createStartingApi } from './api/starting.js';
import type { Plant, Settings } from './config.js';
import type { EngineContext } from './engine/context.js';
import { createConfigurationCheck } from './engine/check-configuration.js';
import { Retention } from './leader/retention.js';
import type { WorkflowRules } from './model/validate-workflow-def.js';
import { defaultOperationLimits, type OperationContext } from './operation/context.js';
import { Definitions } from './operation/definitions/definitions.js';
import { TaskDefinitions } from './operation/definitions/task-definitions.js';
import { WorkflowDefinitions } from './operation/definitions/workflow-definitions.js';
import { startDerived } from './operation/start-derived.js';
import { Placement } from './placement/placement.js';
import { StoreClock } from './placement/store-clock.js';
import { PollHub } from './queue/poll-hub.js';
import { PollLog } from './queue/poll-log.js';
import type { LaunchedStore } from './redis/launch-store.js';
import { openStore } from './redis/open-store.js';
import { RedisDefinitionStore } from './redis/definition-store.js';
import { RedisEventQueueStore } from './redis/event-queue-store.js';
import { RedisExecutionStore } from './redis/execution-store.js';
import { RedisPollDataStore } from './redis/poll-data-store.js';
import { RedisQueueStore } from './redis/queue-store.js';
import { RedisShardStore } from './redis/shard-store.js';
import { RedisTaskLogStore } from './redis/task-log-store.js';
import { checkSyntax } from './sandbox/check-syntax.js';
import { createSandbox } from './sandbox/script-sandbox.js';
import { MessageDelivery } from './shard/message-delivery.js';
import { QueueAudit } from './shard/queue-audit.js';
import { Shards } from './shard/shards.js';
import { systemClock } from './std/clock.js';
import { defaultOutboundSettings, OutboundClient } from './system-task/outbound-client.js';
import { systemTaskTypes } from './system-task/list.js';
import { createSystemTasks, defaultRunLimits } from './system-task/system-task-runner.js';
import type { Logger } from './telemetry/logger.js';
import { LoopLag } from './telemetry/loop-lag.js';
import { Metrics } from './telemetry/metrics.js';
import { version } from './version.js';

export interface RunningNode {
  readonly port: number;
  /** Drains, writes what is decided, hands over, ends the private Redis. */
  stop(): Promise<void>;
}

export interface NodeParts {
  readonly settings: Settings;
  readonly plant: Plant | undefined;
  readonly log: Logger;
  /** Launched already; the node ends it. */
  readonly store: LaunchedStore;
  /** Breaks off a start. */
  readonly stopping: AbortSignal;
}

/**
 * Starts a node; resolves once it serves. Rejects when it cannot; what was started by then has been
 * ended.
 */
export async function startNode(parts: NodeParts): Promise<RunningNode> {
  const { log } = parts;
  const stops: (() => Promise<unknown>)[] = [() => parts.store.stop()];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) {
      await one().catch((error: unknown) => log.error({ err: error }, 'a part did not stop'));
    }
  };
  try {
    return { port: await start(parts, stops), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(parts: NodeParts, stops: (() => Promise<unknown>)[]): Promise<number> {
  const { settings, plant, log, stopping } = parts;
  const failed = (error: unknown): void => log.warn({ err: error }, 'a part reported an error');
  if (plant !== undefined) {
    log.warn(
      `the fault ${plant} is planted (DOWNBEAT_PLANT): this server loses work, for tests only`,
    );
  }
  const metrics = new Metrics();
  const loopLag = new LoopLag();
  loopLag.start();
  stops.push(async () => loopLag.stop());
  let serving = false;

  const nodeId = settings.nodeId === '' ? parts.store.folder.nodeId : settings.nodeId;
  const errors = new ErrorAnswers(nodeId, log);
  let handle: ApiHandler = createStartingApi(errors);
  const server = await createHttpServer(
    settings.httpServer as 'auto' | 'uws' | 'node',
    {
      host: settings.host,
      port: settings.port,
      bodyBytesMax: settings.bodyBytesMax,
      headerBytesMax: settings.headerBytesMax,
      connectionsMax: settings.connectionsMax,
    },
    (request) => handle(request),
    (message, cause) => log.warn({ err: cause }, message),
  );
  const port = await server.listen();
  stops.push(() => server.close(0));

  const store = await openStore(settings, parts.store, stops);
  const { redis } = store;
  const clock = new StoreClock(systemClock);
  const executions = new RedisExecutionStore(redis, settings.shards);
  const queues = new RedisQueueStore(redis);
  const tables = new RecordTables(new RedisRecordStore(redis), clock, failed);
  const administration = new Administration({
    settings,
    log,
    clock,
    tables,
    secret: () => placement.secret,
  });
  const { access, authenticate, ownership } = administration;
  const definitions = new Definitions({
    store: new RedisDefinitionStore(redis),
    clock,
    shownInput: (task) => systemTaskTypes.get(task.type)?.shownInput(task),
    onLookFailed: failed,
  });
  const pollLog = new PollLog(new RedisPollDataStore(redis), clock, failed);
  const sandbox = createSandbox({
    scriptTimeMsMax: settings.scriptTimeMsMax,
    scriptMemoryBytesMax: settings.scriptMemoryBytesMax,
    scriptOutputBytesMax: settings.scriptOutputBytesMax,
    scriptWorkersMax: settings.scriptWorkers,
    clock: systemClock,
  });
  stops.push(() => sandbox.stop());

  const placement: Placement = new Placement({
    clock,
    store: new RedisShardStore(redis),
    node: {
      nodeId,
      bootId: randomBytes(8).toString('hex'),
      address: `${settings.host}:${settings.port}`,
      peerAddress: '',
    },
    shards: settings.shards,
    executions: () => shards,
    serving: (isServing, why) => {
      serving = isServing;
      if (isServing) log.info('serving');
      else {
        metrics.count('storeLost');
        log.warn({ err: why }, 'not serving: the store is away or another owner appeared');
      }
    },
    failed,
  });
  const context = engineContext(settings, clock, definitions, pollLog, administration);
  const shards: Shards = new Shards({
    clock,
    store: executions,
    queues,
    sandbox,
    settings: {
      shards: settings.shards,
      actorBytesMax: settings.actorBytesMax,
      commitsPerBatchMax: settings.commitsPerBatchMax,
      retentionMs: settings.retentionSeconds * 1000,
      uncommittedBytesMax: settings.uncommittedBytesMax,
      settleTimeoutMs: settings.settleTimeoutMs,
      plantReplyBeforeCommit: plant === 'reply-before-commit',
      plantPushNotRepeated: plant === 'push-not-repeated',
    },
    hub: () => hub,
    context: () => context,
    systemTasks: (all) =>
      createSystemTasks({
        clock: systemClock,
        limits: { ...defaultRunLimits, runsMax: settings.systemTasksAtOnceMax },
        secrets: administration.secretHandOut.lookupFor,
        failed,
        services: {
          access,
          executions: all,
          clock,
          eventQueues: new RedisEventQueueStore(redis, {
            messagesMax: 10_000,
            ageMsMax: 86_400_000,
          }),
          client: new OutboundClient(
            {
              ...defaultOutboundSettings,
              allowInside: settings.outboundAllowInside,
              allowedHosts: settings.outboundAllowedHosts,
              responseBytesMax: settings.outboundResponseBytesMax,
            },
            systemClock,
          ),
          requestTimeMsMax: defaultOutboundSettings.requestTimeMsMax,
          instance: nodeId,
        },
      }),
    delivery: (all) =>
      new MessageDelivery({
        clock,
        startDerived: (id, request, { actor, taskNumber, isChild }) =>
          startDerived(
            { executions: all, definitions, childDepthMax: settings.childDepthMax },
            { id, request, sender: actor, taskNumber, isChild },
          ),
        command: async (id, command) => {
          await all.command(id, command, { awaitDelivery: true });
        },
        failed,
      }),
    fenceOf: (shard) => placement.fenceOf(shard),
    ownedShards: () => placement.ownedShards,
    secret: () => placement.secret,
    startsRefused: () => store.memory.refusal(),
    resolveSecrets: administration.secretHandOut.inTaskJson,
    lost: (error) => placement.lost(error),
    measured: (size, gateMs) => {
      metrics.observe('commitBatchSize', size);
      metrics.observe('gateWaitMs', gateMs);
    },
    count: (metric, label) => countOf(metrics, metric, label),
    failed,
  });
  const hub: PollHub = new PollHub({
    clock,
    store: queues,
    owner: shards.handOut,
    pollLog,
    currentBatch: () => shards.groupCommit.sequence,
    settings: {
      parkedPollsMax: settings.parkedPollsMax,
      offerHoldMs: settings.offerHoldMs,
      offersHeldMax: 10_000,
      provisionalLeaseMs: 5000,
      claimTimeoutMs: 1000,
      popMax: settings.pollCountMax,
    },
    failed,
  });
  gauges(metrics, shards, hub, loopLag);
  const audit = new QueueAudit({
    clock,
    queues,
    // A planted fault would be repaired.
    shards: () => (plant === 'push-not-repeated' ? [] : placement.ownedShards),
    openIds: (shard, offset, limit) => executions.open(shard, offset, limit),
    inMemory: (id) => shards.residency.peek(id),
    read: (shard, id) => executions.load(shard, id),
    actorOf: (id) => shards.actorOf(id),
    requeue: (actor, task) => shards.handOut.requeue(actor, task),
    endLease: (attempt) => shards.handOut.leaseEnded(attempt),
    count: (repair) => metrics.count('queueRepairs', repair),
    failed,
  });

  const rules: WorkflowRules = {
    ownerEmailRequired: settings.ownerEmailRequired,
    namesChecked: settings.nameValidation,
    environmentNames: new Set(settings.environmentNames),
    checkConfiguration: createConfigurationCheck(systemTaskTypes, {
      checkSyntax,
      taskDef: (name) => definitions.taskDef(name),
    }),
  };
  const operations: OperationContext = {
    access,
    executions: shards,
    taskQueues: hub,
    executionIndex: executions,
    queueStore: queues,
    pollData: pollLog,
    taskLogs: administration.hiding(
      new RedisTaskLogStore(redis, settings.shards, {
        linesMax: settings.logLinesPerTaskMax,
        lifeMs: settings.retentionSeconds * 1000,
      }),
    ),
    definitions,
    clock,
    randomId: randomUUID,
    limits: {
      ...defaultOperationLimits,
      workflowInputBytesMax: settings.workflowPayloadBytesMax,
      pollCountMax: settings.pollCountMax,
      waitSecondsMax: settings.waitSecondsMax,
      childDepthMax: settings.childDepthMax,
    },
  };
  const areas = buildAreas({
    settings,
    log,
    clock,
    redis,
    tables,
    operations,
    access,
    administration,
  });
  const routes = allRoutes({
    context: operations,
    rules,
    state: {
      isHealthy: () => serving,
      healthDetails: () => ({ durability: store.durability, node: nodeId }),
      metrics: () => metrics.text(),
      version,
    },
    settings: () => ({ version, shards: settings.shards, durability: store.durability }),
    metadata: {
      workflows: new WorkflowDefinitions({ definitions, clock, rules, access, ownership }),
      tasks: new TaskDefinitions({ definitions, clock, rules, access, ownership }),
    },
    messagesServed: settings['service.workflow-message-queue.enabled'],
    simulation: { sandbox, engine: context },
    search: executions.search,
  });
  const api = createApi([...routes, ...areas.endpoints], {
    errors,
    access,
    ...(authenticate === undefined ? {} : { authenticate }),
    json: { depthMax: settings.jsonDepthMax, keysMax: settings.jsonKeysMax },
    observe: (_method, pattern, status, milliseconds) => {
      metrics.count('requests', `${pattern ?? 'unknown'} ${status}`);
      metrics.observe('requestMs', milliseconds);
    },
  });

  await definitions.start();
  stops.push(() => definitions.stop());
  await administration.keys.start();
  stops.push(() => administration.keys.stop());
  await tables.start();
  stops.push(() => tables.stop());
  await pollLog.start();
  stops.push(() => pollLog.stop());
  await placement.start();
  store.redis.onState((up) => {
    if (!up) placement.lost(new Error('the connection to the store was lost'));
  });
  stops.push(() => placement.stop());
  stops.push(() => shards.drain());
  await shards.wakeUps.start();
  stops.push(() => shards.wakeUps.stop());
  await hub.leaseEnds.start();
  stops.push(() => hub.leaseEnds.stop());
  await audit.start();
  stops.push(() => audit.stop());
  const retention = new Retention({
    clock,
    store: executions,
    ownedShards: () => placement.ownedShards,
    fenceOf: (shard) => placement.fenceOf(shard),
    failed,
  });
  await retention.start();
  stops.push(() => retention.stop());
  for (const service of areas.services) {
    await service.start();
    stops.push(() => service.stop());
  }
  stopping.throwIfAborted();
  handle = api;
  stops.push(
    () => server.close(settings.drainMs),
    async () => hub.close(),
  );
  return port;
}

/** What the engine may know; `now` is read at each step. */
function engineContext(
  settings: Settings,
  clock: StoreClock,
  definitions: Definitions,
  pollLog: PollLog,
  administration: Administration,
): EngineContext {
  const readable = new Set(settings.environmentNames);
  const environment = (name: string): string | undefined =>
    readable.has(name) ? process.env[name] : undefined;
  return {
    get now() {
      return clock.now();
    },
    definitions,
    limits: {
      tasksPerExecutionMax: settings.tasksPerExecutionMax,
      executionBytesMax: settings.executionBytesMax,
      childDepthMax: settings.childDepthMax,
      itemsPerStepMax: settings.itemsPerStepMax,
      variablesBytesMax: settings.variablesBytesMax,
      taskPayloadBytesMax: settings.taskPayloadBytesMax,
      workflowPayloadBytesMax: settings.workflowPayloadBytesMax,
      messagesMax: settings.messagesMax,
      objectsInText: settings.objectsInText as 'json' | 'java',
    },
    activeDomain: (taskType, domains) => pollLog.activeDomain(taskType, domains),
    serverTaskTypes: systemTaskTypes,
    environment,
    environmentVariable: (name) => administration.environment.get(name) ?? environment(name),
    get secrets() {
      return administration.secretRules;
    },
  };
}

function countOf(metrics: Metrics, metric: string, label: string): void {
  if (metric === 'commits_refused_fence') metrics.count('refusedByFence');
  else if (metric === 'commits_refused_chain') metrics.count('refusedByChain');
  else if (metric === 'assertions_failed') metrics.count('assertionsFailed', label);
  else if (metric === 'lease_ends') metrics.count('leaseEnds');
  else metrics.count('engineCount', metric);
}

function gauges(metrics: Metrics, shards: Shards, hub: PollHub, loopLag: LoopLag): void {
  metrics.gauge('loopLagMs', () => loopLag.take());
  metrics.gauge('executionsInMemory', () => shards.residency.count);
  metrics.gauge('executionBytes', () => shards.residency.bytes);
  metrics.gauge('parkedPolls', () => hub.parkedPolls);
  metrics.gauge('uncommittedBytes', () => shards.uncommittedBytes);
  metrics.gauge('armedWakeUps', () => shards.wakeUps.armed);
  metrics.gauge('residentMemoryBytes', () => process.memoryUsage.rss());
}
