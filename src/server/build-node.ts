// Builds a node out of its parts, in order: the foundation of executions, the place in the cluster,
// the executions of this node, the whole cluster, the operations on it. Each part is given all that
// it needs when it is built; test/structure/ports.test.ts names the two exceptions. Nothing runs
// yet: node.ts starts and stops the parts.
import type { EngineContext } from '../engine/context.js';
import type { OperationContext } from '../operation/context.js';
import type { PollHub } from '../queue/poll-hub.js';
import type { ExecutionHost } from '../shard/execution-host.js';
import { ExpirySweep } from '../shard/expiry-sweep.js';
import { RecountLoads } from '../shard/recount-loads.js';
import type { SystemTaskRunner } from '../system-task/system-task-runner.js';
import type { LoopLag } from '../telemetry/loop-lag.js';
import type { Metrics } from '../telemetry/metrics.js';
import { Tracing } from '../telemetry/tracing.js';
import { buildCluster, joinCluster, type BuiltCluster } from './build-cluster.js';
import { buildEngineContext } from './build-engine-context.js';
import { buildHost, buildHub } from './build-executions.js';
import { buildFoundation, type Foundation } from './build-foundation.js';
import { buildOperations } from './build-operations.js';
import { buildQuotas, type Quotas } from './build-quotas.js';
import { buildStatistics, type NodeStatistics } from './build-statistics.js';
import { addClusterMetrics } from './cluster-metrics.js';
import { connectExecutions } from './connect-executions.js';
import type { NodeParts } from './node-parts.js';
import { describeTrouble } from './node-trouble.js';
import { buildTestNode, type TestNode } from './test-parts.js';

/** A node's parts, none of them started. */
export interface BuiltNode extends Foundation {
  readonly nodeId: string;
  readonly metrics: Metrics;
  /** To be called before metrics are written. */
  readonly refreshMetrics: () => Promise<void>;
  readonly context: EngineContext;
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
  const { settings, nodeId, stores, metrics } = parts;
  const foundation = buildFoundation(parts);
  const { clock, monitor, failed, peers } = foundation;
  const place = joinCluster({ settings, nodeId, clock, stores, failed, peers });
  const quotas = buildQuotas(settings, { clock, metrics, stores, exchange: place.held });
  const context = contextOf(parts, foundation, quotas);
  const tracing = parts.tracer && new Tracing(parts.tracer, clock);
  const hub = buildHub(parts, foundation);
  const host = buildHost(parts, foundation, { place, context, hub, tracing });
  const cluster = buildCluster({ settings, clock, stores, place, hub, executions: host, monitor });
  const statistics = statisticsOf(parts, foundation, { host, hub });
  const operations = buildOperations(parts, foundation, {
    executions: cluster.executions,
    ...{ hub, context, quotas, tracing, minutes: statistics.minutes },
  });
  const work = { host, cluster, operations, quotas };
  const systemTasks = connectExecutions(parts, foundation, work);
  addGauges(metrics, { executions: host, hub, loopLag: parts.loopLag });
  const { owned, leadership } = place;
  return {
    ...foundation,
    ...{ nodeId, metrics, context, hub, cluster, statistics, operations, executions: host },
    ...sweepsOf(parts, foundation, work),
    refreshMetrics: addClusterMetrics(metrics, {
      ...{ hub, owned, stores, clock, settings, failed, leadership },
    }),
    test: testNodeOf(parts, foundation, { host, systemTasks }),
    trouble: troubleOf(parts, cluster),
  };
}

function contextOf(
  { settings, plugins, test }: NodeParts,
  { clock, definitions, pollLog, definitionUse, rooms }: Foundation,
  { held }: Quotas,
): EngineContext {
  return buildEngineContext(settings, {
    ...{ clock, definitions, pollLog, definitionUse, lent: rooms.lent },
    serverTaskTypes: plugins.taskTypes,
    mocks: test?.mocks,
    refuseFork: (...asked) => held.refuseFork(...asked),
  });
}

function statisticsOf(
  { settings, nodeId, stores, metrics, loopLag }: NodeParts,
  { counters, clock, failed, workers }: Foundation,
  { host, hub }: { host: ExecutionHost; hub: PollHub },
): NodeStatistics {
  return buildStatistics({
    ...{ counters, clock, metrics, failed, store: stores.statistics },
    namesMax: settings.metricsNamesMax,
    overdue: () => host.timers.overdue,
    ...{ nodeId, workers, lag: loopLag.reader() },
    executions: () => host.cache.count,
    parkedPolls: () => hub.parkedPolls,
  });
}

/** The jobs that go over all executions of this node's shards. */
function sweepsOf(
  { settings, stores }: NodeParts,
  { clock, failed, rooms }: Foundation,
  { host, cluster, quotas }: { host: ExecutionHost; cluster: BuiltCluster; quotas: Quotas },
): Pick<BuiltNode, 'expirySweep' | 'recountLoads'> {
  const { owned } = cluster;
  const { held } = quotas;
  return {
    expirySweep: new ExpirySweep({
      ...{ clock, store: stores.executions, owned, outlook: host.outlook, failed },
      before: rooms.lent.beforeRemoval,
    }),
    recountLoads: new RecountLoads({
      ...{ clock, shards: settings.shards, store: stores.held, owned, failed },
      ...{ cache: host.cache, loads: cluster.loads, isWanted: held.isSet },
    }),
  };
}

function testNodeOf(
  { test }: NodeParts,
  { clock, failed }: Foundation,
  { host, systemTasks }: { host: ExecutionHost; systemTasks: SystemTaskRunner },
): TestNode | undefined {
  const isRunning = (): boolean => systemTasks.running > 0;
  return test && buildTestNode(test, { clock, executions: host, failed, isRunning });
}

function troubleOf(
  { settings, stores }: NodeParts,
  { placement }: BuiltCluster,
): () => string | undefined {
  const privateFolder = settings.redisUrl === '' ? settings.dataDir : undefined;
  return () => describeTrouble({ privateFolder, placement, store: stores.redis });
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
