// Decides which caller may use a restricted task definition in a workflow (docs/access.md,
// "Restricted task definitions"): those with EXECUTE on it. Applications need no role WORKER for
// that, because using is not polling.
import { requireRight, type AccessRules } from '../../access/access-rules.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
import type { WorkflowDef } from '../../model/workflow-def.js';
import { embeddedTaskNames, workerTaskNames } from '../../model/worker-task-names.js';
import type { TaskUseRules } from '../../engine/context.js';
import type { DefinitionTable } from './definition-table.js';

export interface TaskUseParts {
  readonly access: AccessRules;
  readonly definitions: { readonly table: Pick<DefinitionTable, 'taskDef' | 'hasRestricted'> };
  /** Every registered task definition counts as restricted. */
  readonly areAllRestricted: boolean;
  /** With whose rights what a subject starts or saves acts; undefined: the subject is gone. */
  readonly actorOf: (subject: string | undefined) => Caller | undefined;
}

export class TaskUse implements TaskUseRules {
  constructor(private readonly parts: TaskUseParts) {}

  /** Whether any task definition is restricted. */
  get any(): boolean {
    return this.parts.areAllRestricted || this.parts.definitions.table.hasRestricted;
  }

  isRestricted(name: string): boolean {
    const def = this.parts.definitions.table.taskDef(name);
    return def !== undefined && (this.parts.areAllRestricted || def.restricted === true);
  }

  mayUse(subject: string | undefined, name: string): boolean {
    const caller = this.parts.actorOf(subject);
    return caller !== undefined && this.#may(caller, name);
  }

  /** Throws AppError 'forbidden' for the first task that the caller may not use. */
  require(caller: Caller, def: WorkflowDef): void {
    if (isAdministrator(caller) || !this.any) return;
    for (const names of [workerTaskNames(def), embeddedTaskNames(def)]) {
      for (const id of names) {
        if (!this.isRestricted(id) || this.#may(caller, id)) continue;
        requireRight(this.parts.access, asUser(caller), 'EXECUTE', { type: 'TASK_DEF', id });
      }
    }
  }

  /**
   * The first task in a definition that an execution brings whose definition none of the subjects
   * may use: the execution would show it.
   */
  refusedIn(def: WorkflowDef, subjects: readonly (string | undefined)[]): string | undefined {
    if (!this.any) return undefined;
    return [...embeddedTaskNames(def)].find((id) => {
      if (!this.isRestricted(id)) return false;
      return !subjects.some((subject) => this.mayUse(subject, id));
    });
  }

  #may(caller: Caller, id: string): boolean {
    return this.parts.access.may(asUser(caller), 'EXECUTE', { type: 'TASK_DEF', id });
  }
}

/** The same rights, without what applications need for polling. */
function asUser(caller: Caller): Caller {
  return caller.kind === 'application' ? { ...caller, kind: 'user' } : caller;
}
