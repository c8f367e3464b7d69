// Where a reference stands in a definition: the lists that lead to it, outermost first. For
// operations that move the position of a run (upgrade, jump), which happens seldom enough to look
// through the definition each time.
import type { WorkflowDef, WorkflowTask } from '../model/workflow-def.js';
import { nestedLists } from '../model/nested-tasks.js';

export interface Place {
  readonly list: readonly WorkflowTask[];
  readonly index: number;
  /** The configuration that holds the list; undefined at the top. */
  readonly owner: WorkflowTask | undefined;
}

/** undefined when the definition does not have the reference. */
export function placesOf(def: WorkflowDef, ref: string): Place[] | undefined {
  return search(def.tasks, undefined, ref);
}

function search(
  list: readonly WorkflowTask[],
  owner: WorkflowTask | undefined,
  ref: string,
): Place[] | undefined {
  for (const [index, config] of list.entries()) {
    if (config.taskReferenceName === ref) return [{ list, index, owner }];
    for (const { tasks } of nestedLists(config)) {
      const inner = search(tasks, config, ref);
      if (inner !== undefined) return [{ list, index, owner }, ...inner];
    }
  }
  return undefined;
}
