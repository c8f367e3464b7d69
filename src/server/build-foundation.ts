// Builds the parts of a node that its executions stand on: clock, measuring, records, definitions,
// sealing, the areas after their first step, and the sandbox.
import { ActiveCallers } from '../access/active-callers.js';
import { Definitions } from '../operation/definitions/definitions.js';
import { RecordTables } from '../operation/records/record-tables.js';
import { answerChanges, tellingOthers } from '../placement/change-notices.js';
import { StoreClock } from '../placement/store-clock.js';
import { activeDomainMs, PollLog } from '../queue/poll-log.js';
import { WorkerNotes } from '../queue/worker-notes.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { createSandbox } from '../sandbox/script-sandbox.js';
import { systemClock } from '../std/clock.js';
import { ThreadTurns } from '../std/thread-turns.js';
import type { OutboundClient } from '../system-task/outbound-client.js';
import { EventCounters } from '../telemetry/event-counters.js';
import { linkPeers, type NodePeers } from './build-cluster.js';
import { buildDefinitionUse, type DefinitionUse } from './build-definition-use.js';
import { buildSealing, type Sealing } from './build-sealing.js';
import type { NodeParts } from './node-parts.js';
import { describeServers } from './build-system-tasks.js';
import { NodeMonitor } from './node-monitor.js';
import { firstPorts, openAreas, type OpenAreas } from './open-areas.js';
import { buildOutboundClient } from './outbound-settings.js';
import { weightsOf } from './settings-checks.js';

export interface Foundation {
  /** Store time (invariants M11). */
  readonly clock: StoreClock;
  readonly monitor: NodeMonitor;
  /** Counts and logs the failure of a part. */
  readonly failed: (error: unknown, about?: object) => void;
  /** Links to the other nodes; what listens for them is part of the node's place. */
  readonly peers: NodePeers;
  readonly counters: EventCounters;
  /** Administrative records; loaded before any service of an area starts. */
  readonly tables: RecordTables;
  readonly definitions: Definitions;
  readonly sealing: Sealing;
  readonly activeCallers: ActiveCallers;
  /** Requests to the outside, at addresses that tasks may reach. */
  readonly outbound: OutboundClient;
  /** The areas with a room of their own, after their first step. */
  readonly rooms: OpenAreas;
  /** The line for work that holds the thread. */
  readonly threadTurns: ThreadTurns;
  readonly definitionUse: DefinitionUse;
  readonly pollLog: PollLog;
  readonly workers: WorkerNotes;
  readonly sandbox: Sandbox;
}

export function buildFoundation(parts: NodeParts): Foundation {
  const { settings, stores, log, metrics, plugins } = parts;
  const monitor = new NodeMonitor(metrics, log);
  const failed = (error: unknown, about?: object): void => monitor.failed(error, about);
  const clock = new StoreClock(systemClock);
  const peers = linkPeers({ nodeId: parts.nodeId, stores, failed });
  const tellOthers = tellingOthers(peers.links);
  const tables = new RecordTables(stores.records, clock, failed, () => tellOthers('records'));
  const definitions = new Definitions({
    store: stores.definitions,
    clock,
    tellOthers: () => tellOthers('definitions'),
    shownInput: (task) => plugins.taskTypes.get(task.type)?.shownInput(task),
    onLookFailed: failed,
  });
  answerChanges(peers.links, { definitions, records: tables });
  const sealing = buildSealing(settings, {
    ...{ log, clock, tables, members: () => stores.shards.allMembers() },
  });
  const outbound = buildOutboundClient(settings);
  const threadTurns = new ThreadTurns(clock);
  const rooms = openAreas({
    ...{ settings, tables, metrics, redis: stores.redis },
    ports: firstPorts({
      ...{ settings, log, clock, failed, tables, stores, definitions, outbound, threadTurns },
      secretBox: sealing.box,
      brokerKinds: plugins.brokerKinds,
      describeServer: describeServers(settings, plugins),
      vectors: stores.vectors,
    }),
  });
  return {
    ...{
      clock,
      monitor,
      failed,
      peers,
      tables,
      definitions,
      sealing,
      outbound,
      rooms,
      threadTurns,
    },
    definitionUse: buildDefinitionUse(settings, { definitions, tables, lent: rooms.lent }),
    counters: new EventCounters(),
    activeCallers: new ActiveCallers(() => systemClock.monotonic()),
    pollLog: new PollLog(stores.pollData, clock, failed, activeDomainMs(settings.pollTimeoutMsMax)),
    workers: new WorkerNotes(clock),
    sandbox: buildSandbox(parts),
  };
}

function buildSandbox({ settings, test }: NodeParts): Sandbox {
  return createSandbox({
    scriptTimeMsMax: settings.scriptTimeMsMax,
    scriptMemoryBytesMax: settings.scriptMemoryBytesMax,
    scriptOutputBytesMax: settings.scriptOutputBytesMax,
    scriptWorkersMax: settings.scriptWorkers,
    valueLimits: settings,
    quotas: settings,
    weightOf: weightsOf(settings),
    clock: systemClock,
    world: test && (() => test.scriptWorld()),
  });
}
