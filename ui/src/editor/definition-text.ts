// Reads the text of a definition: its tasks, the references in it, and those that name no task.
import type { JsonObject, WorkflowDef, WorkflowTask } from '../api/types';
import { fieldNames } from '../graph/task-fields';
import { taskTypes } from '../graph/task-types';
import { brokenReferences } from './broken-references';
import type { Problem } from './problems';

export interface ReadText {
  readonly definition?: WorkflowDef;
  readonly problem?: string;
  readonly tasks: readonly WorkflowTask[];
  /** Every reference name. */
  readonly refs: readonly string[];
  /** References that name no task. */
  readonly broken: readonly Problem[];
}

export function readDefinition(text: string): ReadText {
  const nothing = { tasks: [], refs: [], broken: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ...nothing, problem: (error as Error).message };
  }
  if (value === null || typeof value !== 'object' || !Array.isArray((value as WorkflowDef).tasks)) {
    return { ...nothing, problem: 'A definition is an object with a list `tasks`.' };
  }
  const definition = value as WorkflowDef;
  const tasks = soundTasks(definition.tasks);
  const all: WorkflowTask[] = [];
  visitTasks(tasks, (task) => all.push(task));
  const refs = all.map(({ taskReferenceName }) => taskReferenceName);
  const broken = brokenReferences(definition, refs);
  return { definition, tasks, refs, broken };
}

/** The tasks of a list, with lists of tasks in them; what is neither is left out. */
function soundTasks(list: unknown): WorkflowTask[] {
  return Array.isArray(list) ? list.filter(isTask).map(soundTask) : [];
}

function soundTask(task: WorkflowTask): WorkflowTask {
  const { decisionCases, defaultCase, forkTasks, loopOver, type } = task;
  const isMap = decisionCases !== null && typeof decisionCases === 'object';
  const cases = Object.entries(isMap ? decisionCases : {});
  return {
    ...task,
    ...(typeof type === 'string' ? {} : { type: 'SIMPLE' }),
    decisionCases: Object.fromEntries(cases.map(([name, list]) => [name, soundTasks(list)])),
    defaultCase: soundTasks(defaultCase),
    forkTasks: Array.isArray(forkTasks) ? forkTasks.map(soundTasks) : [],
    loopOver: soundTasks(loopOver),
  } as WorkflowTask;
}

function isTask(value: unknown): value is WorkflowTask {
  return (
    value !== null &&
    typeof value === 'object' &&
    typeof (value as WorkflowTask).taskReferenceName === 'string'
  );
}

/** Calls back for each task, those inside other tasks too. */
export function visitTasks(
  tasks: readonly WorkflowTask[],
  visit: (task: WorkflowTask) => void,
): void {
  for (const task of tasks) {
    visit(task);
    const below = [
      ...Object.values(task.decisionCases ?? {}),
      task.defaultCase ?? [],
      ...(task.forkTasks ?? []),
      task.loopOver ?? [],
    ];
    for (const list of below) visitTasks(list, visit);
  }
}

/** Members of definitions and tasks. */
const textNames = [
  ...new Set([
    ...['taskReferenceName', 'type', 'inputParameters', 'decisionCases', 'defaultCase'],
    ...['forkTasks', 'loopOver', 'tasks'],
    ...fieldNames,
  ]),
];

/** The offers of completion. */
export function offersOf({ refs, definition }: ReadText): readonly string[] {
  const named: unknown = definition?.inputParameters;
  const inputs = Array.isArray(named) ? named : [];
  return [
    ...inputs.map((name) => `\${workflow.input.${name}}`),
    ...refs.map((ref) => `\${${ref}.output}`),
    ...textNames,
    ...taskTypes.map(({ type }) => type),
  ];
}

/** Members that the server writes into every task, and that mean the same when they are absent. */
const defaults: Readonly<Record<string, string>> = {
  ...{ decisionCases: '{}', onStateChange: '{}', metadata: '{}', defaultCase: '[]' },
  ...{ forkTasks: '[]', joinOn: '[]', defaultExclusiveJoinTask: '[]', loopOver: '[]' },
  ...{ startDelay: '0', optional: 'false', permissive: 'false', asyncComplete: 'false' },
};

/** A stored definition as a person would have written it. */
export function withoutDefaults(definition: WorkflowDef): WorkflowDef {
  const tasks = definition.tasks.map((task) => shortened(task)) as WorkflowTask[];
  return { ...definition, tasks };
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortened);
  if (value === null || typeof value !== 'object') return value;
  const isTask = typeof (value as JsonObject)['taskReferenceName'] === 'string';
  const kept = Object.entries(value).filter(
    ([name, member]) =>
      !isTask || (name !== 'taskDefinition' && JSON.stringify(member) !== defaults[name]),
  );
  return Object.fromEntries(
    kept.map(([name, member]) => [name, name === 'inputParameters' ? member : shortened(member)]),
  );
}
