// Warnings of task types that a workflow definition names and whose plug-in is absent: the
// definition is accepted, and such a task fails (docs/plugins.md). Told in the log when it is
// registered, and in the answer when it is validated.
import { forEachTask } from '../../model/nested-tasks.js';
import type { WorkflowDef } from '../../model/workflow-def.js';

/** One definition may name many types; more than these are not told. */
const warningsMax = 20;

export class DefinitionWarnings {
  constructor(
    private readonly parts: {
      /** Why tasks of a type cannot run here; undefined: they can. */
      readonly absence: (type: string) => string | undefined;
      readonly warn: (message: string) => void;
    },
  ) {}

  /** One sentence for each type that cannot run here. */
  of(def: WorkflowDef): string[] {
    const found = new Set<string>();
    forEachTask(def.tasks, ({ type }) => {
      const absence = this.parts.absence(type);
      if (absence !== undefined) found.add(absence);
    });
    return [...found].slice(0, warningsMax);
  }

  /** Writes them to the log. */
  tell(def: WorkflowDef): void {
    for (const warning of this.of(def)) {
      this.parts.warn(`workflow ${def.name} ${def.version} is registered. ${warning}`);
    }
  }
}
