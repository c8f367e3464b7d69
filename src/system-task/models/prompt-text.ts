// The text of a prompt with its variables in place (contract-admin 13.1): a registered prompt by
// name, or a text that the task gives itself.
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { variablesOf, type Prompt } from '../../model/registry/prompt.js';
import type { Prompts } from '../../operation/prompts/prompts.js';
import { FinalFailure } from '../final-failure.js';
import { textFrom } from '../../model/json-text.js';

/** A registered prompt that the caller may read. Throws FinalFailure. */
export function promptOf(
  prompts: Prompts,
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

/** Puts the variables that are given in place of `${name}`; other placeholders stay. */
export function filled(template: string, variables: JsonMap): string {
  return template.replace(/\$\{([^{}]{1,255})\}/g, (placeholder, name: string) =>
    Object.hasOwn(variables, name) ? textFrom(variables[name] ?? '') : placeholder,
  );
}
