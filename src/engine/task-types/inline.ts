// INLINE and LAMBDA (semantics 4.17): a script over the task's input.
import { reachesNothing } from '../reaches.js';
import type { Task } from '../../model/execution.js';
import { type Json, ownValue } from '../../model/json.js';
import { textFrom } from '../../model/json-text.js';
import { Payload } from '../../model/payload.js';
import { scriptReads } from '../expression/script-reads.js';
import { inputWithTemplate } from '../mapping.js';
import { endTask } from '../records.js';
import type { ExecutionState, Transition } from '../transition.js';
import type { TaskType } from './contract.js';
import { inlineType, rerunWithTemplate } from './constructors.js';
import {
  createInline,
  failByScript,
  failedStatus,
  isJavascript,
  scriptFailure,
} from './inline-run.js';

const withTemplate: Pick<TaskType, 'reaches' | 'inputOf' | 'map' | 'rerun'> = {
  reaches: reachesNothing,
  inputOf: inputWithTemplate,
  map(t, site) {
    createInline(t, site, inputWithTemplate(t, site));
  },
  rerun: rerunWithTemplate,
};

export const inlineTask: TaskType = inlineType({
  names: ['INLINE'],
  ...withTemplate,
  execute(t, task) {
    const input = task.input.value;
    const { expression, evaluatorType = 'javascript' } = input;
    if (typeof expression !== 'string' || expression.trim() === '') {
      return refuse(
        t,
        task,
        "Empty 'expression' in Inline task's input parameters. A non-empty String value must be provided.",
      );
    }
    if (evaluatorType === 'value-param')
      return succeed(t, task, ownValue(input, expression) ?? null);
    if (typeof evaluatorType !== 'string' || !isJavascript(evaluatorType)) {
      return refuse(t, task, `Unknown evaluator '${textFrom(evaluatorType)}' in INLINE task.`);
    }
    return evaluate(t, task, expression, 'FAILED_WITH_TERMINAL_ERROR');
  },
});

export const lambdaTask: TaskType = inlineType({
  names: ['LAMBDA'],
  ...withTemplate,
  execute(t, task) {
    const { scriptExpression } = task.input.value;
    if (typeof scriptExpression !== 'string' || scriptExpression.trim() === '') {
      const message = 'Empty scriptExpression in LAMBDA task input. A non-empty text must be given';
      fail(t, task, 'FAILED', message);
      return 'done';
    }
    return evaluate(t, task, `(function(){${scriptExpression}\n})();`, 'FAILED');
  },
});

/** `errorStatus`: for errors of the script; a limit that another try may keep is FAILED. */
function evaluate(
  t: Transition,
  task: Task,
  source: string,
  errorStatus: 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR',
): ExecutionState {
  const reads = scriptReads(source);
  const result = t.ask(`script:${task.number}`, () => ({
    language: 'javascript',
    source,
    input: () => task.input.value,
    ...(reads === undefined ? {} : { reads }),
  }));
  if (result === undefined) return 'parked';
  const message = scriptFailure(result);
  if (result.kind === 'value') return succeed(t, task, result.value);
  fail(t, task, failedStatus(result, errorStatus), message ?? '');
  return 'done';
}

function refuse(t: Transition, task: Task, message: string): ExecutionState {
  fail(t, task, 'FAILED_WITH_TERMINAL_ERROR', message);
  return 'done';
}

function fail(
  t: Transition,
  task: Task,
  status: 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR',
  message: string,
): void {
  failByScript(t, task, { status, message, output: Payload.of({ error: message }) });
}

function succeed(t: Transition, task: Task, result: Json): ExecutionState {
  endTask(t, task, { status: 'COMPLETED', output: Payload.of({ result }) });
  return 'done';
}
