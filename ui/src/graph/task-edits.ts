// Edits of a definition, as a graph makes them: insert, delete, move, wrap and replace a task.
// Each takes the value of the text and gives another one. Places and tasks are named by reference
// names, which must be unique.
//
// A fork and the JOIN right after it are one: they move and go together. The JOIN waits for the
// last task of each branch after an edit if it did so before.
import { isSamePlace, topList, type Place } from './places';
import { freeName, lastRefs, newTasks } from './new-tasks';
import { renamed } from './rename-refs';
import {
  branchesOf,
  casesOf,
  eachList,
  indexOf,
  isFork,
  isSameList,
  isTask,
  mapLists,
  unitLength,
  type RawDefinition,
  type RawList,
  type RawTask,
} from './task-lists';

/** Reference names of all tasks, each as often as it stands there. */
export function refsIn(tasks: RawList): readonly string[] {
  const refs: string[] = [];
  eachList({ tasks }, (list) => {
    for (const task of list.filter(isTask)) refs.push(task.taskReferenceName);
  });
  return refs;
}

export function taskOf(definition: RawDefinition, ref: string): RawTask | undefined {
  return unitOf(definition, ref)[0];
}

/** How many tasks stand in a task. */
export function sizeBelow(task: RawTask): number {
  return refsIn([task]).length - 1;
}

export function insertTasks(
  definition: RawDefinition,
  place: Place,
  added: RawList,
): RawDefinition {
  return inStep(definition, inserted(definition, place, added));
}

export function deleteTask(definition: RawDefinition, ref: string): RawDefinition {
  return inStep(definition, withoutEmptyBranches(definition, without(definition, ref)));
}

export function moveTask(definition: RawDefinition, ref: string, place: Place): RawDefinition {
  if (!placeFilter(definition, ref)(place)) return definition;
  const moved = inserted(without(definition, ref), place, unitOf(definition, ref));
  return inStep(definition, withoutEmptyBranches(definition, moved));
}

/**
 * Asks whether a task can be put at a place: nothing comes between a fork and its JOIN. `moved`:
 * reference name of the task that goes there, which is neither where it stands nor in itself.
 */
export function placeFilter(definition: RawDefinition, moved = ''): (place: Place) => boolean {
  const closed = new Set<string>();
  eachJoin(definition, ({ taskReferenceName }) => closed.add(taskReferenceName));
  const inside = new Set(refsIn(unitOf(definition, moved)));
  const own = moved === '' ? undefined : placeBefore(definition, moved);
  return (place) =>
    !closed.has(place.after) &&
    !inside.has(place.owner) &&
    !inside.has(place.after) &&
    !isSamePlace(place, own);
}

/** Where a task stands. */
export function placeBefore(definition: RawDefinition, ref: string): Place {
  let found: Place = { ...topList, after: '' };
  eachList(definition, (list, where) => {
    const at = indexOf(list, ref);
    const before = list[at - 1];
    if (at >= 0) found = { ...where, after: isTask(before) ? before.taskReferenceName : '' };
  });
  return found;
}

export type Wrapping = 'DO_WHILE' | 'SWITCH' | 'FORK_JOIN';

/** Puts a task into a new task that repeats it, chooses it, or runs it beside others. */
export function wrapTask(
  definition: RawDefinition,
  ref: string,
  wrapping: Wrapping,
): RawDefinition {
  const unit = unitOf(definition, ref);
  const wrapped = newTasks(wrapping, refsIn(definition.tasks), unit);
  let isWrapped = false;
  const next = mapLists(definition, (list) => {
    const at = indexOf(list, ref);
    // The task stands in the new one afterwards.
    if (at < 0 || isWrapped) return list;
    isWrapped = true;
    return list.toSpliced(at, unit.length, ...wrapped);
  });
  return inStep(definition, next);
}

/** Takes the place of a task; where it is renamed, what refers to it follows. */
export function replaceTask(definition: RawDefinition, ref: string, next: RawTask): RawDefinition {
  const replaced = mapLists(definition, (list) => {
    const at = indexOf(list, ref);
    return at < 0 ? list : list.with(at, next);
  });
  return renamed(replaced, ref, next.taskReferenceName);
}

