// The text of a prompt with its variables in place (contract-admin 13.1): a registered prompt by
// name, or a text that the task gives itself.
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { FinalFailure } from '../final-failure.js';
import { textFrom } from '../../model/json-text.js';

/** The parts of a registered prompt that tasks use. */
export interface Prompt {
  readonly name: string;
  readonly template: string;
  /** Stand in for what a task leaves out. */
  readonly temperature?: number;
  readonly topP?: number;
  readonly responseFormat?: 'text' | 'json';
  readonly stopWords?: readonly string[];
}

/** The registered prompts, as tasks find them. */
export interface PromptLookup {
  /** Whether there is a prompt of this name. */
  has(name: string): boolean;
  /** The newest version unless one is named. Throws AppError 'not-found', 'forbidden'. */
  readable(caller: Caller, name: string, version?: number): Prompt;
}

const placeholder = /\$\{([^{}]{1,255})\}/g;

/** Distinct names of the placeholders `${name}`, in their order. */
export function variablesOf(template: string): string[] {
  return [...new Set([...template.matchAll(placeholder)].map(([, name = '']) => name))];
}

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

/** Puts the variables that are given in place of `${name}`; other placeholders stay. */
export function filled(template: string, variables: JsonMap): string {
  return template.replace(placeholder, (whole, name: string) =>
    Object.hasOwn(variables, name) ? textFrom(variables[name] ?? '') : whole,
  );
}
