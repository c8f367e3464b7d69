// Makes the records that stay agree again after others have been removed from the middle of a run
// (rerun from a task, a TERMINATE that is to be reached again). Three things can be left behind,
// and one scan each puts them right:
//
//   a JOIN that had already ended, although something it joins is to run again      goes on waiting
//   a loop whose later iterations are gone goes on in its newest one
//   a consumed record whose successor is gone is consumed again, which makes the successor
import { taskPart } from './decision.js';
import type { Task } from '../model/execution.js';
import { isTerminalTask } from '../model/status.js';
import type { FlowRole } from './compile.js';
import { waitsForOthers } from './open-execution.js';
import { plainRefOf } from './references.js';
import { withdraw } from './records.js';
import { reopenRecord } from './reopen.js';
import { findNext } from './schedule.js';
import { rewindLoop } from './task-types/do-while.js';
import { taskTypeOf } from './task-types/list.js';
import type { Transition } from './transition.js';

/** Removes every record (restart, rerun from the beginning). `rebuild` has to follow. */
export function removeAllTasks(t: Transition): void {
  const { tasks, state } = t.execution;
  for (const task of tasks) forget(t, task);
  tasks.length = 0;
  state.seqCounter = 0;
}

/** Removes the records for which `isGone` holds and gives them. `rebuild` has to follow. */
export function removeTasks(t: Transition, isGone: (task: Task) => boolean): Task[] {
  const { execution } = t;
  const removed = execution.tasks.filter(isGone);
  if (removed.length === 0) return removed;
  for (const task of removed) forget(t, task);
  execution.tasks = execution.tasks.filter((task) => !isGone(task));
  return removed;
}

function forget(t: Transition, task: Task): void {
  withdraw(t, task);
  if (t.open.types.of(task).isFollowed) t.closed.push(task);
  if (!isTerminalTask(task.status)) taskTypeOf(task).cancel(t, task);
  t.changes.tasks.delete(task);
  t.changes.removedTasks.add(task.number);
}

/**
 * A TERMINATE that ended the last run must not stand as done in the next one: its record goes, and
 * what leads to it reaches it again (`repairFlow`). Gives what was removed.
 */
export function removeTerminates(t: Transition): Task[] {
  return removeTasks(t, (task) => roleOf(task) === 'end' && task.status === 'COMPLETED');
}

/**
 * Repairs what stayed after `gone` records were removed or are to run again (`again`). The
 * execution is RUNNING and its indices fit its records. `rebuild` has to follow.
 */
export function repairFlow(t: Transition, gone: readonly Task[], again: readonly Task[]): void {
  reopenDependants(t, gone, again);
  t.open.rebuild();
  for (const task of t.execution.tasks) {
    if (!task.executed || task.retried || task.status === 'SKIPPED') continue;
    if (!isTerminalTask(task.status) || !lacksSuccessor(t, task)) continue;
    task.executed = false;
    t.touch(task, taskPart.record);
  }
}

/** JOINs and loops that were done with something that is not done any more, outwards. */
function reopenDependants(t: Transition, gone: readonly Task[], again: readonly Task[]): void {
  const { open } = t;
  const undone = new Set<string>();
  /** Newest iteration that a loop may stand in, by reference of the DO_WHILE. */
  const loops = new Map<string, number>();
  for (const task of [...gone, ...again]) {
    undone.add(task.ref);
    const loop = open.nodes.of(task)?.loop;
    if (loop !== undefined) loops.set(loop.ref, 0);
  }
  if (loops.size > 0) {
    for (const task of t.execution.tasks) {
      const ref = open.nodes.of(task)?.loop?.ref;
      const newest = ref === undefined ? undefined : loops.get(ref);
      if (ref !== undefined && newest !== undefined)
        loops.set(ref, Math.max(newest, task.iteration));
    }
  }
  const waiting = t.execution.tasks.filter((task) => !task.retried && waitsForOthers(t.open, task));
  while (reopenSome(t, waiting, undone, loops)) continue;
}

function reopenSome(
  t: Transition,
  waiting: Task[],
  undone: Set<string>,
  loops: Map<string, number>,
): boolean {
  let found = false;
  for (const [index, task] of waiting.entries()) {
    const ref = plainRefOf(task);
    const isLoop = roleOf(task) === 'loop';
    const isUndone = isLoop ? loops.has(ref) || loops.has(task.ref) : waitsForAny(task, undone);
    if (!isUndone) continue;
    waiting.splice(index, 1);
    found = true;
    const iteration = loops.get(ref);
    if (isLoop && iteration !== undefined) rewindLoop(t, task, iteration);
    if (isTerminalTask(task.status)) reopenRecord(t, task);
    undone.add(task.ref);
    const loop = t.open.nodes.of(task)?.loop;
    if (loop !== undefined && !loops.has(loop.ref)) loops.set(loop.ref, task.iteration);
    break;
  }
  return found;
}

function roleOf(task: Task): FlowRole {
  return taskTypeOf(task).role;
}

function waitsForAny(join: Task, refs: ReadonlySet<string>): boolean {
  return taskTypeOf(join)
    .waitsFor(join)
    .some((ref) => refs.has(ref));
}

/** Whether consuming this record again would make a record. */
function lacksSuccessor(t: Transition, task: Task): boolean {
  const { open } = t;
  const node = open.nodes.of(task);
  if (node === undefined) return false;
  const type = taskTypeOf(task);
  if (type.role === 'fork' || type.role === 'dynamic-fork') {
    const heads = open.nodes.branchHeads(task);
    const lacking = heads.some((head) => findNext(t, head, task.iteration) !== undefined);
    if (lacking || findNext(t, node.next, task.iteration) !== undefined) return true;
    open.nodes.expanded(task);
    return false;
  }
  return findNext(t, type.successor(t, task, node), task.iteration) !== undefined;
}
