// Builds the rules for the use of definitions: who may use a restricted task definition, which
// workflows a definition may start, and how many executions of a workflow run at the same time.
import type { Lent } from '../areas/lent.js';
import type { Definitions } from '../operation/definitions/definitions.js';
import { TaskUse } from '../operation/definitions/task-use.js';
import { WorkflowUse } from '../operation/definitions/workflow-use.js';
import type { RecordTables } from '../operation/records/record-tables.js';
import { ExecutionLimits } from '../operation/tags/execution-limits.js';
import type { Settings } from './settings-table.js';

export interface DefinitionUse {
  readonly taskUse: TaskUse;
  readonly workflowUse: WorkflowUse;
  readonly limits: ExecutionLimits;
}

export function buildDefinitionUse(
  settings: Settings,
  parts: {
    readonly definitions: Definitions;
    readonly tables: RecordTables;
    readonly lent: Pick<Lent, 'access' | 'starterOf'>;
  },
): DefinitionUse {
  const { access, starterOf: actorOf } = parts.lent;
  const taskUse = new TaskUse({
    ...{ access, actorOf, definitions: parts.definitions },
    areAllRestricted: settings.restrictTaskDefinitions,
  });
  return {
    taskUse,
    workflowUse: new WorkflowUse({ access, actorOf, taskUse }),
    limits: new ExecutionLimits(parts.tables),
  };
}
