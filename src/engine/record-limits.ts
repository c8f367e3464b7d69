// Bounds on what one execution may hold (invariants S18): records, and what stands in them.
import type { Transition } from './transition.js';

/** Why the execution may get no further record; undefined when it may. */
export function limitReached(t: Transition): string | undefined {
  const { tasksPerExecutionMax, executionBytesMax } = t.context.limits;
  const { tasks } = t.execution;
  if (tasks.length >= tasksPerExecutionMax) {
    return `The execution has reached the limit of ${tasksPerExecutionMax} tasks (tasksPerExecutionMax)`;
  }
  if (t.open.weight.isBeyond(tasks, executionBytesMax)) {
    return `The inputs and outputs of the tasks have reached the limit of ${executionBytesMax} bytes (executionBytesMax)`;
  }
  return undefined;
}
