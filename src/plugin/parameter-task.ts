// A task type whose input is a table of parameters: its file says the table and carries out one
// attempt; the check of definitions and the reading of the input come from here.
import type { JsonMap } from '../model/json.js';
import { checkParameters, TaskInput, type Parameters } from '../system-task/task-input.js';
import type { TaskOutcome, TaskRun } from '../system-task/task-run.js';
import type { PluginServices, PluginTaskType } from './plugin.js';

export interface ParameterTask extends Pick<PluginTaskType, 'name' | 'reaches'> {
  readonly parameters: Parameters;
  /** As of `PluginTask`. */
  readonly lane?: (input: JsonMap) => string;
  /** Carries out one attempt. Rejects as `PluginTask.run` does. */
  readonly run: (services: PluginServices, run: TaskRun, input: TaskInput) => Promise<TaskOutcome>;
}

/** A run whose input does not fit the parameters fails for good, with parameter and rule. */
export function parameterTask({
  parameters,
  lane,
  run,
  ...declared
}: ParameterTask): PluginTaskType {
  return {
    ...declared,
    check: checkParameters(parameters),
    create: (services) => ({
      ...(lane && { lane }),
      run: async (task) => await run(services, task, new TaskInput(parameters, task.input)),
    }),
  };
}
