// The registered definitions in memory, by name and version. Definitions are never changed in
// place: a write replaces the object, so a caller that holds one keeps it unchanged.
import type { TaskDef } from '../../model/task-def.js';
import {
  firstRegistration,
  earlierRegistration,
  type NamedSince,
  type NameOwner,
  type Registration,
} from '../../model/name-registration.js';
import { ownedTaskNames } from '../../model/owned-task-names.js';
import type { WorkflowDef } from '../../model/workflow-def.js';
import { itemsPerSlice, type Steps } from '../../std/slices.js';
import type {
  BesideDef,
  ChangedDefinitions,
  LoadedDefinitions,
} from '../../store/definition-store.js';

interface Versions {
  /** Ordered by version. */
  readonly byVersion: Map<number, WorkflowDef>;
  latest: WorkflowDef;
  /** undefined: an earlier version registered the name. */
  registration: Registration | undefined;
  /** The part of the registration that executions keep; made once. */
  owner: NameOwner | undefined;
}

export class DefinitionTable {
  readonly #workflows = new Map<string, Versions>();
  readonly #tasks = new Map<string, TaskDef>();
  /** Names of restricted task definitions. */
  readonly #restricted = new Set<string>();
  readonly #named = new WeakMap<WorkflowDef, NamedSince>();

  constructor(loaded?: LoadedDefinitions) {
    if (loaded !== undefined) this.#putAll(loaded);
  }

  #putAll({ workflows, tasks, registrations, named }: Omit<LoadedDefinitions, 'revision'>): void {
    for (const def of workflows) {
      this.putWorkflow(def, { registration: registrations.get(def.name), named: named.get(def) });
    }
    for (const def of tasks) this.putTask(def);
  }

  /** Whatever was known of the names goes: a registration may have ended and another begun. */
  replace(changed: ChangedDefinitions): void {
    for (const name of changed.workflowNames) this.#workflows.delete(name);
    for (const name of changed.taskNames) this.deleteTask(name);
    this.#putAll(changed);
  }

  taskDef(name: string): TaskDef | undefined {
    return this.#tasks.get(name);
  }

  /** Whether any task definition is restricted. */
  get hasRestricted(): boolean {
    return this.#restricted.size > 0;
  }

  taskDefs(): TaskDef[] {
    return [...this.#tasks.values()];
  }

  /** Highest version of the name. */
  latest(name: string): WorkflowDef | undefined {
    return this.#workflows.get(name)?.latest;
  }

  exact(name: string, version: number): WorkflowDef | undefined {
    return this.#workflows.get(name)?.byVersion.get(version);
  }

  /** All versions of a name, lowest first; empty for an unknown one. */
  versions(name: string): WorkflowDef[] {
    return [...(this.#workflows.get(name)?.byVersion.values() ?? [])];
  }

  names(): string[] {
    return [...this.#workflows.keys()];
  }

  /** undefined: an earlier version registered the name, or nobody has. */
  registrationOf(name: string): Registration | undefined {
    return this.#workflows.get(name)?.registration;
  }

  /** The owner of the name, as executions keep it; undefined: nobody has registered it. */
  ownerOf(name: string): NameOwner | undefined {
    const known = this.#workflows.get(name);
    if (known === undefined) return undefined;
    const { registration, byVersion } = known;
    const [lowest] = byVersion.values();
    return (known.owner ??=
      registration === undefined
        ? { registration: earlierRegistration, owner: lowest?.createdBy ?? '' }
        : { registration: registration.id, owner: registration.by });
  }

  /**
   * The workflow whose definitions have named a task for the longest time without a break;
   * undefined: none names it.
   */
  *firstToName(task: string): Steps<string | undefined> {
    let first: { readonly name: string; readonly since: number } | undefined;
    let looked = 0;
    for (const [name, { byVersion }] of this.#workflows) {
      for (const def of byVersion.values()) {
        if (ownedTaskNames(def).has(task)) {
          const since = this.#namedSince(def, task);
          const isEarlier = first === undefined || since < first.since;
          if (isEarlier || (since === first?.since && name < first.name)) first = { name, since };
        }
        if (++looked % itemsPerSlice === 0) yield;
      }
    }
    return first?.name;
  }

  /**
   * The tasks that the name of a version had before, kept beside a version that is about to be
   * saved.
   */
  namedBefore(def: WorkflowDef): NamedSince | undefined {
    const before = new Map<string, number>();
    const names = ownedTaskNames(def);
    for (const version of this.#workflows.get(def.name)?.byVersion.values() ?? []) {
      for (const task of ownedTaskNames(version)) {
        if (!names.has(task)) continue;
        const since = Math.min(this.#namedSince(version, task), before.get(task) ?? Infinity);
        before.set(task, since);
      }
    }
    return before.size === 0 ? undefined : before;
  }

  #namedSince(def: WorkflowDef, task: string): number {
    const saved = Math.max(def.createTime ?? 0, def.updateTime ?? 0);
    return Math.min(this.#named.get(def)?.get(task) ?? saved, saved);
  }

  /** `registration` counts where the name has none, or a later one. */
  putWorkflow(def: WorkflowDef, { registration, named }: BesideDef = {}): void {
    if (named !== undefined) this.#named.set(def, named);
    const known = this.#workflows.get(def.name);
    if (known === undefined) {
      const byVersion = new Map([[def.version, def]]);
      this.#workflows.set(def.name, { byVersion, latest: def, registration, owner: undefined });
      return;
    }
    known.registration = firstRegistration(known.registration, registration);
    known.owner = undefined;
    const isLast = def.version >= known.latest.version;
    const isNew = !known.byVersion.has(def.version);
    known.byVersion.set(def.version, def);
    if (isLast) known.latest = def;
    else if (isNew) {
      const sorted = [...known.byVersion.values()].sort((a, b) => a.version - b.version);
      known.byVersion.clear();
      for (const each of sorted) known.byVersion.set(each.version, each);
    }
  }

  deleteWorkflow(name: string, version: number): void {
    const known = this.#workflows.get(name);
    if (known === undefined) return;
    known.byVersion.delete(version);
    const latest = [...known.byVersion.values()].at(-1);
    if (latest === undefined) this.#workflows.delete(name);
    else known.latest = latest;
  }

  putTask(def: TaskDef): void {
    this.#tasks.set(def.name, def);
    if (def.restricted === true) this.#restricted.add(def.name);
    else this.#restricted.delete(def.name);
  }

  deleteTask(name: string): void {
    this.#tasks.delete(name);
    this.#restricted.delete(name);
  }
}
