// The task types the engine knows. A type that is none of these is polled by workers, unless the
// server says that it runs it.
import type { Task } from '../../model/execution.js';
import { isServerTask } from '../task-kinds.js';
import type { TaskType } from './contract.js';
import { doWhileTask } from './do-while.js';
import { dynamicTask } from './dynamic.js';
import { forkJoinDynamicTask, forkJoinTask } from './fork-join.js';
import { humanTask } from './human.js';
import { inlineTask, lambdaTask } from './inline.js';
import { exclusiveJoinTask, joinTask } from './join.js';
import { jsonJqTransformTask } from './json-jq-transform.js';
import { noopTask } from './noop.js';
import { pullWorkflowMessagesTask } from './pull-workflow-messages.js';
import { serverTask } from './server-task.js';
import { setVariableTask } from './set-variable.js';
import { startWorkflowTask } from './start-workflow.js';
import { subWorkflowTask } from './sub-workflow.js';
import { decisionTask, switchTask } from './switch.js';
import { terminateTask } from './terminate.js';
import { waitTask } from './wait.js';
import { workerTask } from './worker.js';

const taskTypes: readonly TaskType[] = [
  workerTask,
  dynamicTask(taskTypeNamed),
  forkJoinTask,
  forkJoinDynamicTask,
  joinTask,
  exclusiveJoinTask,
  switchTask,
  decisionTask,
  doWhileTask,
  subWorkflowTask,
  startWorkflowTask,
  setVariableTask,
  terminateTask,
  waitTask,
  humanTask,
  noopTask,
  inlineTask,
  lambdaTask,
  jsonJqTransformTask,
  pullWorkflowMessagesTask,
  serverTask,
];

const byName = new Map<string, TaskType>(
  taskTypes.flatMap((type) => type.types.map((name) => [name, type] as const)),
);

const noTypes: ReadonlySet<string> = new Set();

/** For the type of a configuration. `serverTypes`: those that the server runs itself. */
export function taskTypeNamed(type: string, serverTypes: ReadonlySet<string> = noTypes): TaskType {
  return byName.get(type) ?? (serverTypes.has(type) ? serverTask : workerTask);
}

/** For a record: by its run-time type, which a DYNAMIC chose (semantics 4.2). */
export function taskTypeOf(task: Task): TaskType {
  const name = task.taskType === 'FORK' ? task.config.type : task.taskType;
  return byName.get(name) ?? (isServerTask(task) ? serverTask : workerTask);
}
