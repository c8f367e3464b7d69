// What can be asked about task definitions (contract-core 5.3). Audit fields are the server's
// (invariants S15); without authentication the persons are empty texts, as clients know it.
import type { Clock } from '../../std/clock.js';
import type { AccessRules } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { TaskDef } from '../../model/task-def.js';
import { validateTaskDef, type NamingRules } from '../../model/validate-task-def.js';
import { validationFailed } from '../../model/validation.js';
import { readable, requireStoreRight } from './definition-access.js';
import type { Definitions } from './definitions.js';

export interface TaskDefinitionsParts {
  readonly definitions: Definitions;
  readonly clock: Clock;
  readonly rules: NamingRules;
  readonly access: AccessRules;
}

export class TaskDefinitions {
  constructor(private readonly parts: TaskDefinitionsParts) {}

  /**
   * POST of a list: each is created or replaced, all or none. Throws AppError 'validation' when the
   * list is empty or any element breaks a rule.
   */
  async registerAll(caller: Caller, defs: readonly TaskDef[]): Promise<void> {
    if (defs.length === 0) {
      throw validationFailed([{ path: 'registerTaskDef.arg0', message: 'TaskDefList is empty' }]);
    }
    const violations = defs.flatMap((def, index) =>
      validateTaskDef(def, `registerTaskDef.arg0[${index}]`, this.parts.rules),
    );
    if (violations.length > 0) throw validationFailed(violations);
    for (const { name } of defs) {
      const exists = this.parts.definitions.taskDef(name) !== undefined;
      requireStoreRight(this.parts.access, caller, 'TASK_DEF', { name, exists });
    }
    const createTime = this.parts.clock.now();
    await this.parts.definitions.putTasks(
      defs.map((def) => {
        const { updatedBy: _updatedBy, ...rest } = def;
        return { ...rest, createTime, createdBy: caller.id, updateTime: 0 };
      }),
    );
  }

  /**
   * PUT of one. Throws AppError 'not-found' when there is none of that name, 'validation' for a
   * broken rule.
   */
  async update(caller: Caller, def: TaskDef): Promise<void> {
    const { definitions, clock, rules, access } = this.parts;
    const violations = validateTaskDef(def, 'updateTaskDef.arg0', rules);
    if (violations.length > 0) throw validationFailed(violations);
    requireStoreRight(access, caller, 'TASK_DEF', { name: def.name, exists: true });
    // One of another node may not be known here yet.
    if (definitions.taskDef(def.name) === undefined) await definitions.refresh();
    const known = definitions.taskDef(def.name);
    const isReplaced =
      known !== undefined &&
      (await definitions.replaceTask({
        ...def,
        createTime: known.createTime,
        createdBy: known.createdBy ?? '',
        updateTime: clock.now(),
        updatedBy: caller.id,
      }));
    if (!isReplaced) throw new AppError('not-found', `No such task by name ${def.name}`);
  }

  /** Throws AppError 'not-found'. */
  get(name: string): TaskDef {
    const def = this.parts.definitions.taskDef(name);
    if (def !== undefined) return def;
    throw new AppError('not-found', `No such taskType found by name: ${name}`);
  }

  /** Those that the caller may see. */
  list(caller: Caller): TaskDef[] {
    const { access, definitions } = this.parts;
    return readable(access, caller, 'TASK_DEF', definitions.table.taskDefs());
  }

  /** Throws AppError 'not-found'. */
  async delete(name: string): Promise<void> {
    if (await this.parts.definitions.deleteTask(name)) return;
    throw new AppError('not-found', 'No such task definition');
  }
}
