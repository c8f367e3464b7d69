// The task types that the server runs itself because they do I/O, without those that areas and
// plug-ins bring.
import { engineTaskTypes } from '../engine/task-types/list.js';
import { getSignedJwtTask } from './get-signed-jwt.js';
import { getWorkflowTask } from './get-workflow.js';
import { httpPollTask } from './http-poll.js';
import { httpTask } from './http.js';
import { queryProcessorTask } from './query-processor.js';
import { enteringRun, type RunOfType, type SystemTaskType } from './system-task.js';
import { terminateWorkflowTask } from './terminate-workflow.js';
import { updateTaskTask } from './update-task.js';

export const ownTaskTypes: readonly SystemTaskType[] = [
  httpTask,
  httpPollTask,
  getWorkflowTask,
  updateTaskTask,
  terminateWorkflowTask,
  queryProcessorTask,
  getSignedJwtTask,
];

/** Runs of the engine's types whose records the server enters as the types of a server say. */
export function runsOfEngineTypes(types: ReadonlyMap<string, SystemTaskType>): RunOfType[] {
  return engineTaskTypes.flatMap((type) => {
    const run = types.get(type.runByServer?.enteredAs ?? '');
    return run === undefined ? [] : type.names.map((name) => enteringRun(name, run));
  });
}
