// The table of contents of the API: every area and its endpoints.
import type { WorkflowRules } from '../model/validate-workflow-def.js';
import type { OperationContext } from '../operation/context.js';
import type { TaskDefinitions } from '../operation/definitions/task-definitions.js';
import type { WorkflowDefinitions } from '../operation/definitions/workflow-definitions.js';
import type { ExecutionTexts } from '../operation/search/execution-texts.js';
import { defaultSearchLimits } from '../operation/search/request.js';
import type { TestParts } from '../operation/test-workflow.js';
import type { SearchStore } from '../store/search-store.js';
import type { ClusterView } from '../operation/cluster-view.js';
import { adminRoutes, type ServerSettings } from './admin.js';
import { clusterRoutes } from './cluster-routes.js';
import type { Endpoint } from './endpoint.js';
import { taskDefRoutes } from './metadata/task-def-routes.js';
import { workflowDefRoutes, type DefinitionWarner } from './metadata/workflow-def-routes.js';
import { nodeStateRoutes, type NodeState } from './node-state.js';
import { queueRoutes } from './queues.js';
import { searchRoutes } from './search.js';
import { searchSummaryRoutes } from './search-summaries.js';
import { pollRoutes, type ClientOf } from './task/poll-routes.js';
import { taskReadRoutes } from './task/read-routes.js';
import { signalRoutes } from './task/signal-routes.js';
import { updateRoutes } from './task/update-routes.js';
import { testWorkflowRoutes } from './test-workflow.js';
import { whyRoutes } from './why.js';
import { bulkRoutes } from './workflow/bulk-routes.js';
import { controlRoutes, messageRoutes } from './workflow/control-routes.js';
import { outlineRoutes } from './workflow/outline-routes.js';
import { readRoutes } from './workflow/read-routes.js';
import { startRoutes } from './workflow/start-routes.js';

export interface MetadataOperations {
  readonly workflows: WorkflowDefinitions;
  readonly tasks: TaskDefinitions;
  /** Told what registered definitions probably do not mean. */
  readonly warn?: DefinitionWarner;
}

export interface RouteParts {
  readonly context: OperationContext;
  /** Rules for definitions given with a start. */
  readonly rules: WorkflowRules;
  readonly state: NodeState;
  /** The cluster as this node sees it. */
  readonly cluster: () => Promise<ClusterView>;
  /** The settings that the server runs with, without secrets. */
  readonly settings: () => ServerSettings;
  readonly metadata: MetadataOperations;
  /** Setting service.workflow-message-queue.enabled; on when absent. */
  readonly messagesServed?: boolean;
  /** The parts that simulated executions run on. */
  readonly simulation: TestParts;
  /** Indexes that searches ask. */
  readonly search: SearchStore;
  /** Absent: the peer is the client. */
  readonly clientOf?: ClientOf;
  /** Index of words. */
  readonly texts?: ExecutionTexts;
}

export function allRoutes(parts: RouteParts): Endpoint[] {
  const { context, rules, state, settings, metadata, simulation, search } = parts;
  const searched = { context, store: search, texts: parts.texts, limits: defaultSearchLimits };
  return [
    ...startRoutes(context, rules),
    ...readRoutes(context),
    ...outlineRoutes(context),
    ...controlRoutes(context),
    ...(parts.messagesServed !== false ? messageRoutes(context) : []),
    ...bulkRoutes(context),
    ...pollRoutes(context, parts.clientOf),
    ...updateRoutes(context),
    ...signalRoutes(context),
    ...taskReadRoutes(context),
    ...whyRoutes(context),
    ...testWorkflowRoutes(context, simulation, rules),
    ...queueRoutes(context, search),
    ...adminRoutes(context, search, settings),
    ...clusterRoutes(parts.cluster),
    ...nodeStateRoutes(state),
    ...workflowDefRoutes(metadata.workflows, metadata.warn),
    ...taskDefRoutes(metadata.tasks),
    ...searchRoutes(searched),
    ...searchSummaryRoutes(searched, (caller) => metadata.workflows.names(caller)),
  ];
}
