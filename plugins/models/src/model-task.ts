// A task type that asks models: its runs get the models that the services of the server reach.
import {
  parameterTask,
  textFrom,
  type ParameterTask,
  type PluginServices,
  type PluginTaskType,
  type TaskInput,
  type TaskOutcome,
  type TaskRun,
} from '@downbeat/plugin';
import { Models } from './models.js';

/** The services of the server, and the models that they reach. */
export type Services = PluginServices & { readonly models: Models };

interface ModelTask extends Omit<ParameterTask, 'lane' | 'run'> {
  /** The parameter whose value names the lane of a run. */
  readonly lane: string;
  readonly run: (services: Services, run: TaskRun, input: TaskInput) => Promise<TaskOutcome>;
}

export function modelTask({ lane, run, ...declared }: ModelTask): PluginTaskType {
  return parameterTask({
    ...declared,
    lane: (input) => textFrom(input[lane]),
    run: (lent, task, input) => run({ ...lent, models: new Models(lent) }, task, input),
  });
}
