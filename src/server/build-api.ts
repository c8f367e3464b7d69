// Builds the API of a node: every endpoint with what it serves.
import path from 'node:path';
import type { ActiveCallers } from '../access/active-callers.js';
import { createApi, type AccessEntry, type Authenticate } from '../api/api.js';
import { requestObserver } from '../api/request-metrics.js';
import { withApiDocs } from '../api/description/api-docs.js';
import type { AccessRule, Endpoint } from '../api/endpoint.js';
import type { ErrorAnswers } from '../api/errors.js';
import type { ApiHandler } from '../api/http-server.js';
import { TrustedProxies } from '../api/client-address.js';
import { LargeBodies } from '../api/large-bodies.js';
import type { ProcessState } from '../api/node-state.js';
import { pageErrorRoutes } from '../api/overview/page-errors.js';
import { rightsRoutes } from '../api/overview/rights.js';
import { overviewRoutes, withFeatures, type ServerFeatures } from '../api/overview/routes.js';
import { createHandbook, firstOf } from '../api/handbook.js';
import { createPage } from '../api/page.js';
import { allRoutes } from '../api/routes.js';
import { buildAreas } from './areas.js';
import type { BuiltNode } from './build-node.js';
import type { Siblings } from './processes/siblings.js';
import type { Settings } from './settings-table.js';
import { createConfigurationCheck } from '../engine/check-configuration.js';
import type { JsonMap } from '../model/json.js';
import type { WorkflowRules } from '../model/validate-workflow-def.js';
import type { NodeStores } from './node-stores.js';
import { DefinitionWarnings } from '../operation/definitions/definition-warnings.js';
import { TaskDefinitions } from '../operation/definitions/task-definitions.js';
import { NameClaims } from '../operation/definitions/name-claims.js';
import { WorkflowDefinitions } from '../operation/definitions/workflow-definitions.js';
import { createExecutionTexts } from '../operation/search/execution-texts.js';
import type { LoadedPlugins } from '../plugin/loaded-plugins.js';
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
  /** Other processes of the same start. */
  readonly siblings?: Siblings | undefined;
}

export interface BuiltApi {
  readonly handler: ApiHandler;
  /** Started once the shards are served. */
  readonly services: readonly Service[];
}

