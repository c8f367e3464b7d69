// The names of tasks that a definition makes its own as long as nobody has defined them
// (docs/access.md, "Whose executions"): those that workers poll, and those that people are shown.
import { forEachTask } from './nested-tasks.js';
import type { WorkflowDef } from './workflow-def.js';
import { workerTaskNames } from './worker-task-names.js';

const known = new WeakMap<WorkflowDef, ReadonlySet<string>>();

/** Worked out once for each definition object. */
export function ownedTaskNames(def: WorkflowDef): ReadonlySet<string> {
  let names = known.get(def);
  if (names === undefined) {
    const found = new Set(workerTaskNames(def));
    forEachTask(def.tasks, ({ name, type }) => {
      if (type === 'HUMAN') found.add(name);
    });
    known.set(def, (names = found));
  }
  return names;
}
