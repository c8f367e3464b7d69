// The user forms that stand in a definition by name. Names that are computed while it runs are not
// among them.
import { humanDefinitionOf } from './human/human-definition.js';
import { forEachTask } from './nested-tasks.js';
import type { WorkflowDef } from './workflow-def.js';

const known = new WeakMap<WorkflowDef, ReadonlySet<string>>();

/** Worked out once for each definition object. */
export function formNames(def: WorkflowDef): ReadonlySet<string> {
  let names = known.get(def);
  if (names === undefined) {
    const found = new Set<string>();
    forEachTask(def.tasks, ({ type, inputParameters }) => {
      if (type !== 'HUMAN') return;
      const form = humanDefinitionOf(inputParameters).userFormTemplate;
      if (form !== undefined) found.add(form.name);
    });
    known.set(def, (names = found));
  }
  return names;
}
