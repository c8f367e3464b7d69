// The names under which workers poll the tasks that stand in a definition (semantics 0.7): that of
// a SIMPLE task, and a type that is none of the field's. Names that are computed while it runs are
// not among them.
import { fieldTaskTypes } from './field-task-types.js';
import { forEachTask } from './nested-tasks.js';
import type { WorkflowDef } from './workflow-def.js';

const known = new WeakMap<WorkflowDef, ReadonlySet<string>>();
const knownEmbedded = new WeakMap<WorkflowDef, ReadonlySet<string>>();

/** Worked out once for each definition object. */
export function workerTaskNames(def: WorkflowDef): ReadonlySet<string> {
  let names = known.get(def);
  if (names === undefined) {
    const found = new Set<string>();
    forEachTask(def.tasks, ({ name, type }) => {
      if (type === 'SIMPLE') found.add(name);
      else if (!fieldTaskTypes.has(type)) found.add(type);
    });
    known.set(def, (names = found));
  }
  return names;
}

/**
 * The names of tasks whose registered definition an execution keeps and shows (model/snapshot.ts):
 * those of every type, unless the definition of the task stands in the configuration.
 */
export function embeddedTaskNames(def: WorkflowDef): ReadonlySet<string> {
  let names = knownEmbedded.get(def);
  if (names === undefined) {
    const found = new Set<string>();
    forEachTask(def.tasks, ({ name, taskDefinition }) => {
      if (taskDefinition === undefined) found.add(name);
    });
    knownEmbedded.set(def, (names = found));
  }
  return names;
}
