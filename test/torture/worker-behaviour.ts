// What the workers of the torture test do with a task, by its type and attempt.
import type { ScriptedResult } from '../support/workers.js';
import type { WireTask } from '../../testkit/wire.js';
import { taskTypes } from './load-definitions.js';
import { chanceOf } from './random.js';

/** From this attempt on every worker does its work, so that retries never run out by design. */
const attemptsBadMax = 3;

/** The result to report, without output; `silent` when the worker dies with its task. */
export function behaviourOf(seed: number, task: WireTask): ScriptedResult {
  const { inputData, referenceTaskName, retryCount } = task;
  const chance = chanceOf(seed, `${String(inputData['start'])} ${referenceTaskName} ${retryCount}`);
  const isBad = retryCount < attemptsBadMax && chance < 0.4;
  switch (task.taskType) {
    case taskTypes.flaky:
      return isBad ? { status: 'FAILED', reason: 'flaky' } : { status: 'COMPLETED' };
    case taskTypes.silent:
      return isBad ? 'silent' : { status: 'COMPLETED' };
    case taskTypes.returning:
      return task.pollCount <= 1
        ? { status: 'IN_PROGRESS', callbackAfterSeconds: chance < 0.5 ? 0 : 1 }
        : { status: 'COMPLETED' };
    case taskTypes.doomed:
      return { status: 'FAILED_WITH_TERMINAL_ERROR', reason: 'doomed' };
    default:
      return { status: 'COMPLETED' };
  }
}
