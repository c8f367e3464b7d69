// Registered workflow and task definitions (contract-core 5, 6). A node keeps all of them in memory
// and follows changes.
import type { TaskDef } from '../model/task-def.js';
import type { WorkflowDef } from '../model/workflow-def.js';

export interface DefinitionStore {
  loadAll(): Promise<{ workflows: WorkflowDef[]; tasks: TaskDef[]; revision: number }>;
  /** The number that every write raises; nodes compare it to notice changes of others. */
  revision(): Promise<number>;
  /** `exists` and nothing stored when `onlyIfAbsent` and the (name, version) is there. */
  putWorkflow(def: WorkflowDef, onlyIfAbsent: boolean): Promise<'stored' | 'exists'>;
  putWorkflows(defs: readonly WorkflowDef[]): Promise<void>;
  deleteWorkflow(name: string, version: number): Promise<boolean>;
  putTasks(defs: readonly TaskDef[]): Promise<void>;
  /** False when there is none of that name. */
  replaceTask(def: TaskDef): Promise<boolean>;
  deleteTask(name: string): Promise<boolean>;
  /** Tells when another node changed something. */
  onChange(listener: () => void): Promise<void>;
}
