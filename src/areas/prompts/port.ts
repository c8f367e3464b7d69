// Prompts as other areas see them: tasks that ask a model find registered ones, and put variables
// into their texts (contract-admin 13.1).
import type { Caller } from '../../model/caller.js';
import type { JsonMap } from '../../model/json.js';
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

/** Puts the variables that are given in place of `${name}`; other placeholders stay. */
export function filled(template: string, variables: JsonMap): string {
  return template.replace(placeholder, (whole, name: string) =>
    Object.hasOwn(variables, name) ? textFrom(variables[name] ?? '') : whole,
  );
}
