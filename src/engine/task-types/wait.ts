// WAIT (semantics 4.13): until a time, for a duration, or until somebody reports.
import { reachesNothing } from '../reaches.js';
import type { Task } from '../../model/execution.js';
import { isMap, type Json, type JsonMap } from '../../model/json.js';
import { textFrom } from '../../model/json-text.js';
import type { Payload } from '../../model/payload.js';
import { parseWaitDuration, parseWaitUntil } from '../../model/wait-time.js';
import { plainInput } from '../mapping.js';
import { taskPart } from '../decision.js';
import { notesOf, serverRunNotes } from '../notes.js';
import { createTask, endTask, setNotes } from '../records.js';
import type { Transition } from '../transition.js';
import { iso, reason, shown, signalReason } from '../wait-reason.js';
import type { WorkflowTask } from '../../model/workflow-def.js';
import { checkMatches, isGiven, isMatchMap, matchesRule } from './checks.js';
import type { Site, TaskType } from './contract.js';
import { rerunAsItWas, timedType } from './constructors.js';
import { beginRunning, createRunning } from './inline-run.js';
import { delayRun } from './delayed-start.js';

/** callbackAfterSeconds of a WAIT without timer. */
const noTimerSeconds = 2147483647;

/** Members of every WAIT, those that the server registers too. */
const waiting = {
  reaches: reachesNothing,
  check,
  map(t: Transition, site: Site) {
    const input = plainInput(t, site, true);
    const end = waitEndOf(input.value, t.now);
    if (end.kind === 'timer' || end.kind === 'none') {
      const times = {
        callbackAfterSeconds: end.kind === 'none' ? noTimerSeconds : end.seconds,
        waitUntilAt: end.kind === 'none' ? 0 : end.at,
      };
      if (waitsForWebhook(input.value)) createRegistered(t, site, input, times);
      else createRunning(t, site, input, times);
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
  startDelayed: start,
  timerAt: waitEnd,
  timerFired: endByTimer,
  whilePaused(t, task) {
    const at = waitEnd(task);
    if (at !== 0 && t.now >= at) endByTimer(t, task);
  },
  progressReported(t, task) {
    if (task.callbackAfterSeconds <= 0) return;
    setNotes(t, task, { postponedUntilAt: t.now + task.callbackAfterSeconds * 1000 });
  },
  takesSignals: true,
  blocksCallers: (task) => task.waitUntilAt === 0 || task.input.value['yield'] === true,
  waitsForOutside: (task) => task.waitUntilAt === 0,
  rerun: {
    ...rerunAsItWas,
    refuseInput(input, _taskId, now) {
      const end = waitEndOf(input, now);
      return end.kind === 'invalid' ? end.reason : undefined;
    },
    renew(t, task) {
      const end = waitEndOf(task.input.value, t.now);
      task.waitUntilAt = end.kind === 'timer' ? end.at : 0;
      t.touch(task, taskPart.record);
    },
  },
  whyWaits(open, task, now) {
    const dueAt = waitEnd(task);
    if (dueAt === 0) return signalReason(open, task);
    return reason(open, task, 'timer', {
      reason: `${shown(task)} waits until ${iso(task.waitUntilAt)}.`,
      moves: 'that moment, a signal or an update',
      untilTime: dueAt,
      data: { endsInMs: Math.max(0, dueAt - now) },
    });
  },
} satisfies Partial<TaskType>;

/**
 * A WAIT that calls of webhooks find too, by its `matches` (contract-admin 12.5). The server enters
 * it in their index before it is IN_PROGRESS; everything else is as with any WAIT.
 */
const registeredWait: TaskType = timedType({
  ...waiting,
  names: [],
  carriedOutBy: 'server',
  enteredAs: 'WAIT_FOR_WEBHOOK',
  begin(t, task) {
    if (!delayRun(t, task)) t.emit({ kind: 'run-system-task', task });
  },
  startDelayed(t, task) {
    setNotes(t, task, { runAt: undefined });
    t.emit({ kind: 'run-system-task', task });
  },
});

export const waitTask: TaskType = timedType({
  ...waiting,
  names: ['WAIT'],
  runByServer: registeredWait,
});

function waitsForWebhook({ matches }: JsonMap): boolean {
  return isMap(matches) && Object.keys(matches).length > 0;
}

function createRegistered(
  t: Transition,
  site: Site,
  input: Payload,
  times: { callbackAfterSeconds: number; waitUntilAt: number },
): void {
  const task = createTask(t, {
    ref: site.ref,
    config: site.config,
    taskType: 'WAIT',
    status: 'SCHEDULED',
    iteration: site.iteration,
    input,
    ...times,
    notes: serverRunNotes,
  });
  t.emit({ kind: 'run-system-task', task });
}

/** Values that hold an expression are known only when the task is scheduled. */
function check(config: WorkflowTask): string[] {
  const { duration, until } = config.inputParameters;
  const matchTroubles = checkMatches(config);
  if (matchTroubles.length > 0) return matchTroubles;
  if (isGiven(duration) && isGiven(until)) {
    return ["Both 'duration' and 'until' specified. Please provide only one input"];
  }
  if (isGiven(duration)) {
    const text = literal(duration);
    const isValid = text === undefined || parseWaitDuration(text) !== undefined;
    return isValid ? [] : ['Either date or duration is passed as null '];
  }
  const text = isGiven(until) ? literal(until) : undefined;
  const isValid = text === undefined || parseWaitUntil(text) !== undefined;
  return isValid ? [] : ['Unable to parse date '];
}

/** undefined when the value holds an expression. */
function literal(value: Json): string | undefined {
  if (typeof value !== 'string') return typeof value === 'object' ? '?' : String(value);
  return value.includes('${') ? undefined : value;
}

/**
 * A WAIT ends strictly after its time (semantics 4.13); an IN_PROGRESS report may postpone its
 * evaluation.
 */
function waitEnd(task: Task): number {
  if (task.waitUntilAt === 0 || task.status !== 'IN_PROGRESS') return 0;
  const postponedUntil = notesOf(task)['postponedUntilAt'];
  return Math.max(task.waitUntilAt + 1, typeof postponedUntil === 'number' ? postponedUntil : 0);
}

/**
 * The record shows the time at which it was due, however late the timer fires (semantics 4.13); a
 * time before its start shows the start.
 */
function endByTimer(t: Transition, task: Task): void {
  const dueAt = Math.max(task.startAt, waitEnd(task) - 1);
  task.pollCount++;
  endTask(t, task, { status: 'COMPLETED' });
  task.endAt = Math.min(dueAt, t.now);
}

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
function waitEndOf(input: JsonMap, now: number): WaitEnd {
  if (!isMatchMap(input['matches'])) return { kind: 'invalid', reason: matchesRule };
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
  const text = textFrom(value);
  return text.trim() === '' ? undefined : text;
}
