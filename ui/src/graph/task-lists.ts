// The lists of tasks in the value of a definition's text. A value that is no task, or has no
// meaning, stays as it is.
import type { TaskList } from './places';

/** A member of the text, of which nothing is known but what it is called. */
export interface RawTask {
  readonly taskReferenceName: string;
  readonly [member: string]: unknown;
}

export interface RawDefinition {
  readonly tasks: RawList;
  readonly [member: string]: unknown;
}

export type RawList = readonly RawTask[];

/** Gives the list that takes the place of another one. */
export type ListEdit = (list: RawList, where: TaskList) => RawList;

export function isTask(value: unknown): value is RawTask {
  const ref = (value as RawTask | null | undefined)?.taskReferenceName;
  return typeof ref === 'string';
}

export const isFork = ({ type }: RawTask): boolean => type === 'FORK_JOIN';
export const isSwitch = ({ type }: RawTask): boolean => type === 'SWITCH' || type === 'DECISION';

/** The branches of a fork. */
export function branchesOf({ forkTasks }: RawTask): readonly RawList[] {
  return (Array.isArray(forkTasks) ? forkTasks : []).map(asList);
}

/** The cases of a switch, without the default one. */
export function casesOf({ decisionCases }: RawTask): Readonly<Record<string, RawList>> {
  const cases = decisionCases !== null && typeof decisionCases === 'object' ? decisionCases : {};
  return Object.fromEntries(Object.entries(cases).map(([name, list]) => [name, asList(list)]));
}

export function indexOf(list: RawList, ref: string): number {
  return list.findIndex((task) => isTask(task) && task.taskReferenceName === ref);
}

/** How many tasks of a list move and go with the one at an index: a fork takes its JOIN along. */
export function unitLength(list: RawList, at: number): number {
  const [task, next] = [list[at], list[at + 1]];
  const opens = isTask(task) && (isFork(task) || task['type'] === 'FORK_JOIN_DYNAMIC');
  return opens && isTask(next) && next['type'] === 'JOIN' ? 2 : 1;
}

export function isSameList(a: TaskList, b: TaskList): boolean {
  return a.owner === b.owner && a.part === b.part && a.name === b.name;
}

/** Visits each list with its tasks, outer ones first. */
export function eachList(
  definition: RawDefinition,
  visit: (list: RawList, where: TaskList) => void,
): void {
  mapLists(definition, (list, where) => {
    visit(list, where);
    return list;
  });
}

/** Gives each list of tasks to `edit`, outer ones first, and then the lists in what it gave. */
export function mapLists(definition: RawDefinition, edit: ListEdit): RawDefinition {
  const mapped = (value: unknown, where: TaskList): RawList =>
    edit(asList(value), where).map((task) => (isTask(task) ? inside(task) : task));
  const inside = (task: RawTask): RawTask => {
    const owner = task.taskReferenceName;
    const lists: Record<string, unknown> = {};
    for (const part of ['loopOver', 'defaultCase'] as const) {
      const holds = part === 'loopOver' ? task['type'] === 'DO_WHILE' : isSwitch(task);
      if (!holds) continue;
      const list = mapped(task[part], { owner, part, name: '' });
      if (list.length > 0 || task[part] !== undefined) lists[part] = list;
    }
    if (isSwitch(task) && task['decisionCases'] !== undefined) {
      const cases = Object.entries(casesOf(task)).map(([name, list]) => {
        return [name, mapped(list, { owner, part: 'decisionCases', name })] as const;
      });
      lists['decisionCases'] = Object.fromEntries(cases);
    }
    if (isFork(task) && task['forkTasks'] !== undefined) {
      lists['forkTasks'] = branchesOf(task).map((list, index) =>
        mapped(list, { owner, part: 'forkTasks', name: String(index) }),
      );
    }
    return { ...task, ...lists };
  };
  return { ...definition, tasks: mapped(definition.tasks, { owner: '', part: 'tasks', name: '' }) };
}

function asList(value: unknown): RawList {
  return Array.isArray(value) ? (value as RawList) : [];
}
