// Where a task stands in a definition: in which list, and after which task. Places are named by
// reference names, so that they hold while other parts of the definition change.

/** The members of a task, or of a definition, that hold lists of tasks. */
export type ListPart = 'tasks' | 'loopOver' | 'defaultCase' | 'decisionCases' | 'forkTasks';

export interface TaskList {
  /** Reference name of the task that holds the list; '' for the definition. */
  readonly owner: string;
  readonly part: ListPart;
  /** Of `decisionCases` the case, of `forkTasks` the index of the branch; else ''. */
  readonly name: string;
}

export interface Place extends TaskList {
  /** Reference name of the task before it; '' at the beginning of the list. */
  readonly after: string;
}

export const topList: TaskList = { owner: '', part: 'tasks', name: '' };

export function isSamePlace(a: Place | undefined, b: Place | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    (['owner', 'part', 'name', 'after'] as const).every((key) => a[key] === b[key])
  );
}

/** Such as `after charge` or `at the beginning of case large of size`. */
export function placeWords({ owner, part, name, after }: Place): string {
  if (after !== '') return `after ${after}`;
  if (owner === '') return 'at the beginning';
  const branch = {
    ...{ tasks: '', loopOver: '', defaultCase: 'the default case of ' },
    decisionCases: `case ${name} of `,
    forkTasks: `branch ${Number(name) + 1} of `,
  };
  return `at the beginning of ${branch[part]}${owner}`;
}