export function buildApi(parts: ApiParts): BuiltApi {
  const { settings, log, errors, stores, node, plugins, siblings } = parts;
  const { clock, metrics, definitions, operations, sandbox, context } = node;
  const { durability, redis } = stores;
  const { access } = operations;
  const rules: WorkflowRules = {
    ownerEmailRequired: settings.ownerEmailRequired,
    namesChecked: settings.nameValidation,
    environmentNames: new Set(settings.environmentNames),
    checkConfiguration: createConfigurationCheck(plugins.taskTypes, {
      checkSyntax,
      taskDef: (name) => definitions.taskDef(name),
    }),
  };
  const { tables, definitionUse, rooms } = node;
  const { taskUse, workflowUse } = definitionUse;
  const { authenticate, auditor } = rooms.lent;
  const builtAt = buildDate();
  const areas = buildAreas({
    leadership: node.cluster.leadership,
    ...{ settings, log, clock, redis, stores, tables, operations, access, rules },
    definitionUse,
    ...{ rooms, sandbox, metrics },
    topicNotices: node.cluster.topicNotices,
    nodeId: node.nodeId,
  });
  const texts = createExecutionTexts(stores.executions.search, {
    ...{ clock, feed: stores.executionFeed },
    bytesMax: settings.searchTextBytesMax,
    failed: (error) => log.warn({ err: error }, 'the text index is built again'),
  });
  const claims = new NameClaims({
    ...{ access, definitions, clock },
    executions: stores.executions.search,
    queues: stores.queues,
    humanTasks: stores.humanTasks,
    randomId: operations.randomId,
  });
  const definitionParts = {
    definitions,
    clock,
    rules,
    access,
    ownership: rooms.lent.definitionOwnership,
    tags: rooms.lent.resourceTags,
    claims,
    taskUse,
    workflowUse,
    warnings: new DefinitionWarnings({
      absence: (type) => plugins.absence(type),
      warn: (message) => log.warn(message),
    }),
  };
  const workflows = new WorkflowDefinitions(definitionParts);
  const countJobs = createJobCounts(metrics, () => jobsOn([clock, systemClock]));
  const ownMetrics = async (): Promise<string> => {
    await node.refreshMetrics();
    node.statistics.minutes.collect();
    countJobs();
    return await metrics.text();
  };
  siblings?.answerWith({
    metrics: ownMetrics,
    health: () => processHealth(node.nodeId, node.trouble()),
  });
  metrics.gauge('processUp', () => ({ [node.nodeId]: 1 }));
  const proxies = new TrustedProxies(settings.trustedProxies);
  const routes = allRoutes({
    context: operations,
    rules,
    state: {
      trouble: node.trouble,
      ...(siblings !== undefined && { processes: () => siblings.health() }),
      healthDetails: () => ({
        ...{ durability, node: node.nodeId },
        ...quarantinedHere(node.executions.quarantine.count),
        jobs: shownJobs(jobsOn([clock, systemClock])),
        ...silentHere([clock, systemClock].flatMap(silentLoops)),
        ...plugins.healthDetails(),
        ...areas.healthDetails?.(),
      }),
      metrics: () => (siblings === undefined ? ownMetrics() : siblings.metrics()),
      version,
    },
    cluster: () => node.cluster.view(),
    settings: () => ({ version, buildDate: builtAt, shards: settings.shards, durability }),
    metadata: {
      workflows,
      tasks: new TaskDefinitions(definitionParts),
      warn: (message) => log.warn(message),
    },
    clientOf: (remote, forwardedFor) => proxies.clientOf(remote, forwardedFor),
    messagesServed: settings['service.workflow-message-queue.enabled'],
    simulation: { sandbox, engine: context },
    search: stores.executions.search,
    texts,
  });
  metrics.gauge('buildInfo', () => ({ [version]: 1 }));
  metrics.gauge('redisMemory', () => {
    const { usedBytes, limitBytes } = stores.memory.usage;
    return { used: usedBytes, limit: limitBytes };
  });
  const { basePath } = settings;
  const summaries = overviewRoutes(operations, {
    executions: stores.executions.search,
    humanTasks: stores.humanTasks,
    statistics: stores.statistics,
    texts,
    workflowNames: (caller) => workflows.names(caller),
    storeMemory: () => stores.memory.usage,
  });
  const pageErrors = pageErrorRoutes({
    log,
    count: (kind) => metrics.count('pageErrors', kind),
    monotonic: () => systemClock.monotonic(),
  });
  const own = [
    ...[...routes, ...summaries, ...pageErrors],
    ...[...rightsRoutes(access), ...areas.endpoints],
    ...(node.test === undefined ? [] : testRoutes(node.test, operations.executions)),
  ];
  const signIn = signInKindsOf(settings);
  const served = withFeatures(own, access, {
    ...{ version, durability, basePath, signIn },
    environment: settings.environmentLabel,
  });
  const accessIf = (asks: boolean): AccessRule => ({ rule: asks ? 'caller' : 'public' });
  const known = withMetricsFor(accessIf(settings.metricsToken), served);
  const endpoints = withApiDocs(known, { version, basePath }, accessIf(settings.apiDocsToken));
  const json = { depthMax: settings.jsonDepthMax, keysMax: settings.jsonKeysMax };
  const large = new LargeBodies(
    { json, values: context.limits, keptBytesMax: settings.taskPayloadBytesMax },
    (error) => log.error({ err: error }, 'the thread for large bodies has failed'),
    weightsOf(settings),
  );
  const handler = createApi(endpoints, {
    errors,
    access,
    ...(authenticate === undefined
      ? {}
      : { authenticate: noting(authenticate, node.activeCallers), auditor }),
    ...{ json, large },
    bodies: {
      bytesMax: settings.bodyBytesMax,
      strangersBytesMax: settings.strangerBodyBytesMax,
    },
    ...transportHeaders(settings),
    basePath,
    page: firstOf(
      createHandbook(path.join(import.meta.dirname, '../site')),
      createPage(path.join(import.meta.dirname, '../ui')),
    ),
    observe: requestObserver(metrics),
    ...(settings.accessLog && { logAccess: (entry: AccessEntry) => log.info(entry, 'request') }),
  });
  return { handler, services: [...areas.services, texts, large] };
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
