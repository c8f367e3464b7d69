// The tasks of two definitions as one list: each task once, by its reference name, those of the
// second one after the task that they follow there.
import type { WorkflowTask } from '../../api/types';
import { visitTasks } from '../../editor/definition-text';

type Tasks = readonly WorkflowTask[];

export function mergedTasks(here: Tasks, there: Tasks): Tasks {
  const named = new Set<string>();
  visitTasks(here, ({ taskReferenceName }) => named.add(taskReferenceName));
  return merged(here, there, named);
}

/** `named`: references anywhere in the first definition; what moved stays where it is here. */
function merged(here: Tasks, there: Tasks, named: ReadonlySet<string>): WorkflowTask[] {
  const others = new Map(there.map((task) => [task.taskReferenceName, task]));
  const list = here.map((task) => {
    const other = others.get(task.taskReferenceName);
    return other === undefined ? task : mergedTask(task, other, named);
  });
  let at = 0;
  for (const task of there) {
    const index = list.findIndex(
      ({ taskReferenceName }) => taskReferenceName === task.taskReferenceName,
    );
    if (index >= 0) at = index + 1;
    else if (!named.has(task.taskReferenceName)) {
      list.splice(at, 0, task);
      at += 1;
    }
  }
  return list;
}

function mergedTask(
  here: WorkflowTask,
  there: WorkflowTask,
  named: ReadonlySet<string>,
): WorkflowTask {
  const lists = (a: Tasks | undefined, b: Tasks | undefined): WorkflowTask[] =>
    merged(a ?? [], b ?? [], named);
  const cases = { ...there.decisionCases, ...here.decisionCases };
  const forks = here.forkTasks ?? [];
  const others = there.forkTasks ?? [];
  const branches = forks.length > others.length ? forks : others;
  return {
    ...here,
    decisionCases: Object.fromEntries(
      Object.keys(cases).map((name) => [
        name,
        lists(here.decisionCases?.[name], there.decisionCases?.[name]),
      ]),
    ),
    defaultCase: lists(here.defaultCase, there.defaultCase),
    loopOver: lists(here.loopOver, there.loopOver),
    forkTasks: branches.map((_branch, index) => lists(forks[index], others[index])),
  };
}
