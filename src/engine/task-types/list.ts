// The task types that the engine knows. A new type is one file with an object of the contract and
// one line here; a type that does I/O stands in system-task/list.ts instead.
import type { Task } from '../../model/execution.js';
import { fieldTaskTypes } from '../../model/field-task-types.js';
import type { EngineContext } from '../context.js';
import { isMocked, isServerRun } from '../notes.js';
import type { Transition } from '../transition.js';
import type { Site, TaskType } from './contract.js';
import { doWhileTask } from './do-while.js';
import { dynamicTask } from './dynamic.js';
import { forkJoinDynamicTask, forkJoinTask } from './fork-join.js';
import { humanTask } from './human.js';
import { inlineTask, lambdaTask } from './inline.js';
import { exclusiveJoinTask, joinTask } from './join.js';
import { jsonJqTransformTask } from './json-jq-transform.js';
import { mapMocked, mockedTask } from './mocked.js';
import { noopTask } from './noop.js';
import { taskTypeNotRunHere } from './not-run-here.js';
import { pullWorkflowMessagesTask } from './pull-workflow-messages.js';
import { serverTask } from './server-task.js';
import { setVariableTask } from './set-variable.js';
import { startWorkflowTask } from './start-workflow.js';
import { subWorkflowTask } from './sub-workflow.js';
import { decisionTask, switchTask } from './switch.js';
import { terminateTask } from './terminate.js';
import { waitTask } from './wait.js';
import { workerTask } from './worker.js';
import { yieldTask } from './yield.js';

const mocked = mockedTask(taskTypeNamed);

export const engineTaskTypes: readonly TaskType[] = [
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
  yieldTask,
  noopTask,
  inlineTask,
  lambdaTask,
  jsonJqTransformTask,
  pullWorkflowMessagesTask,
  serverTask,
  mocked,
  taskTypeNotRunHere,
];

const byName = new Map<string, TaskType>(
  engineTaskTypes.flatMap((type) => type.names.map((name) => [name, type] as const)),
);

/** Type behind the type of a configuration, apart from what the server runs. */
export function engineTypeNamed(type: string): TaskType {
  return byName.get(type) ?? (fieldTaskTypes.has(type) ? taskTypeNotRunHere : workerTask);
}

/** Type behind the type of a configuration. */
export function taskTypeNamed(
  type: string,
  context: Pick<EngineContext, 'serverTaskTypes'>,
): TaskType {
  return context.serverTaskTypes.has(type) ? serverTask : engineTypeNamed(type);
}

/**
 * Makes the record of a configuration and starts it, by its type or by the mock of a test that
 * stands for it. Throws as `TaskType.map` does.
 */
export function mapTask(t: Transition, site: Site): void {
  const type = taskTypeNamed(site.config.type, t.context);
  if (!mapMocked(t, site, type)) type.map(t, site);
}

/** Type of a record, by its run-time type, which a DYNAMIC may have chosen (semantics 4.2). */
export function taskTypeOf(task: Task): TaskType {
  if (isMocked(task)) return mocked;
  const { config, taskType } = task;
  if (config.type === 'SIMPLE') return workerTask;
  if (isServerRun(task)) return byName.get(taskType)?.runByServer ?? serverTask;
  if (taskType !== 'FORK') return engineTypeNamed(taskType);
  return engineTypeNamed(config.type === 'DYNAMIC' ? config.name : config.type);
}
