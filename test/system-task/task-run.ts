// What the tests of system tasks share: a run as the runner would hand it over.
import { executionIdOf, taskIdOf } from '../../src/std/ids.js';
import type { JsonMap } from '../../src/model/json.js';
import type { TaskRun } from '../../src/system-task/system-task.js';

const workflowId = executionIdOf(7, Buffer.from('0123456789ab'));

export function taskRun(input: JsonMap, more: Partial<TaskRun> = {}): TaskRun {
  const taskId = taskIdOf(workflowId, 1);
  return {
    workflowId,
    workflowName: 'orders',
    workflowVersion: 3,
    correlationId: undefined,
    startedBy: undefined,
    taskToDomain: {},
    taskId,
    ref: 'ref',
    attemptKey: `${taskId}:0`,
    storedInput: input,
    input,
    asyncComplete: false,
    pollCount: 0,
    parameters: {},
    output: {},
    signal: new AbortController().signal,
    hide: () => undefined,
    ...more,
  };
}