/** Adds a branch to a fork, or a case to a switch, with a new task in it. */
export function addBranch(definition: RawDefinition, ref: string): RawDefinition {
  const added = newTasks('SIMPLE', refsIn(definition.tasks));
  const next = mapLists(definition, (list) => {
    const at = indexOf(list, ref);
    return at < 0 ? list : list.with(at, withBranch(list[at] as RawTask, added));
  });
  return inStep(definition, next);
}

function withBranch(task: RawTask, added: RawList): RawTask {
  if (isFork(task)) return { ...task, forkTasks: [...branchesOf(task), added] };
  const cases = casesOf(task);
  const name = freeName('case', Object.keys(cases));
  return { ...task, decisionCases: { ...cases, [name]: added } };
}

/** Gives a case of a switch another name; '' removes the case. */
export function renameCase(
  definition: RawDefinition,
  { ref, from, to }: { readonly ref: string; readonly from: string; readonly to: string },
): RawDefinition {
  const next = mapLists(definition, (list) => {
    const at = indexOf(list, ref);
    if (at < 0) return list;
    const task = list[at] as RawTask;
    const cases = Object.entries(casesOf(task))
      .map(([name, inside]) => [name === from ? to : name, inside] as const)
      .filter(([name]) => name !== '');
    return list.with(at, { ...task, decisionCases: Object.fromEntries(cases) });
  });
  return inStep(definition, next);
}

/** The task with the JOIN of a fork; [] when there is none. */
export function unitOf(definition: RawDefinition, ref: string): RawList {
  let unit: RawList = [];
  eachList(definition, (list) => {
    const at = indexOf(list, ref);
    if (at >= 0) unit = list.slice(at, at + unitLength(list, at));
  });
  return unit;
}

function inserted(definition: RawDefinition, place: Place, added: RawList): RawDefinition {
  return mapLists(definition, (list, where) =>
    isSameList(where, place) ? list.toSpliced(indexOf(list, place.after) + 1, 0, ...added) : list,
  );
}

function without(definition: RawDefinition, ref: string): RawDefinition {
  return mapLists(definition, (list) => {
    const at = indexOf(list, ref);
    return at < 0 ? list : list.toSpliced(at, unitLength(list, at));
  });
}

/** Forks lose the branches that an edit emptied. */
function withoutEmptyBranches(before: RawDefinition, after: RawDefinition): RawDefinition {
  return mapLists(after, (list) =>
    list.map((task) => {
      if (!isTask(task) || !isFork(task)) return task;
      const known = taskOf(before, task.taskReferenceName);
      const branches = branchesOf(task);
      const wereEmpty = (known === undefined ? [] : branchesOf(known)).map(isEmpty);
      const kept = branches.filter((branch, at) => !isEmpty(branch) || wereEmpty[at]);
      return kept.length === branches.length ? task : { ...task, forkTasks: kept };
    }),
  );
}

const isEmpty = (list: RawList): boolean => list.length === 0;

/** JOINs that waited for the last tasks of their fork's branches wait for the last ones now. */
function inStep(before: RawDefinition, after: RawDefinition): RawDefinition {
  const kept = new Set<string>();
  eachJoin(before, (fork, join) => {
    if (!isFork(fork)) return;
    const has = Array.isArray(join['joinOn']) ? join['joinOn'] : [];
    const last = lastRefs(branchesOf(fork));
    if (has.length === last.length && last.every((ref) => has.includes(ref)))
      kept.add(join.taskReferenceName);
  });
  const wanted = new Map<string, readonly string[]>();
  eachJoin(after, (fork, { taskReferenceName: ref }) => {
    if (isFork(fork) && kept.has(ref)) wanted.set(ref, lastRefs(branchesOf(fork)));
  });
  return mapLists(after, (list) =>
    list.map((task) => {
      const joinOn = isTask(task) ? wanted.get(task.taskReferenceName) : undefined;
      return joinOn === undefined ? task : { ...task, joinOn };
    }),
  );
}

function eachJoin(definition: RawDefinition, visit: (fork: RawTask, join: RawTask) => void): void {
  eachList(definition, (list) =>
    list.forEach((task, at) => {
      if (unitLength(list, at) === 2) visit(task, list[at + 1] as RawTask);
    }),
  );
}
