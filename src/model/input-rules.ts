// Which keys of the input a task configuration must have (contract-core 6.4). A part of the
// contract with plug-ins (docs/plugins.md), so it imports little.
import type { Json, JsonMap } from './json.js';
import { taskTypeAndName } from './task-type-and-name.js';

interface Named {
  readonly type: string;
  readonly name: string;
}

interface Template {
  readonly inputTemplate: JsonMap;
}

/** A rule on an input of a task configuration. */
export interface ConfiguredInput extends Named {
  readonly inputParameters: JsonMap;
  /** Of its own, instead of the registered one. */
  readonly taskDefinition?: Template;
}

/** The registered definition whose input template may hold a required key. */
export interface KnownTemplates {
  taskDef(name: string): Template | undefined;
}

/** "... field is required for ...". */
export function required(config: Named, field: string): string {
  return `${field} field is required for ${taskTypeAndName(config)}`;
}

/** Neither absent nor null. */
export function isGiven(value: Json | undefined): value is Exclude<Json, null> {
  return value !== undefined && value !== null;
}

/** Whether the configuration or the input template of its task definition has an input key. */
export function hasInput(config: ConfiguredInput, key: string, rules: KnownTemplates): boolean {
  if (Object.hasOwn(config.inputParameters, key)) return true;
  const def = config.taskDefinition ?? rules.taskDef(config.name);
  return isGiven(def?.inputTemplate[key]);
}

/** Input keys that neither the configuration nor the input template of its definition has. */
export function missingInputs(
  config: ConfiguredInput,
  keys: readonly string[],
  rules: KnownTemplates,
): string[] {
  return keys
    .filter((key) => !hasInput(config, key, rules))
    .map((key) => required(config, `inputParameters.${key}`));
}
