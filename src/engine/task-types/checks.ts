// Parts of the registration rules of task types (contract-core 6.4, semantics 0.5). The texts are
// those that clients know.
import { isAbsentText } from '../../model/absent-texts.js';
import { isMap, type Json } from '../../model/json.js';
import { parseMatchPath } from '../../model/match-path.js';
import { taskTypeAndName } from '../../model/task-type-and-name.js';
import type { WorkflowTask } from '../../model/workflow-def.js';
import type { CheckRules } from '../server-task-type.js';

/** "... field is required for ...". */
export function required(config: WorkflowTask, field: string): string {
  return `${field} field is required for ${taskTypeAndName(config)}`;
}

/** Neither absent nor null. */
export function isGiven(value: Json | undefined): value is Exclude<Json, null> {
  return value !== undefined && value !== null;
}

/** Whether the configuration or the input template of its task definition has an input key. */
export function hasInput(config: WorkflowTask, key: string, rules: CheckRules): boolean {
  if (Object.hasOwn(config.inputParameters, key)) return true;
  const def = config.taskDefinition ?? rules.taskDef(config.name);
  return isGiven(def?.inputTemplate[key]);
}

/** Input keys that neither the configuration nor the input template of its definition has. */
export function missingInputs(
  config: WorkflowTask,
  keys: readonly string[],
  rules: CheckRules,
): string[] {
  return keys
    .filter((key) => !hasInput(config, key, rules))
    .map((key) => required(config, `inputParameters.${key}`));
}

/** The parser's message about a script that does not parse. */
export function checkScript(config: WorkflowTask, source: string, rules: CheckRules): string[] {
  const trouble = rules.checkSyntax('javascript', source);
  if (trouble === undefined) return [];
  return [
    `Expression is not well formatted: ${trouble}, taskType: ${config.type} taskName ${config.name}`,
  ];
}

/** A choice needs at least one case. */
export function checkCases(config: WorkflowTask): string[] {
  if (Object.keys(config.decisionCases).length > 0) return [];
  const missing = `decisionCases should have atleast one task for ${taskTypeAndName(config)}`;
  return isAbsentText(config, 'decisionCases')
    ? [required(config, 'decisionCases'), missing]
    : [missing];
}

export const matchesRule = 'matches must be an object of paths and values';

/** Whether it can be what a task waits for; an expression is looked at when the task starts. */
export function isMatchMap(matches: Json | undefined): boolean {
  if (!isGiven(matches) || isMap(matches)) return true;
  return typeof matches === 'string' && (matches.trim() === '' || matches.includes('${'));
}

/** Why no event can ever be what a configuration waits for (contract-admin 12.5). */
export function checkMatches(config: WorkflowTask): string[] {
  const { matches } = config.inputParameters;
  const refusal = (rule: string): string[] => [
    `inputParameters.${rule} for ${taskTypeAndName(config)}`,
  ];
  if (!isMatchMap(matches)) return refusal(matchesRule);
  if (!isMap(matches)) return [];
  const odd = Object.keys(matches).find(
    (path) => !path.includes('${') && parseMatchPath(path) === undefined,
  );
  if (odd === undefined) return [];
  return refusal(`matches has a path that cannot be read: '${odd.slice(0, 200)}'`);
}
