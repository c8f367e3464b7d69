// Connects the executions of a node to the parts that they give work to, which give commands to
// executions in turn (std/port.ts): starts, system tasks, human tasks, followers and events.
import type { OperationContext } from '../operation/context.js';
import { ExecutionChanges } from '../operation/live/execution-changes.js';
import { InboxChanges } from '../operation/live/inbox-changes.js';
import { createEventPublisher, publisherOf } from '../operation/publish-event.js';
import { createDerivedStarts } from '../operation/start-derived.js';
import type { ExecutionHost } from '../shard/execution-host.js';
import type { EventPublisher } from '../shard/executions.js';
import type { SystemTaskRunner } from '../system-task/system-task-runner.js';
import type { BuiltCluster } from './build-cluster.js';
import type { Foundation } from './build-foundation.js';
import type { NodeParts } from './node-parts.js';
import type { Quotas } from './build-quotas.js';
import { buildSystemTasks } from './build-system-tasks.js';

/** Returns the runner of the system tasks that executions start. */
export function connectExecutions(
  { settings, nodeId, stores, plugins }: NodeParts,
  foundation: Foundation,
  built: {
    readonly host: ExecutionHost;
    readonly cluster: BuiltCluster;
    readonly operations: OperationContext;
    readonly quotas: Quotas;
  },
): SystemTaskRunner {
  const { definitionUse, clock, sandbox, definitions, rooms, outbound, failed } = foundation;
  const { host, cluster, operations } = built;
  const { executions, topicNotices, placement } = cluster;
  const { starts: quotas, open, held } = built.quotas;
  const systemTasks = buildSystemTasks(settings, {
    ...{ nodeId, clock, stores, executions, client: outbound, failed },
    ...{ operations, sandbox, plugins, lent: rooms.lent },
  });
  const inbox = new InboxChanges(topicNotices);
  const { childDepthMax } = settings;
  host.connect({
    ...{ executions, systemTasks, permits: stores.permits },
    starts: createDerivedStarts({
      ...{ executions, definitions, childDepthMax, quotas, open, held },
      workflowUse: definitionUse.workflowUse,
    }),
    humanTasks: rooms.lent.followHumanTasks({
      ...{ store: stores.humanTasks, executions },
      indexed: (taskId, entry) => inbox.changed(taskId, entry),
    }),
    follower: new ExecutionChanges(topicNotices),
    events: buildPublisher(settings, foundation),
    lost: (shards, error) => placement.lost(error, shards),
  });
  return systemTasks;
}

function buildPublisher(
  settings: NodeParts['settings'],
  { rooms: { lent }, clock }: Foundation,
): EventPublisher {
  const { workflowStatusListenerSink, taskStatusListenerSink } = settings;
  const publisher = createEventPublisher({
    eventSink: lent.eventSink,
    requireRight: lent.requirePublishRight,
    serverSinks: [workflowStatusListenerSink, taskStatusListenerSink],
    clock,
    eventLifeMs: settings.stateEventSecondsMax * 1000,
  });
  return publisherOf(lent.deliveries, publisher);
}
