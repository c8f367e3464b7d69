// The run that in-line types share (semantics 4.0.1): the record is IN_PROGRESS from the start and
// runs in the same transition.
import type { Task } from '../../model/execution.js';
import type { Json } from '../../model/json.js';
import type { Payload } from '../../model/payload.js';
import { taskPart } from '../decision.js';
import { createTask, endTask } from '../records.js';
import { publishState } from '../state-changes.js';
import type { ScriptResult } from '../script.js';
import { scriptErrorText } from '../expression/script-values.js';
import type { Transition } from '../transition.js';
import type { Site } from './contract.js';

/** Makes a record that is IN_PROGRESS. */
export function createRunning(
  t: Transition,
  site: Site,
  input: Payload,
  more: {
    defName?: string;
    notes?: Json;
    callbackAfterSeconds?: number;
    waitUntilAt?: number;
  } = {},
): Task {
  return createTask(t, {
    ref: site.ref,
    config: site.config,
    taskType: site.config.type === 'DYNAMIC' ? site.config.name : site.config.type,
    status: 'IN_PROGRESS',
    iteration: site.iteration,
    input,
    ...more,
  });
}

/** Makes a record that runs later in this transition. */
export function createInline(t: Transition, site: Site, input: Payload): Task {
  const task = createRunning(t, site, input);
  t.push({ kind: 'execute', task });
  return task;
}

/** Runs a record again: a new attempt, or one reset in place. */
export function beginInline(t: Transition, task: Task): void {
  beginRunning(t, task);
  t.push({ kind: 'execute', task });
}

/** A SCHEDULED record of a type that has no queue is IN_PROGRESS at once. */
export function beginRunning(t: Transition, task: Task): void {
  task.status = 'IN_PROGRESS';
  if (task.startAt === 0) task.startAt = t.now;
  if (task.firstStartAt === 0) task.firstStartAt = t.now;
  t.touch(task, taskPart.record);
  t.open.arm(task);
  publishState(t, task, 'onStart');
}

/** Ends a task whose script failed: reason and `output.error` are the message. */
export function failByScript(
  t: Transition,
  task: Task,
  failure: { status: 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR'; message: string; output: Payload },
): void {
  endTask(t, task, { status: failure.status, reason: failure.message, output: failure.output });
}

/** Message of a script that gave no value; undefined when it gave one. */
export function scriptFailure(
  result: ScriptResult,
  language: 'javascript' | 'jq' = 'javascript',
): string | undefined {
  return result.kind === 'value' ? undefined : scriptErrorText(result, language);
}

/** `errorStatus`: for errors of the script; a limit that another try may keep is FAILED. */
export function failedStatus(
  result: Exclude<ScriptResult, { kind: 'value' }>,
  errorStatus: 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR',
): 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR' {
  if (result.kind === 'error') return errorStatus;
  return result.isFinal === true ? 'FAILED_WITH_TERMINAL_ERROR' : 'FAILED';
}

/** Evaluator names that mean JavaScript (semantics 3.10, 4.4.9). */
export function isJavascript(evaluatorType: string): boolean {
  return evaluatorType === 'javascript' || evaluatorType === 'graaljs' || evaluatorType === 'js';
}
