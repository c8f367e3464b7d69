// Parts of the registration rules of task types (contract-core 6.4, semantics 0.5). The texts are
// those that clients know.
import { isAbsentText } from '../../model/absent-texts.js';
import { isMap, type Json } from '../../model/json.js';
import { parseMatchPath } from '../../model/match-path.js';
import { taskTypeAndName } from '../../model/task-type-and-name.js';
import type { WorkflowTask } from '../../model/workflow-def.js';
import { isGiven, required } from '../../model/input-rules.js';
import type { CheckRules } from '../server-task-type.js';

export { hasInput, isGiven, missingInputs, required } from '../../model/input-rules.js';

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
