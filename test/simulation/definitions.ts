// The definitions of the workload, registered at every node alike.
import type { DefinitionSnapshot } from '../../src/model/execution.js';
import type { JsonMap } from '../../src/model/json.js';
import { mapTasks } from '../../src/model/nested-tasks.js';
import { adHocTaskDef, parseTaskDef } from '../../src/model/parse-task-def.js';
import { readWorkflowDef, type WorkflowDef } from '../../src/model/workflow-def.js';
import type { TaskDef } from '../../src/model/task-def.js';
import { earlierRegistration, type NameOwner } from '../../src/model/name-registration.js';

export class StaticDefinitions {
  readonly #tasks: ReadonlyMap<string, TaskDef>;
  readonly #workflows: ReadonlyMap<string, WorkflowDef>;

  constructor(taskDefs: readonly JsonMap[], workflowDefs: readonly JsonMap[]) {
    const tasks = taskDefs.map((def) => parseTaskDef(def, 'def'));
    this.#tasks = new Map(tasks.map((def) => [def.name, def]));
    const workflows = workflowDefs.map((def) => readWorkflowDef(def, 'def'));
    this.#workflows = new Map(workflows.map((def) => [def.name, def]));
  }

  taskDef(name: string): TaskDef | undefined {
    return this.#tasks.get(name);
  }

  workflowDef(name: string): WorkflowDef | undefined {
    return this.#workflows.get(name);
  }

  nameOwner(_name: string, owner: string): NameOwner {
    return { registration: earlierRegistration, owner };
  }

  snapshotOf(name: string): DefinitionSnapshot {
    return this.snapshot(this.#workflows.get(name) as WorkflowDef);
  }

  snapshot(def: WorkflowDef): DefinitionSnapshot {
    const tasks = mapTasks(def.tasks, (task) => ({
      ...task,
      taskDefinition:
        task.taskDefinition ??
        this.#tasks.get(task.name) ??
        adHocTaskDef(task.name, task.type === 'SIMPLE'),
    }));
    return { hash: `${def.name}.${def.version}`, def: { ...def, tasks } };
  }
}
