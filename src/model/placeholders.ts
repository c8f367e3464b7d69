// Placeholders `${name}` in the texts of prompts (contract-admin 13.1).
import type { JsonMap } from './json.js';
import { textFrom } from './json-text.js';

const placeholder = /\$\{([^{}]{1,255})\}/g;

/** Distinct names of the placeholders, in their order. */
export function variablesOf(template: string): string[] {
  return [...new Set([...template.matchAll(placeholder)].map(([, name = '']) => name))];
}

/** Puts the variables that are given in place of `${name}`; other placeholders stay. */
export function withVariables(template: string, variables: JsonMap): string {
  return template.replace(placeholder, (whole, name: string) =>
    Object.hasOwn(variables, name) ? textFrom(variables[name] ?? '') : whole,
  );
}
