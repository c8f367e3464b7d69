// A task type whose input is a table of parameters: its file says the table and carries out one
// attempt; the check of definitions, the reading of the input and the lane come from here.
import {
  checkParameters,
  TaskInput,
  textFrom,
  type Parameters,
  type PluginServices,
  type PluginTaskType,
  type TaskOutcome,
  type TaskRun,
} from '@downbeat/plugin';
import { Models } from './models.js';

/** The services of the server, and the models that they reach. */
export type Services = PluginServices & { readonly models: Models };

interface ParameterTask extends Pick<PluginTaskType, 'name' | 'reaches'> {
  readonly parameters: Parameters;
  /** The parameter whose value names the lane of a run. */
  readonly lane: string;
  /** Carries out one attempt. Rejects as `PluginTask.run` does. */
  readonly run: (services: Services, run: TaskRun, input: TaskInput) => Promise<TaskOutcome>;
}

export function parameterTask({
  parameters,
  lane,
  run,
  ...declared
}: ParameterTask): PluginTaskType {
  return {
    ...declared,
    check: checkParameters(parameters),
    create(lent) {
      const services: Services = { ...lent, models: new Models(lent) };
      return {
        lane: (input) => textFrom(input[lane]),
        run: async (task) => await run(services, task, new TaskInput(parameters, task.input)),
      };
    },
  };
}
