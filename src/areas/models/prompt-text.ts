// The text of a registered prompt with its variables in place (contract-admin 13.1).
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { FinalFailure } from '../../system-task/final-failure.js';
import { filled, variablesOf, type Prompt, type PromptLookup } from '../prompts/port.js';

/** A registered prompt that the caller may read. Throws FinalFailure. */
export function promptOf(
  prompts: PromptLookup,
  caller: Caller,
  name: string,
  version: number | undefined,
): Prompt {
  try {
    return prompts.readable(caller, name, version);
  } catch (error) {
    if (error instanceof AppError) throw new FinalFailure(error.message, { cause: error });
    throw error;
  }
}

/** The text of a registered prompt. Throws FinalFailure that names the variables it lacks. */
export function promptText(prompt: Prompt, variables: JsonMap): string {
  const missing = variablesOf(prompt.template).filter((name) => !Object.hasOwn(variables, name));
  if (missing.length === 0) return filled(prompt.template, variables);
  throw new FinalFailure(
    `promptVariables lack ${missing.join(', ')}, which the prompt ${prompt.name} names`,
  );
}
