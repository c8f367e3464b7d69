// The registration rules that the type of a task configuration sets (contract-core 6.4, semantics
// 0.5), as model/validate-workflow-def.ts is given them.
import type { WorkflowTask } from '../model/workflow-def.js';
import type { CheckRules, ServerTaskType } from './server-task-type.js';
import { engineTypeNamed } from './task-types/list.js';

/** Gives the violated rules of a configuration, those inside it aside. */
export function createConfigurationCheck(
  serverTypes: ReadonlyMap<string, ServerTaskType>,
  rules: CheckRules,
): (config: WorkflowTask) => readonly string[] {
  return (config) =>
    (serverTypes.get(config.type) ?? engineTypeNamed(config.type)).check(config, rules);
}
