// WAIT (semantics 4.13): until a time, for a duration, or until somebody reports.
import type { Task } from '../../model/execution.js';
import type { JsonMap } from '../../model/json.js';
import { parseWaitDuration, parseWaitUntil } from '../../model/wait-time.js';
import { plainInput } from '../mapping.js';
import { createTask, setNotes } from '../records.js';
import { notesOf } from '../task-kinds.js';
import type { Transition } from '../transition.js';
import type { TaskType } from './contract.js';
import { beginRunning, createRunning } from './inline-run.js';
import { delayRun } from './delayed-start.js';

/** callbackAfterSeconds of a WAIT without timer. */
const noTimerSeconds = 2147483647;

export const waitTask: TaskType = {
  types: ['WAIT'],
  map(t, site) {
    const input = plainInput(t, site, true);
    const end = waitEndOf(input.value, t.now);
    if (end.kind === 'timer' || end.kind === 'none') {
      createRunning(t, site, input, {
        callbackAfterSeconds: end.kind === 'none' ? noTimerSeconds : end.seconds,
        waitUntilAt: end.kind === 'none' ? 0 : end.at,
      });
      return;
    }
    const task = createTask(t, {
      ref: site.ref,
      config: site.config,
      taskType: 'WAIT',
      status: 'FAILED_WITH_TERMINAL_ERROR',
      iteration: site.iteration,
      input,
      reason: end.reason,
    });
    t.push({ kind: 'settle', task });
  },
  /** The end time of the attempt before stays valid (semantics 4.13). */
  begin(t, task) {
    if (!delayRun(t, task)) start(t, task);
  },
  start,
};

function start(t: Transition, task: Task): void {
  if (notesOf(task)['runAt'] !== undefined) setNotes(t, task, { runAt: undefined });
  task.callbackAfterMs = 0;
  task.callbackAfterSeconds =
    task.waitUntilAt === 0
      ? secondsWithoutTimer(task)
      : Math.max(0, Math.ceil((task.waitUntilAt - t.now) / 1000));
  beginRunning(t, task);
}

/**
 * A new attempt shows that of a task which the server looks at again and again (semantics 1.5.6,
 * observed).
 */
function secondsWithoutTimer(task: Task): number {
  return task.retriedTaskNumber === undefined ? noTimerSeconds : 30;
}

/** Year 9999, where dates written as text end too; moments stay whole numbers in the store. */
const waitEndAtMax = Date.UTC(9999, 11, 31, 23, 59, 59);

export type WaitEnd =
  | { kind: 'timer'; at: number; seconds: number }
  | { kind: 'none' }
  | { kind: 'invalid'; reason: string };

/** When a WAIT with this input ends that starts `now`. */
export function waitEndOf(input: JsonMap, now: number): WaitEnd {
  const duration = textOf(input, 'duration');
  const until = textOf(input, 'until');
  if (duration !== undefined && until !== undefined) {
    return {
      kind: 'invalid',
      reason:
        "Both 'duration' and 'until' specified. Please provide only one input, either 'duration' or 'until'.",
    };
  }
  if (duration !== undefined) {
    const ms = parseWaitDuration(duration);
    if (ms === undefined) return { kind: 'invalid', reason: `Not valid duration: ${duration}` };
    return { kind: 'timer', at: Math.min(now + ms, waitEndAtMax), seconds: Math.floor(ms / 1000) };
  }
  if (until === undefined) return { kind: 'none' };
  const at = parseWaitUntil(until);
  if (at === undefined) {
    return {
      kind: 'invalid',
      reason: `Invalid/Unsupported Wait Until format.  Provided: ${until}`,
    };
  }
  return { kind: 'timer', at, seconds: Math.max(0, Math.floor((at - now) / 1000)) };
}

/** undefined when absent, null or blank. */
function textOf(input: JsonMap, key: string): string | undefined {
  const value = input[key];
  if (value === undefined || value === null) return undefined;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.trim() === '' ? undefined : text;
}
