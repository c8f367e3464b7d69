// Builds the task queues of a node and the executions of its shards.
import type { EngineContext } from '../engine/context.js';
import { PollHub } from '../queue/poll-hub.js';
import { ExecutionHost } from '../shard/execution-host.js';
import type { Tracing } from '../telemetry/tracing.js';
import type { ClusterPlace } from './build-cluster.js';
import type { Foundation } from './build-foundation.js';
import type { NodeParts } from './node-parts.js';
import { retentionRulesOf, weightsOf } from './settings-checks.js';

export function buildHub({ settings, stores }: NodeParts, foundation: Foundation): PollHub {
  const { clock, pollLog, counters, failed } = foundation;
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

export function buildHost(
  { settings, stores, test }: NodeParts,
  foundation: Foundation,
  built: {
    readonly place: ClusterPlace;
    readonly context: EngineContext;
    readonly hub: PollHub;
    readonly tracing: Tracing | undefined;
  },
): ExecutionHost {
  const { clock, sandbox, monitor, counters, activeCallers, rooms, threadTurns } = foundation;
  const { place, context, hub, tracing } = built;
  return new ExecutionHost({
    ...{ clock, sandbox, monitor, counters, context, hub, tracing, threadTurns },
    ...{ owned: place.owned, loads: place.loads },
    sharing: {
      othersThan: (caller) => activeCallers.othersThan(caller),
      longWorkPercentMax: settings.longWorkPercentMax,
      weightOf: weightsOf(settings),
    },
    store: stores.executions,
    queues: stores.queues,
    quarantine: stores.quarantine,
    capacity: stores.memory,
    secret: stores.secret,
    settings: {
      shards: settings.shards,
      actorBytesMax: settings.actorBytesMax,
      commitsPerBatchMax: settings.commitsPerBatchMax,
      retention: retentionRulesOf(settings),
      uncommittedBytesMax: settings.uncommittedBytesMax,
      settleTimeoutMs: settings.settleTimeoutMs,
    },
    handedOut: rooms.lent.handedOut,
    fillIds: test?.random?.of('executions'),
  });
}
