// The branches of dynamic forks. A definition does not have them: they come from the tasks that an
// execution has scheduled. Each task that the definition does not name belongs to the last dynamic
// fork before it, as a fork schedules its branches at once.
import { useMemo, useRef } from 'react';
import type { WorkflowDef, WorkflowTask } from '../../api/types';
import { visitTasks } from '../../editor/definition-text';
import type { Outline, TaskRow } from './outline';

/** The reference name of the definition: without the iteration of a loop. */
export const plainRef = (ref: string): string => ref.replace(/__\d+$/, '');

/** The tasks of the definition, with the branches of its dynamic forks. */
export function useDrawnTasks({ definition, tasks }: Outline): readonly WorkflowTask[] {
  const before = useRef<Drawn>(undefined);
  const branches = useMemo(() => branchesOf(definition.tasks, tasks), [definition, tasks]);
  // The same tasks stay one object, so that a change of state does not lay the graph out anew.
  if (before.current?.definition !== definition || !isSame(before.current.branches, branches)) {
    before.current = { definition, branches, tasks: withBranches(definition.tasks, branches) };
  }
  return before.current.tasks;
}

interface Drawn {
  readonly definition: WorkflowDef;
  readonly branches: Branches;
  readonly tasks: readonly WorkflowTask[];
}

/** The tasks of the definition, with the branches of its dynamic forks. */
export function drawnTasks({ definition, tasks }: Outline): readonly WorkflowTask[] {
  return withBranches(definition.tasks, branchesOf(definition.tasks, tasks));
}

/** Rows by reference name, by dynamic fork. */
type Branches = ReadonlyMap<string, ReadonlyMap<string, TaskRow>>;

export function branchesOf(tasks: readonly WorkflowTask[], rows: readonly TaskRow[]): Branches {
  const named = new Set<string>();
  const forks = new Map<string, Map<string, TaskRow>>();
  visitTasks(tasks, ({ taskReferenceName: ref, type }) => {
    named.add(ref);
    if (type === 'FORK_JOIN_DYNAMIC') forks.set(ref, new Map());
  });
  if (forks.size === 0) return forks;
  const known = new Set<string>();
  let fork: Map<string, TaskRow> | undefined;
  for (const row of rows) {
    const { referenceTaskName, iteration } = row;
    const ref = iteration > 0 ? plainRef(referenceTaskName) : referenceTaskName;
    if (named.has(ref)) fork = forks.get(ref) ?? fork;
    else if (!known.has(ref)) {
      known.add(ref);
      fork?.set(ref, row);
    }
  }
  return forks;
}

function isSame(a: Branches, b: Branches): boolean {
  return [...b].every(([fork, below]) => {
    const [known, refs] = [[...(a.get(fork)?.keys() ?? [])], [...below.keys()]];
    return known.length === refs.length && known.every((ref, index) => ref === refs[index]);
  });
}

function withBranches(tasks: readonly WorkflowTask[], branches: Branches): readonly WorkflowTask[] {
  if (branches.size === 0) return tasks;
  const all = (list: readonly WorkflowTask[] | undefined): WorkflowTask[] =>
    withBranches(list ?? [], branches) as WorkflowTask[];
  return tasks.map((task) => {
    const below = branches.get(task.taskReferenceName);
    const cases = Object.entries(task.decisionCases ?? {});
    return {
      ...task,
      decisionCases: Object.fromEntries(cases.map(([name, list]) => [name, all(list)])),
      defaultCase: all(task.defaultCase),
      loopOver: all(task.loopOver),
      forkTasks:
        below === undefined
          ? (task.forkTasks ?? []).map(all)
          : [...below].map(([ref, row]) => [branchTask(ref, row)]),
    };
  });
}

function branchTask(ref: string, { taskDefName: name, taskType: type }: TaskRow): WorkflowTask {
  return { name, taskReferenceName: ref, type } as WorkflowTask;
}
