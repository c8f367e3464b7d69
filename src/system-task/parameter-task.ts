// A task type whose input is a table of parameters (task-input.ts): its file says the table and
// carries out one attempt; the check of definitions, the reading of the input and the lane come
// from here.
import { textFrom } from '../model/json-text.js';
import {
  runningTask,
  type ServiceName,
  type SystemTaskServices,
  type SystemTaskType,
  type TaskOutcome,
  type TaskRun,
} from './system-task.js';
import { checkParameters, TaskInput, type Parameters } from './task-input.js';

interface ParameterTask<N extends ServiceName> extends Pick<SystemTaskType, 'name' | 'reaches'> {
  readonly parameters: Parameters;
  /** The parameter whose value names the lane of a run. */
  readonly lane: string;
  readonly needs: readonly N[];
  /** Carries out one attempt. Rejects as `SystemTask.run` does. */
  readonly run: (
    services: Pick<SystemTaskServices, NoInfer<N>>,
    run: TaskRun,
    input: TaskInput,
  ) => Promise<TaskOutcome>;
}

export function parameterTask<const N extends ServiceName>({
  parameters,
  lane,
  run,
  ...declared
}: ParameterTask<N>): SystemTaskType {
  return runningTask({
    ...declared,
    check: checkParameters(parameters),
    lane: (input) => textFrom(input[lane]),
    run: async (services, task) => run(services, task, new TaskInput(parameters, task.input)),
  });
}
