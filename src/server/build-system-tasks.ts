// Builds the runner of system tasks with the services that their types use.
import type { Lent } from '../areas/lent.js';
import type { Ports } from '../areas/ports.js';
import type { NodeStores } from './node-stores.js';
import type { OperationContext } from '../operation/context.js';
import { defaultSearchLimits } from '../operation/search/request.js';
import { searchWorkflows } from '../operation/search/search-workflows.js';
import { outboundAccess, outboundSettings } from './outbound-settings.js';
import { AccessRules } from '../system-task/outbound-access.js';
import type { LoadedPlugins } from '../plugin/loaded-plugins.js';
import type { PromptTestServices } from '../plugin/plugin.js';
import type { StoreClock } from '../placement/store-clock.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { Settings } from './settings-table.js';
import type { Executions } from '../shard/executions.js';
import { systemClock } from '../std/clock.js';
import { Documents } from '../system-task/documents/documents.js';
import { DocumentFolders } from '../system-task/documents/folders.js';
import { IsolatedJobs } from '../system-task/isolated/isolated-jobs.js';
import { defaultOutboundSettings, type OutboundClient } from '../system-task/outbound-client.js';
import { OutboundSockets } from '../system-task/outbound-socket.js';
import {
  createSystemTasks,
  defaultRunLimits,
  type SystemTaskRunner,
} from '../system-task/system-task-runner.js';
import { openVectorIndexes } from '../system-task/vectors/vector-indexes.js';

/** Tasks that the server carries out itself, and what each kind of them works with. */
export function buildSystemTasks(
  settings: Settings,
  parts: {
    nodeId: string;
    clock: StoreClock;
    stores: NodeStores;
    executions: Executions;
    client: OutboundClient;
    sandbox: Sandbox;
    lent: Lent;
    failed: (error: unknown) => void;
    operations: OperationContext;
    plugins: LoadedPlugins;
  },
): SystemTaskRunner {
  const { nodeId, clock, stores, executions, client, failed } = parts;
  const { sandbox, lent } = parts;
  const { access, starterOf: starter, authenticate, auditor } = lent;
  const store = stores.executions.search;
  const search = { context: parts.operations, store, limits: defaultSearchLimits };
  const isolatedJobs = new IsolatedJobs({
    timeMsMax: settings.isolatedJobTimeMsMax,
    processesMax: settings.isolatedJobProcessesMax,
    resultBytesMax: settings.outboundResponseBytesMax,
    clock: systemClock,
  });
  const sockets = new OutboundSockets(outboundSettings(settings));
  const { requestTimeMsMax } = defaultOutboundSettings;
  return createSystemTasks({
    types: parts.plugins.taskTypes,
    clock: systemClock,
    limits: { ...defaultRunLimits, runsMax: settings.systemTasksAtOnceMax },
    valueLimits: settings,
    secrets: lent.secretsFor,
    failed,
    services: {
      ...{ access, executions, clock, archive: parts.operations.archive },
      eventSink: lent.eventSink,
      brokerSink: lent.brokerSender,
      requirePublishRight: lent.requirePublishRight,
      webhookWaits: lent.webhookWaits,
      integrations: lent.integrationUse,
      ...{ prompts: lent.prompts, tokenBudget: lent.tokenBudget, jsonSchemas: lent.jsonSchemas },
      ...{ remoteCalls: lent.remoteCalls, isolatedJobs, sockets, requestTimeMsMax },
      vectorIndexes: openVectorIndexes({
        ...{ integrations: lent.integrationUse, vectors: stores.vectors },
        ...{ vectorStores: parts.plugins.vectorStores, sockets, requestTimeMsMax },
      }),
      sqlRowsMax: settings.sqlRowsMax,
      guard: new AccessRules(outboundAccess(settings)),
      responseBytesMax: settings.outboundResponseBytesMax,
      documents: new Documents({
        ...{ client, isolatedJobs, folders: documentFolders(settings) },
        readers: parts.plugins.documentReaders,
      }),
      client,
      httpPollIntervalSecondsMin: settings.httpPollIntervalSecondsMin,
      evaluate: async (request) => sandbox.tryInPlace(request) ?? (await sandbox.evaluate(request)),
      instance: nodeId,
      starter,
      secretWriter: lent.secretWriter,
      audit: authenticate && auditor.record,
      searchWorkflows: (request) => searchWorkflows(search, request),
      metricsServerUrl: settings.metricsServerUrl,
    },
  });
}

function documentFolders(settings: Settings): DocumentFolders {
  return new DocumentFolders(settings.documentFolders, settings.outboundResponseBytesMax);
}

/** Asks gRPC servers for their methods, at addresses that tasks may reach. */
export function describeServers(
  settings: Settings,
  plugins: LoadedPlugins,
): Ports['describeServer'] {
  const guard = new AccessRules(outboundAccess(settings));
  const { outboundResponseBytesMax: responseBytesMax } = settings;
  return (asked, readProtos) =>
    plugins.describeServer({ guard, responseBytesMax, readProtos }, asked);
}

/** Asks models for tests of prompts, as tasks ask them. */
export function testPrompts(
  plugins: LoadedPlugins,
  { client, clock, lent }: { client: OutboundClient; clock: StoreClock; lent: Lent },
): Ports['testPrompt'] {
  const { integrationUse, tokenBudget } = lent;
  return async (caller, test) => {
    const user = { caller, hide: (secret: string) => test.hide(secret) };
    const integrations: PromptTestServices['integrations'] = {
      model: (_run, provider, model) => integrationUse.model(user, provider, model),
    };
    return await plugins.testPrompt({ client, clock, tokenBudget, integrations }, test);
  };
}
