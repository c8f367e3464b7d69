// The task types the engine knows. A type that is none of these is polled by workers.
import type { Task } from '../../model/execution.js';
import type { TaskType } from './contract.js';
import { workerTask } from './worker.js';

const taskTypes: readonly TaskType[] = [workerTask];

const byName = new Map<string, TaskType>(
  taskTypes.flatMap((type) => type.types.map((name) => [name, type] as const)),
);

/** For the type of a configuration. */
export function taskTypeNamed(type: string): TaskType {
  return byName.get(type) ?? workerTask;
}

/** For a record: by its run-time type, which a DYNAMIC chose (semantics 4.2). */
export function taskTypeOf(task: Task): TaskType {
  return byName.get(task.taskType === 'FORK' ? task.config.type : task.taskType) ?? workerTask;
}
