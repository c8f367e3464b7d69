// Warnings of parts of a workflow definition that are probably mistakes: fields that no version of
// the contract has, and task types that neither the field nor a worker is known to have. Both are
// taken as they are (an unknown field is never looked at, an unknown type is polled by workers
// under its name: contract-core 1.2 and 3), so they are told and refused nowhere. So are fields of
// the contract that change nothing here.
import { nearestOf } from '../std/nearest.js';
import { fieldTaskTypes } from './field-task-types.js';
import { workflowDefSchema, workflowTaskSchema } from './workflow-def.js';

/** Sentences that one definition may bring. */
export const warningsMax = 20;

/** Fields of a definition (contract-core 6.1), and of other servers' exports. */
export const definitionFields: ReadonlySet<string> = new Set([
  ...Object.keys(workflowDefSchema.properties ?? {}),
  ...['accessPolicy', 'onStateChange'],
]);

/** Fields of a task configuration (contract-core 6.2). */
export const taskFields: ReadonlySet<string> = new Set([
  ...Object.keys(workflowTaskSchema.properties ?? {}),
  'workflowTaskType',
]);

/** Fields that are kept and change nothing here, and what happens instead (semantics, preface). */
const unservedFields: ReadonlyMap<string, string> = new Map([
  ['cacheConfig', 'it is kept and has no effect here: the task runs each time.'],
]);

/** Types that are no worker's, and the one name that stands for a worker's. */
const knownTypes: ReadonlySet<string> = new Set([...fieldTaskTypes, 'SIMPLE']);

/** Of a definition as it came; at most `warningsMax`. Parsed before, so its form is right. */
export function definitionWarnings(input: unknown): string[] {
  const warnings: string[] = [];
  if (!isRecord(input)) return warnings;
  warnFields(input, '', definitionFields, warnings);
  warnTasks(input['tasks'], 'tasks', warnings);
  return warnings.slice(0, warningsMax);
}

function warnTasks(list: unknown, path: string, warnings: string[]): void {
  if (!Array.isArray(list)) return;
  for (const [index, task] of list.entries()) {
    if (warnings.length >= warningsMax) return;
    if (isRecord(task)) warnTask(task, `${path}[${index}]`, warnings);
  }
}

function warnTask(task: Fields, path: string, warnings: string[]): void {
  warnFields(task, `${path}.`, taskFields, warnings);
  const type = task['type'] ?? task['workflowTaskType'];
  if (typeof type === 'string' && !knownTypes.has(type)) {
    warnings.push(
      `${path}.type: no task type is called '${type}', so a worker must poll for tasks of that name.${hint(type, knownTypes)}`,
    );
  }
  const { decisionCases, defaultCase, forkTasks, loopOver } = task;
  if (isRecord(decisionCases)) {
    for (const name of Object.keys(decisionCases)) {
      warnTasks(decisionCases[name], `${path}.decisionCases[${name}]`, warnings);
    }
  }
  warnTasks(defaultCase, `${path}.defaultCase`, warnings);
  warnTasks(loopOver, `${path}.loopOver`, warnings);
  if (!Array.isArray(forkTasks)) return;
  for (const [index, branch] of forkTasks.entries()) {
    warnTasks(branch, `${path}.forkTasks[${index}]`, warnings);
  }
}

function warnFields(
  record: Fields,
  before: string,
  known: ReadonlySet<string>,
  warnings: string[],
): void {
  for (const name of Object.keys(record)) {
    if (warnings.length >= warningsMax) return;
    const unserved = record[name] === null ? undefined : unservedFields.get(name);
    if (unserved !== undefined) warnings.push(`${before}${name}: ${unserved}`);
    if (known.has(name)) continue;
    warnings.push(`${before}${name}: there is no such field.${hint(name, known)}`);
  }
}

function hint(name: string, known: ReadonlySet<string>): string {
  const nearest = nearestOf(name, known);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}

interface Fields {
  readonly [name: string]: unknown;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
