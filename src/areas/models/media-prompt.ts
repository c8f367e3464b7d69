// The text that a picture, a sound or a video is made from: the task's prompt with its variables,
// or a registered prompt of that name.
import { FinalFailure } from '../../system-task/final-failure.js';
import type { TaskInput } from '../../system-task/task-input.js';
import { variablesIn, type ModelServices } from './completion.js';
import type { ModelUser } from './port.js';
import { filled } from '../prompts/port.js';
import { promptOf, promptText } from './prompt-text.js';

/** `names`: parameters that may hold it, the first given one counts. Throws FinalFailure. */
export function mediaPrompt(
  services: ModelServices,
  user: ModelUser,
  input: TaskInput,
  names: readonly string[],
): string {
  const given = names.map((name) => input.text(name)).find((each) => each !== '');
  if (given === undefined)
    throw new FinalFailure(`inputParameters.${names.join(' or ')} is required`);
  const variables = variablesIn(input, services);
  if (!services.prompts.has(given)) return filled(given, variables);
  const version = input.number('promptVersion');
  return promptText(promptOf(services.prompts, user.caller, given, version), variables);
}
