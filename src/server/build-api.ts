// Builds the API of a node: every endpoint with what it serves.
import path from 'node:path';
import type { ActiveCallers } from '../access/active-callers.js';
import {
  createApi,
  type AccessEntry,
  type ApiParts as HandlerParts,
  type Authenticate,
} from '../api/api.js';
import { requestObserver } from '../api/request-metrics.js';
import { withApiDocs } from '../api/description/api-docs.js';
import type { AccessRule, Endpoint } from '../api/endpoint.js';
import type { ErrorAnswers } from '../api/errors.js';
import type { ApiHandler } from '../api/http-server.js';
import { TrustedProxies } from '../api/client-address.js';
import { LargeBodies } from '../api/large-bodies.js';
import type { NodeState, ProcessState } from '../api/node-state.js';
import { pageErrorRoutes } from '../api/page-errors.js';
import { pluginRoutes } from '../api/plugin-routes.js';
import { withResources } from '../api/described-resources.js';
import { rightsRoutes } from '../api/rights.js';
import { withFeatures, type ServerFeatures } from '../api/features.js';
import { createHandbook, firstOf } from '../api/handbook.js';
import { createPage } from '../api/page.js';
import { allRoutes, type MetadataOperations, type RouteParts } from '../api/routes.js';
import { buildAreas } from './areas.js';
import type { BuiltNode } from './build-node.js';
import { buildPluginAreas, refuseCollisions } from './build-plugin-areas.js';
import { testPrompts } from './build-system-tasks.js';
import type { BuiltAreas } from '../areas/area.js';
import { Siblings, type SupervisorChannel } from './processes/siblings.js';
import type { Settings } from './settings-table.js';
import { createConfigurationCheck } from '../engine/check-configuration.js';
import type { JsonMap } from '../model/json.js';
import type { WorkflowRules } from '../model/validate-workflow-def.js';
import type { NodeStores } from './node-stores.js';
import { DefinitionWarnings } from '../operation/definitions/definition-warnings.js';
import { TaskDefinitions } from '../operation/definitions/task-definitions.js';
import { NameClaims } from '../operation/definitions/name-claims.js';
import { WorkflowDefinitions } from '../operation/definitions/workflow-definitions.js';
import { createExecutionTexts, type ExecutionTexts } from '../operation/search/execution-texts.js';
import type { LoadedPlugins } from '../plugin/loaded-plugins.js';
import { viewPlugins } from '../plugin/plugin-view.js';
import { checkSyntax } from '../sandbox/check-syntax.js';
import { systemClock } from '../std/clock.js';
import { jobsOn, silentLoops } from '../std/job.js';
import type { Service } from '../std/service.js';
import type { Logger } from '../telemetry/logger.js';
import { createJobCounts, shownJobs } from './jobs-shown.js';
import { testRoutes } from './test-routes.js';
import { buildDate, version } from './version.js';
import { isSecure, weightsOf } from './settings-checks.js';

export interface ApiParts {
  readonly settings: Settings;
  readonly log: Logger;
  readonly errors: ErrorAnswers;
  readonly stores: NodeStores;
  readonly node: BuiltNode;
  readonly plugins: LoadedPlugins;
  /** Absent: this process is the only one of its start. */
  readonly supervisor?: SupervisorChannel | undefined;
}

export interface BuiltApi {
  readonly handler: ApiHandler;
  /** Started once the shards are served. */
  readonly services: readonly Service[];
}

/** Areas, definitions and routes in order, then the handler that serves them. */
export function buildApi(parts: ApiParts): BuiltApi {
  const { settings, log, node } = parts;
  const rules = rulesOf(parts);
  const areas = areasOf(parts, rules);
  const texts = textsOf(parts);
  const definitions = buildDefinitions(parts, rules);
  const state = buildNodeState(parts, areas);
  addGauges(parts);
  const added = buildPluginAreas({
    ...{ plugins: parts.plugins.used, log, clock: node.clock, tables: node.tables },
    ...{ client: node.outbound, leadership: node.cluster.leadership, settings },
  });
  const own = [
    ...allRoutes(routePartsOf(parts, { rules, texts, definitions, state })),
    ...pageErrorRoutes({
      log,
      count: (kind) => node.metrics.count('pageErrors', kind),
      monotonic: () => systemClock.monotonic(),
    }),
    ...rightsRoutes(node.operations.access),
    ...pluginRoutes(() => viewPlugins(parts.plugins)),
    ...areas.endpoints,
    ...(node.test === undefined ? [] : testRoutes(node.test, node.operations.executions)),
  ];
  refuseCollisions(own, added.endpoints);
  const endpoints = completed(parts, [...own, ...added.endpoints]);
  const json = { depthMax: settings.jsonDepthMax, keysMax: settings.jsonKeysMax };
  const large = new LargeBodies(
    { json, values: node.context.limits, keptBytesMax: settings.taskPayloadBytesMax },
    (error) => log.error({ err: error }, 'the thread for large bodies has failed'),
    weightsOf(settings),
  );
  return {
    handler: buildHandler(parts, { endpoints, json, large }),
    services: [...areas.services, ...added.services, texts, large],
  };
}

