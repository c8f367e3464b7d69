// Reference names of loop members carry their iteration: `ref__N` (semantics 4.9.1).
import type { Task } from '../model/execution.js';

/** The name of a member in an iteration; iteration 0 is outside loops. */
export function refInIteration(ref: string, iteration: number): string {
  return iteration === 0 ? ref : `${ref}__${iteration}`;
}

/** The name in the definition. A DO_WHILE carries an iteration but no suffix. */
export function plainRefOf(task: Task): string {
  if (task.iteration === 0) return task.ref;
  const suffix = `__${task.iteration}`;
  return task.ref.endsWith(suffix) ? task.ref.slice(0, -suffix.length) : task.ref;
}
