// Which workflows a definition may start (docs/access.md, "What runs in an execution's name"). A
// name that stands in a registered definition goes by the rights of who saved that version, or of
// the starter of the execution; a computed name, a definition that is computed under any name, and
// every name of an inline definition, by those of the starter alone. Rights count as they are at
// that moment; who is gone has none.
import { requireRight, type AccessRules } from '../../access/access-rules.js';
import { isAdministrator, starterShown, type Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { ChildStart, Execution } from '../../model/execution.js';
import { startedWorkflowNames } from '../../model/started-workflow-names.js';
import type { WorkflowDef } from '../../model/workflow-def.js';
import { mayStart } from '../access.js';
import type { TaskUse } from './task-use.js';

export interface WorkflowUseParts {
  readonly access: AccessRules;
  /** With whose rights what a subject starts or saves acts; undefined: the subject is gone. */
  readonly actorOf: (subject: string | undefined) => Caller | undefined;
  readonly taskUse: Pick<TaskUse, 'refusedIn'>;
}

export class WorkflowUse {
  constructor(private readonly parts: WorkflowUseParts) {}

  /**
   * For who saves a definition. A workflow that nobody has registered yet may be named. Throws
   * AppError 'forbidden' for the first one that the caller may not start.
   */
  require(caller: Caller, def: WorkflowDef): void {
    if (isAdministrator(caller)) return;
    const { access } = this.parts;
    const { registered, inline } = startedWorkflowNames(def);
    for (const id of new Set([...registered, ...inline])) {
      // A caller that saves a new name owns it.
      if (id === def.name || access.heldSince(id) === undefined) continue;
      requireRight(access, caller, 'EXECUTE', { type: 'WORKFLOW_DEF', id });
    }
  }

  /** For a start that an execution orders. Throws AppError 'forbidden'. */
  requireStart(sender: Execution, request: ChildStart): void {
    const { createdBy, nameOwner } = sender.attributes;
    const { def } = sender.snapshot;
    const author = nameOwner?.isInline === true ? [] : [def.updatedBy ?? def.createdBy];
    const task = request.def && this.parts.taskUse.refusedIn(request.def, [createdBy, ...author]);
    if (task !== undefined) {
      const lacked = `${starterShown(createdBy)} has no EXECUTE access on TASK_DEF ${task}`;
      throw new AppError('forbidden', lacked);
    }
    if (this.#may(createdBy, request)) return;
    const name = request.def?.name ?? request.name;
    // A definition that is computed is not the author's, whatever its name is.
    const kind = request.def === undefined ? 'registered' : 'inline';
    const isNamed = nameOwner?.isInline !== true && startedWorkflowNames(def)[kind].has(name);
    if (isNamed && this.#may(def.updatedBy ?? def.createdBy, request)) return;
    throw new AppError(
      'forbidden',
      `${starterShown(createdBy)} has no EXECUTE access on WORKFLOW_DEF ${name}`,
    );
  }

  #may(subject: string | undefined, { name, def }: ChildStart): boolean {
    const caller = this.parts.actorOf(subject);
    return caller !== undefined && mayStart(this.parts.access, caller, { name, workflowDef: def });
  }
}
