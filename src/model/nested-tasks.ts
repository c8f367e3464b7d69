// Walks over the task configurations of a definition, those inside decisions, forks and loops
// included.
import type { WorkflowTask } from './workflow-def.js';

/**
 * The lists of configurations directly inside one, each with its place in it, such as
 * `decisionCases[a]`.
 */
export function nestedLists(
  task: WorkflowTask,
): { readonly place: string; readonly tasks: readonly WorkflowTask[] }[] {
  const lists: { place: string; tasks: readonly WorkflowTask[] }[] = [];
  for (const key of Object.keys(task.decisionCases)) {
    lists.push({
      place: `decisionCases[${key}]`,
      tasks: task.decisionCases[key] as WorkflowTask[],
    });
  }
  if (task.defaultCase.length > 0) lists.push({ place: 'defaultCase', tasks: task.defaultCase });
  task.forkTasks.forEach((tasks, index) => lists.push({ place: `forkTasks[${index}]`, tasks }));
  if (task.loopOver.length > 0) lists.push({ place: 'loopOver', tasks: task.loopOver });
  return lists;
}

/** Calls `visit` for each configuration, outer before inner, in the order of the definition. */
export function forEachTask(
  tasks: readonly WorkflowTask[],
  visit: (task: WorkflowTask) => void,
): void {
  for (const task of tasks) {
    visit(task);
    for (const { tasks: inner } of nestedLists(task)) forEachTask(inner, visit);
  }
}

/**
 * A copy of `tasks` with `convert` applied to each configuration after the ones inside it. Lists
 * and maps of configurations are new, everything else is shared.
 */
export function mapTasks(
  tasks: readonly WorkflowTask[],
  convert: (task: WorkflowTask) => WorkflowTask,
): WorkflowTask[] {
  return tasks.map((task) => mapTask(task, convert));
}

/** As `mapTasks`, of one configuration. */
export function mapTask(
  task: WorkflowTask,
  convert: (task: WorkflowTask) => WorkflowTask,
): WorkflowTask {
  const decisionCases = Object.create(null) as { [caseValue: string]: WorkflowTask[] };
  for (const key of Object.keys(task.decisionCases)) {
    decisionCases[key] = mapTasks(task.decisionCases[key] as WorkflowTask[], convert);
  }
  return convert({
    ...task,
    decisionCases,
    defaultCase: mapTasks(task.defaultCase, convert),
    forkTasks: task.forkTasks.map((branch) => mapTasks(branch, convert)),
    loopOver: mapTasks(task.loopOver, convert),
  });
}
