// The text that a picture, a sound or a video is made from: the task's prompt with its variables,
// or a registered prompt of that name.
import { FinalFailure, type TaskInput, type TaskRun, withVariables } from '@downbeat/plugin';
import { promptNamed, variablesIn } from './completion.js';
import type { Services } from './model-task.js';

/** `names`: parameters that may hold it, the first given one counts. Throws FinalFailure. */
export function mediaPrompt(
  services: Services,
  run: TaskRun,
  input: TaskInput,
  names: readonly string[],
): string {
  const given = names.map((name) => input.text(name)).find((each) => each !== '');
  if (given === undefined)
    throw new FinalFailure(`inputParameters.${names.join(' or ')} is required`);
  const variables = variablesIn(input, services);
  if (!services.prompts.has(given)) return withVariables(given, variables);
  return services.prompts.fill(run, promptNamed(given, input, variables)).text;
}
