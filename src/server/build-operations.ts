// Builds the context of operations: what endpoints, areas and system tasks ask of a node.
import { randomUUID } from 'node:crypto';
import { SharedLimiter } from '../std/shared-limiter.js';
import type { EngineContext } from '../engine/context.js';
import { defaultOperationLimits, type OperationContext } from '../operation/context.js';
import { StartPermits } from '../operation/start-permits.js';
import type { PollHub } from '../queue/poll-hub.js';
import type { Executions } from '../shard/executions.js';
import type { Tracing } from '../telemetry/tracing.js';
import type { Foundation } from './build-foundation.js';
import type { NodeParts } from './node-parts.js';
import type { Quotas } from './build-quotas.js';
import type { Settings } from './settings-table.js';
import type { TestParts } from './test-parts.js';

export function buildOperations(
  { settings, stores, metrics, test }: NodeParts,
  foundation: Foundation,
  built: {
    readonly executions: Executions;
    readonly hub: PollHub;
    readonly context: EngineContext;
    readonly minutes: OperationContext['minutes'];
    readonly quotas: Quotas;
    readonly tracing: Tracing | undefined;
  },
): OperationContext {
  const { definitionUse, clock, definitions, pollLog, workers, sandbox } = foundation;
  const { executions, hub, context, minutes, quotas, tracing } = built;
  const { payloads, archive, removeFiles, secretRules, access, waitingCallers } =
    foundation.rooms.lent;
  return {
    ...{
      payloads,
      archive,
      removeFiles,
      executions,
      definitions,
      minutes,
      workers,
      clock,
      tracing,
    },
    ...{ access, taskUse: definitionUse.taskUse, waiting: waitingCallers },
    startQuotas: quotas.starts,
    openQuotas: quotas.open,
    heldQuotas: quotas.held,
    parkedPolls: quotas.parkedPolls,
    searchTurns: new SharedLimiter(settings.searchesAtOnceMax),
    scriptsHeldBy: (share) => sandbox.heldBy(share),
    startPermits: new StartPermits({ store: stores.permits, engine: context, clock }),
    taskQueues: hub,
    executionIndex: stores.executions,
    queueStore: stores.queues,
    pollData: pollLog,
    taskLogs: stores.taskLogs,
    secrets: secretRules,
    startRefused: (kind) => metrics.count('startsRefused', kind),
    randomId: randomIdOf(test),
    limits: limitsOf(settings),
  };
}

function limitsOf(settings: Settings): OperationContext['limits'] {
  return {
    ...defaultOperationLimits,
    workflowInputBytesMax: settings.workflowPayloadBytesMax,
    values: settings,
    pollCountMax: settings.pollCountMax,
    pollTimeoutMsMax: settings.pollTimeoutMsMax,
    waitSecondsMax: settings.waitSecondsMax,
    childDepthMax: settings.childDepthMax,
  };
}

function randomIdOf(test: TestParts | undefined): () => string {
  const random = test?.random;
  return random === undefined ? randomUUID : () => random.uuid('ids');
}
