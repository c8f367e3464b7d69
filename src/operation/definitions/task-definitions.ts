// Operations on task definitions (contract-core 5.3). Audit fields are the server's (invariants
// S15); without authentication the persons are empty texts, as clients know it.
import type { Clock } from '../../std/clock.js';
import type { AccessRules, Right } from '../../access/access-rules.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { TaskDef } from '../../model/task-def.js';
import { validateTaskDef, type NamingRules } from '../../model/validate-task-def.js';
import { validationFailed } from '../../model/validation.js';
import type { GivenTags } from '../../model/definition-tags.js';
import type { DefinitionOwnership } from '../ownership.js';
import { changedByOthers } from '../records/change-record.js';
import {
  newNameRoundsMax,
  nothingLeaves,
  permitted,
  requireDeleteRight,
  requireStoreRight,
} from './definition-access.js';
import { DefinitionTags, type TagFilter, type TagStore } from './definition-tags.js';
import type { Definitions, StillMay } from './definitions.js';
import type { NameClaims } from './name-claims.js';

export interface TaskDefinitionsParts {
  readonly definitions: Definitions;
  readonly clock: Clock;
  readonly rules: NamingRules;
  readonly access: AccessRules;
  readonly tags: TagStore;
  readonly ownership: DefinitionOwnership;
  readonly claims: Pick<NameClaims, 'tasks'>;
}

export class TaskDefinitions {
  readonly tags: DefinitionTags;

  constructor(private readonly parts: TaskDefinitionsParts) {
    this.tags = new DefinitionTags(parts.tags, 'TASK_DEF');
  }

  /**
   * POST of a list: each is created or replaced, all or none. Throws AppError 'validation' when the
   * list is empty or any element breaks a rule.
   */
  async registerAll(
    caller: Caller,
    defs: readonly TaskDef[],
    tags: readonly GivenTags[] = [],
  ): Promise<void> {
    if (defs.length === 0) {
      throw validationFailed([{ path: 'registerTaskDef.arg0', message: 'TaskDefList is empty' }]);
    }
    const violations = defs.flatMap((def, index) =>
      validateTaskDef(def, `registerTaskDef.arg0[${index}]`, this.parts.rules),
    );
    if (violations.length > 0) throw validationFailed(violations);
    let left = defs;
    for (let attempt = 0; attempt < newNameRoundsMax && left.length > 0; attempt++) {
      left = left.slice(await this.#store(caller, left));
    }
    if (left[0] !== undefined) throw changedByOthers(left[0].name);
    await this.tags.keep(caller, tags);
  }

  /** How many of them, the first ones; the others have names that others took meanwhile. */
  async #store(caller: Caller, defs: readonly TaskDef[]): Promise<number> {
    const { clock, definitions, ownership } = this.parts;
    const created = await this.#newNames(caller, defs);
    const createTime = clock.now();
    const made = defs.map((def) => {
      const { updatedBy: _updatedBy, ...rest } = def;
      return { ...rest, createTime, createdBy: caller.id, updateTime: 0 };
    });
    const marks = new Map(created.map((name) => [name, String(createTime)]));
    const creation = await ownership.begin(caller, 'TASK_DEF', marks);
    const stored = await definitions.putTasks(made, created, this.#stillMay(caller));
    const names = new Set(defs.slice(0, stored).map(({ name }) => name));
    await creation.end((name) => names.has(name));
    return stored;
  }

  /**
   * PUT of one. Throws AppError 'not-found' when there is none of that name, 'validation' for a
   * broken rule.
   */
  async update(caller: Caller, def: TaskDef, tags: readonly GivenTags[] = []): Promise<void> {
    const { definitions, clock, rules, access } = this.parts;
    const violations = validateTaskDef(def, 'updateTaskDef.arg0', rules);
    if (violations.length > 0) throw validationFailed(violations);
    requireStoreRight(access, caller, 'TASK_DEF', { name: def.name, exists: true });
    // One of another node may not be known here yet.
    if (definitions.taskDef(def.name) === undefined) await definitions.refresh();
    const known = definitions.table.taskDef(def.name);
    const isReplaced =
      known !== undefined &&
      (await definitions.replaceTask(
        {
          ...def,
          createTime: known.createTime,
          createdBy: known.createdBy ?? '',
          updateTime: clock.now(),
          updatedBy: caller.id,
        },
        this.#stillMay(caller),
      ));
    if (!isReplaced) throw new AppError('not-found', `No such task by name ${def.name}`);
    await this.tags.keep(caller, tags);
  }

  /** Throws AppError 'not-found'. */
  get(name: string): TaskDef {
    const def = this.parts.definitions.taskDef(name);
    if (def !== undefined) return def;
    throw new AppError('not-found', `No such taskType found by name: ${name}`);
  }

  /** Those that the caller may see, and has the rights on. */
  list(caller: Caller, tag: TagFilter = {}, rights: readonly Right[] = []): TaskDef[] {
    const { access, definitions } = this.parts;
    const tagged = definitions.table.taskDefs().filter(({ name }) => this.tags.has(name, tag));
    return permitted({ access, caller, type: 'TASK_DEF', rights }, tagged);
  }

  /** Throws AppError 'not-found', 'forbidden'. */
  async delete(caller: Caller, name: string): Promise<void> {
    const { definitions, ownership, access } = this.parts;
    let leave = nothingLeaves;
    const isGone = await definitions.deleteTask(name, async () => {
      await ownership.refresh();
      requireDeleteRight(access, caller, 'TASK_DEF', name);
      leave = ownership.leaving('TASK_DEF', name);
      return true;
    });
    if (!isGone) throw new AppError('not-found', 'No such task definition');
    await leave();
  }

  /** Whether the caller may still store under names that were known when he was asked. */
  #stillMay(caller: Caller): StillMay {
    const { access, definitions, ownership } = this.parts;
    return async (known) => {
      if (known.some((name) => definitions.taskDef(name) === undefined)) return false;
      if (known.length > 0) await ownership.refresh();
      for (const name of known) {
        requireStoreRight(access, caller, 'TASK_DEF', { name, exists: true });
      }
      return true;
    };
  }

  /** Names that are not in use yet. Throws AppError 'forbidden' unless the caller may store all. */
  async #newNames(caller: Caller, defs: readonly TaskDef[]): Promise<string[]> {
    const { access, definitions } = this.parts;
    const isNew = (name: string): boolean => definitions.taskDef(name) === undefined;
    const names = [...new Set(defs.map(({ name }) => name))];
    // One of another node may not be known here yet, and is not the caller's to take over.
    if (!isAdministrator(caller) && names.some(isNew)) await definitions.refresh();
    for (const name of names) {
      requireStoreRight(access, caller, 'TASK_DEF', { name, exists: !isNew(name) });
    }
    const created = names.filter(isNew);
    await this.parts.claims.tasks(caller, created);
    return created;
  }
}