/** The rules that definitions of workflows are held to. */
function rulesOf({ settings, node, plugins }: ApiParts): WorkflowRules {
  return {
    ownerEmailRequired: settings.ownerEmailRequired,
    namesChecked: settings.nameValidation,
    environmentNames: new Set(settings.environmentNames),
    checkConfiguration: createConfigurationCheck(plugins.taskTypes, {
      checkSyntax,
      taskDef: (name) => node.definitions.taskDef(name),
    }),
  };
}

function areasOf({ settings, stores, node, plugins }: ApiParts, rules: WorkflowRules): BuiltAreas {
  const { clock, operations, definitionUse, rooms, sandbox, cluster, outbound: client } = node;
  return buildAreas({
    ...{ settings, clock, redis: stores.redis, stores, operations, rules },
    ...{ definitionUse, rooms, sandbox },
    leadership: cluster.leadership,
    topicNotices: cluster.topicNotices,
    nodeId: node.nodeId,
    testPrompt: testPrompts(plugins, { client, clock, lent: rooms.lent }),
  });
}

function textsOf({ settings, log, stores, node }: ApiParts): ExecutionTexts {
  return createExecutionTexts(stores.executions.search, {
    ...{ clock: node.clock, feed: stores.executionFeed },
    bytesMax: settings.searchTextBytesMax,
    failed: (error) => log.warn({ err: error }, 'the text index is built again'),
  });
}

function buildDefinitions(
  { log, stores, node, plugins }: ApiParts,
  rules: WorkflowRules,
): MetadataOperations {
  const { clock, definitions, operations, definitionUse, rooms } = node;
  const { access } = operations;
  const { taskUse, workflowUse } = definitionUse;
  const { definitionOwnership: ownership, resourceTags: tags } = rooms.lent;
  const warn = (message: string): void => log.warn(message);
  const parts = {
    ...{ definitions, clock, rules, access, ownership, tags, taskUse, workflowUse },
    claims: new NameClaims({
      ...{ access, definitions, clock },
      executions: stores.executions.search,
      queues: stores.queues,
      humanTasks: stores.humanTasks,
      randomId: operations.randomId,
    }),
    warnings: new DefinitionWarnings({ absence: (type) => plugins.absence(type), warn }),
  };
  return { workflows: new WorkflowDefinitions(parts), tasks: new TaskDefinitions(parts), warn };
}

/** The answers of this process to `/health` and `/metrics`; with siblings those of all of them. */
function buildNodeState(
  { stores, node, plugins, supervisor }: ApiParts,
  areas: Pick<BuiltAreas, 'healthDetails'>,
): NodeState {
  const clocks = [node.clock, systemClock];
  const countJobs = createJobCounts(node.metrics, () => jobsOn(clocks));
  const metrics = async (): Promise<string> => {
    await node.refreshMetrics();
    node.statistics.minutes.collect();
    countJobs();
    return await node.metrics.text();
  };
  const siblings =
    supervisor &&
    new Siblings(supervisor, {
      metrics,
      health: () => processHealth(node.nodeId, node.trouble()),
    });
  return {
    trouble: node.trouble,
    ...(siblings !== undefined && { processes: () => siblings.health() }),
    healthDetails: () => ({
      ...{ durability: stores.durability, node: node.nodeId },
      ...quarantinedHere(node.executions.quarantine.count),
      jobs: shownJobs(jobsOn(clocks)),
      ...silentHere(clocks.flatMap(silentLoops)),
      ...plugins.healthDetails(),
      ...areas.healthDetails?.(),
    }),
    metrics: () => (siblings === undefined ? metrics() : siblings.metrics()),
    version,
  };
}

function addGauges({ stores, node: { metrics, nodeId } }: ApiParts): void {
  metrics.gauge('processUp', () => ({ [nodeId]: 1 }));
  metrics.gauge('buildInfo', () => ({ [version]: 1 }));
  metrics.gauge('redisMemory', () => {
    const { usedBytes, limitBytes } = stores.memory.usage;
    return { used: usedBytes, limit: limitBytes };
  });
}

