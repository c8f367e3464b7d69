// Walks through a definition for the checks: tasks at any depth with their paths, and texts with
// the expressions in them.
import { isObject, objectsOf, textOf, type JsonObject } from '../shared/json.js';

export interface PlacedTask {
  /** Such as `tasks[2].decisionCases[a][0]`. */
  readonly path: string;
  readonly task: JsonObject;
  /** Types of the tasks around it, outermost first. */
  readonly inside: readonly string[];
}

export interface PlacedText {
  readonly path: string;
  readonly text: string;
}

/** All tasks of a workflow definition, in its order. */
export function tasksOf(definition: JsonObject): PlacedTask[] {
  return listed(definition['tasks'], 'tasks', []);
}

export function typeOf(task: JsonObject): string {
  return textOf(task['type'] ?? task['workflowTaskType']) || 'SIMPLE';
}

function listed(list: unknown, path: string, inside: readonly string[]): PlacedTask[] {
  return objectsOf(list).flatMap((task, index) => {
    const at = `${path}[${index}]`;
    return [{ path: at, task, inside }, ...nested(task, at, [...inside, typeOf(task)])];
  });
}

function nested(task: JsonObject, path: string, inside: readonly string[]): PlacedTask[] {
  const { decisionCases, defaultCase, forkTasks, loopOver } = task;
  const cases = isObject(decisionCases) ? Object.entries(decisionCases) : [];
  const branches = Array.isArray(forkTasks) ? (forkTasks as unknown[]) : [];
  return [
    ...cases.flatMap(([name, list]) => listed(list, `${path}.decisionCases[${name}]`, inside)),
    ...listed(defaultCase, `${path}.defaultCase`, inside),
    ...branches.flatMap((list, index) => listed(list, `${path}.forkTasks[${index}]`, inside)),
    ...listed(loopOver, `${path}.loopOver`, inside),
  ];
}

/** Every text inside a value. */
export function textsOf(value: unknown, path: string): PlacedText[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value))
    return value.flatMap((each: unknown, index) => textsOf(each, `${path}[${index}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    textsOf(each, path === '' ? name : `${path}.${name}`),
  );
}

/** The texts between `${` and `}`, without escaped ones (`$${`). */
export function expressionsIn(text: string): string[] {
  return [...text.matchAll(/(?<!\$)\$\{([^{}]*)\}/g)].map(([, inner = '']) => inner.trim());
}

/** Scripts of a task: what a script engine reads. */
export function scriptsOf({ path, task }: PlacedTask): PlacedText[] {
  const type = typeOf(task);
  const input = isObject(task['inputParameters']) ? task['inputParameters'] : {};
  const evaluator = textOf(task['evaluatorType'] ?? input['evaluatorType']);
  const found: (readonly [string, unknown])[] = [];
  if (type === 'INLINE' || type === 'LAMBDA') {
    found.push(
      [`${path}.inputParameters.expression`, input['expression']],
      [`${path}.inputParameters.scriptExpression`, input['scriptExpression']],
    );
  }
  if (evaluator !== 'value-param') found.push([`${path}.expression`, task['expression']]);
  found.push(
    [`${path}.caseExpression`, task['caseExpression']],
    [`${path}.loopCondition`, task['loopCondition']],
    [`${path}.scriptExpression`, task['scriptExpression']],
  );
  return found.flatMap(([at, text]) =>
    typeof text === 'string' && text !== '' ? [{ path: at, text }] : [],
  );
}
