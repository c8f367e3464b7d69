// Use of restricted task definitions (docs/access.md, "Restricted task definitions"): a task of one
// is scheduled when the starter of the execution may use it, or when its name stands in a
// registered definition whose author may. Rights count as they are at that moment.
import type { Execution } from '../model/execution.js';
import { workerTaskNames } from '../model/worker-task-names.js';
import type { TaskUseRules } from './context.js';
import { plainId } from '../model/subject.js';

/** Why the task is not scheduled; undefined: it is. */
export function useRefusal(
  rules: TaskUseRules | undefined,
  { attributes, snapshot }: Pick<Execution, 'attributes' | 'snapshot'>,
  taskType: string,
): string | undefined {
  if (rules?.isRestricted(taskType) !== true) return undefined;
  const { createdBy, nameOwner } = attributes;
  if (rules.mayUse(createdBy, taskType)) return undefined;
  const { def } = snapshot;
  const isNamed = nameOwner?.isInline !== true && workerTaskNames(def).has(taskType);
  if (isNamed && rules.mayUse(def.updatedBy ?? def.createdBy, taskType)) return undefined;
  return `${plainId(createdBy ?? '')} has no EXECUTE access on TASK_DEF ${taskType}`;
}