function routePartsOf(
  { settings, stores, node }: ApiParts,
  built: {
    readonly rules: WorkflowRules;
    readonly texts: ExecutionTexts;
    readonly definitions: MetadataOperations;
    readonly state: NodeState;
  },
): RouteParts {
  const { rules, texts, definitions, state } = built;
  const proxies = new TrustedProxies(settings.trustedProxies);
  const builtAt = buildDate();
  const timeZoneData = process.versions['tz'] ?? 'unknown';
  const { shards } = settings;
  const { durability } = stores;
  return {
    ...{ rules, texts, state, context: node.operations, metadata: definitions },
    cluster: () => node.cluster.view(),
    settings: () => ({ version, buildDate: builtAt, shards, durability, timeZoneData }),
    clientOf: (remote, forwardedFor) => proxies.clientOf(remote, forwardedFor),
    messagesServed: settings['service.workflow-message-queue.enabled'],
    simulation: { sandbox: node.sandbox, engine: node.context },
    search: stores.executions.search,
  };
}

/** The endpoints with those that tell of the endpoints themselves: features and the description. */
function completed({ settings, stores, node }: ApiParts, own: readonly Endpoint[]): Endpoint[] {
  const { basePath } = settings;
  const served = withFeatures(withResources(own), node.operations.access, {
    ...{ version, durability: stores.durability, basePath, signIn: signInKindsOf(settings) },
    environment: settings.environmentLabel,
  });
  const accessIf = (asks: boolean): AccessRule => ({ rule: asks ? 'caller' : 'public' });
  const known = withMetricsFor(accessIf(settings.metricsToken), served);
  return withApiDocs(known, { version, basePath }, accessIf(settings.apiDocsToken));
}

function buildHandler(
  { settings, log, errors, node }: ApiParts,
  built: Pick<HandlerParts, 'json'> & {
    readonly endpoints: readonly Endpoint[];
    readonly large: LargeBodies;
  },
): ApiHandler {
  const { authenticate, auditor, waitingCallers } = node.rooms.lent;
  const { endpoints, json, large } = built;
  return createApi(endpoints, {
    ...{ errors, json, large, access: node.operations.access },
    ...(authenticate === undefined
      ? {}
      : { authenticate: noting(authenticate, node.activeCallers), auditor }),
    ...(waitingCallers && { renewed: waitingCallers.renewed }),
    bodies: {
      bytesMax: settings.bodyBytesMax,
      strangersBytesMax: settings.strangerBodyBytesMax,
    },
    ...transportHeaders(settings),
    basePath: settings.basePath,
    page: firstOf(
      createHandbook(path.join(import.meta.dirname, '../site')),
      createPage(path.join(import.meta.dirname, '../ui')),
    ),
    observe: requestObserver(node.metrics),
    ...(settings.accessLog && { logAccess: (entry: AccessEntry) => log.info(entry, 'request') }),
  });
}

/** Metrics are for everybody unless the settings say otherwise. */
function withMetricsFor(access: AccessRule, endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.map((endpoint) =>
    endpoint.pattern === '/metrics' ? { ...endpoint, access } : endpoint,
  );
}

/** Browsers heed it over TLS only. */
function transportHeaders(settings: Settings): { headers?: Readonly<Record<string, string>> } {
  const { hstsSeconds } = settings;
  if (hstsSeconds === 0 || !isSecure(settings)) return {};
  return { headers: { 'Strict-Transport-Security': `max-age=${hstsSeconds}` } };
}

function signInKindsOf({ auth, oidcIssuer }: Settings): ServerFeatures['signIn'] {
  if (!auth) return [];
  return ['password', 'key', ...(oidcIssuer === '' ? [] : (['provider'] as const))];
}

function processHealth(node: string, why: string | undefined): ProcessState {
  return why === undefined ? { node, healthy: true } : { node, healthy: false, why };
}

/** Executions of this node's shards that wait for an administrator (invariants M13). */
function quarantinedHere(count: number): JsonMap {
  return count === 0 ? {} : { quarantinedExecutions: count };
}

/** Loops of this node whose turns fail, or do not end (invariants M15). */
function silentHere(names: string[]): JsonMap {
  return names.length === 0 ? {} : { silentLoops: names };
}

/** Tells who asks for something. */
function noting(authenticate: Authenticate, active: ActiveCallers): Authenticate {
  return (request, changes) => {
    const caller = authenticate(request, changes);
    active.note(caller.id);
    return caller;
  };
}
