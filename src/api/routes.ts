// The table of contents of the API: every area and its routes.
import type { JsonMap } from '../model/json.js';
import type { WorkflowRules } from '../model/validate-workflow-def.js';
import type { OperationContext } from '../operation/context.js';
import type { TestParts } from '../operation/test-workflow.js';
import type { SearchStore } from '../store/search-store.js';
import { adminRoutes } from './admin.js';
import { metadataRoutes, type MetadataOperations } from './metadata.js';
import { nodeStateRoutes, type NodeState } from './node-state.js';
import { queueRoutes } from './queues.js';
import type { Route } from './route.js';
import { searchRoutes } from './search.js';
import { taskRoutes } from './tasks.js';
import { testWorkflowRoutes } from './test-workflow.js';
import { whyRoutes } from './why.js';
import { bulkRoutes } from './workflow/bulk-routes.js';
import { controlRoutes, messageRoutes } from './workflow/control-routes.js';
import { readRoutes } from './workflow/read-routes.js';
import { startRoutes } from './workflow/start-routes.js';

export interface RouteParts {
  readonly context: OperationContext;
  /** Rules for definitions given with a start. */
  readonly rules: WorkflowRules;
  readonly state: NodeState;
  /** What the server runs with, without secrets. */
  readonly settings: () => JsonMap;
  readonly metadata: MetadataOperations;
  /** Setting service.workflow-message-queue.enabled; on when absent. */
  readonly messagesServed?: boolean;
  /** What simulated executions run on. */
  readonly simulation: TestParts;
  /** Indexes that searches ask. */
  readonly search: SearchStore;
}

export function allRoutes(parts: RouteParts): Route[] {
  const { context, rules, state, settings, metadata, simulation, search } = parts;
  return [
    ...startRoutes(context, rules),
    ...readRoutes(context),
    ...controlRoutes(context),
    ...(parts.messagesServed !== false ? messageRoutes(context) : []),
    ...bulkRoutes(context),
    ...taskRoutes(context),
    ...whyRoutes(context),
    ...testWorkflowRoutes(context, simulation, rules),
    ...queueRoutes(context, search),
    ...adminRoutes(context, search, settings),
    ...nodeStateRoutes(state),
    ...metadataRoutes(metadata),
    ...searchRoutes(context, search),
  ];
}
