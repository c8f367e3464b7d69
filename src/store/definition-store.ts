// Registered workflow and task definitions (contract-core 5, 6). A node keeps all of them in memory
// and follows changes.
import type { TaskDef } from '../model/task-def.js';
import type { Registration } from '../model/name-registration.js';
import type { WorkflowDef } from '../model/workflow-def.js';

/** By name. */
export type Registrations = ReadonlyMap<string, Registration>;

export interface LoadedDefinitions {
  readonly workflows: WorkflowDef[];
  /** Of the names that have one. */
  readonly registrations: Registrations;
  readonly tasks: TaskDef[];
  readonly revision: number;
}

export interface DefinitionStore {
  loadAll(): Promise<LoadedDefinitions>;
  /** The number that every write raises; nodes compare it to notice changes of others. */
  revision(): Promise<number>;
  /** `exists` and nothing stored when `onlyIfAbsent` and the (name, version) is there. */
  putWorkflow(
    def: WorkflowDef,
    onlyIfAbsent: boolean,
    registration?: Registration,
  ): Promise<'stored' | 'exists'>;
  /** `registrations` by name; absent: of a name that an earlier version registered. */
  putWorkflows(defs: readonly WorkflowDef[], registrations?: Registrations): Promise<void>;
  deleteWorkflow(name: string, version: number): Promise<boolean>;
  putTasks(defs: readonly TaskDef[]): Promise<void>;
  /** False when there is none of that name. */
  replaceTask(def: TaskDef): Promise<boolean>;
  deleteTask(name: string): Promise<boolean>;
  /** Tells when another node changed something. */
  onChange(listener: () => void): Promise<void>;
}
