// Registered workflow and task definitions (contract-core 5, 6). A node keeps all of them in memory
// and follows changes.
import type { TaskDef } from '../model/task-def.js';
import type { NamedSince, Registration } from '../model/name-registration.js';
import type { WorkflowDef } from '../model/workflow-def.js';

/** By name. */
export type Registrations = ReadonlyMap<string, Registration>;

export interface LoadedDefinitions {
  readonly workflows: WorkflowDef[];
  /** Of the names that have one. */
  readonly registrations: Registrations;
  /** Of the versions that have it. */
  readonly named: ReadonlyMap<WorkflowDef, NamedSince>;
  readonly tasks: TaskDef[];
  readonly revision: number;
}

/** All that is stored now of names that have changed; what is not there has been removed. */
export interface ChangedDefinitions extends LoadedDefinitions {
  readonly workflowNames: ReadonlySet<string>;
  readonly taskNames: ReadonlySet<string>;
}

/** The facts that are stored with a version. */
export interface BesideDef {
  /** Absent: an earlier version registered the name. */
  readonly registration?: Registration | undefined;
  /** Kept only beside a registration. */
  readonly named?: NamedSince | undefined;
}

/** A version with what is stored with it. */
export interface StoredWorkflow extends BesideDef {
  readonly def: WorkflowDef;
}

/** Names whose definitions nobody may have changed or removed after a revision. */
export interface UnchangedNames {
  readonly since: number;
  readonly names: readonly string[];
}

export interface DefinitionStore {
  loadAll(): Promise<LoadedDefinitions>;
  /**
   * The names that have changed after a revision; undefined where the store cannot tell: beside
   * nodes of an earlier version, or after very many writes. `versionsOf`: the versions of a name
   * that the caller knows.
   */
  changes(
    since: number,
    versionsOf: (name: string) => readonly number[],
  ): Promise<ChangedDefinitions | undefined>;
  /** The number that every write raises; nodes compare it to notice changes of others. */
  revision(): Promise<number>;
  /**
   * How many of them, the first ones, were stored. With `unchanged` none are if a definition of
   * those names has changed; the store may refuse as well where it cannot tell: beside nodes of an
   * earlier version, or very many writes. Bounded parts are written one after the other: where
   * somebody else changes one in between, those before are stored.
   */
  putWorkflows(defs: readonly StoredWorkflow[], unchanged?: UnchangedNames): Promise<number>;
  /** False when there is none, and where `putWorkflows` with `unchanged` stores none. */
  deleteWorkflow(name: string, version: number, unchanged?: UnchangedNames): Promise<boolean>;
  /** As `putWorkflows`. */
  putTasks(defs: readonly TaskDef[], unchanged?: UnchangedNames): Promise<number>;
  /** As `deleteWorkflow`. */
  deleteTask(name: string, unchanged?: UnchangedNames): Promise<boolean>;
  /** Tells when another node changed something. */
  onChange(listener: () => void): Promise<void>;
  /** As `RecordStore.process`. */
  process(): Promise<string | undefined>;
}
