// TERMINATE (semantics 4.19, 2.8.6): the task completes with the workflow's output and ends the
// execution.
import { reachesNothing } from '../reaches.js';
import type { Task } from '../../model/execution.js';
import { isMap, type Json } from '../../model/json.js';
import { Payload } from '../../model/payload.js';
import { completeExecution, failExecution, taskIdIn } from '../ending.js';
import { plainInput } from '../mapping.js';
import { endTask } from '../records.js';
import type { TaskType } from './contract.js';
import { inlineType, rerunEvaluated } from './constructors.js';
import { createInline } from './inline-run.js';

const terminationStatuses: readonly Json[] = ['COMPLETED', 'FAILED', 'TERMINATED'];

export const terminateTask: TaskType = inlineType({
  names: ['TERMINATE'],
  reaches: reachesNothing,
  role: 'end',
  check(config) {
    const broken: string[] = [];
    if (config.optional) broken.push(`terminate task cannot be optional, taskName: ${config.name}`);
    if (!terminationStatuses.includes(config.inputParameters['terminationStatus'] ?? null)) {
      broken.push(
        `terminate task must have an terminationStatus parameter and must be set to COMPLETED or FAILED, taskName: ${config.name}`,
      );
    }
    return broken;
  },
  map(t, site) {
    createInline(t, site, plainInput(t, site, false));
  },
  rerun: rerunEvaluated,
  execute(t, task) {
    const { terminationStatus = null } = task.input.value;
    if (!terminationStatuses.includes(terminationStatus)) {
      endTask(t, task, {
        status: 'FAILED',
        reason: 'given termination status is not valid',
      });
      return 'done';
    }
    endTask(t, task, { status: 'COMPLETED', output: outputGiven(task) });
    return 'done';
  },
  settle(t, task) {
    if (task.status !== 'COMPLETED') return false;
    const { terminationStatus, terminationReason } = task.input.value;
    const status =
      terminationStatus === 'FAILED' || terminationStatus === 'TERMINATED'
        ? terminationStatus
        : 'COMPLETED';
    const reason =
      typeof terminationReason === 'string' && terminationReason !== ''
        ? terminationReason
        : `Workflow is ${status} by TERMINATE task: ${taskIdIn(t, task)}`;
    if (status === 'COMPLETED') completeExecution(t, { output: task.output, reason });
    else failExecution(t, { status, reason, task, output: task.output });
    return true;
  },
});

/** A map as it is, another value as `{output: value}`. */
function outputGiven(task: Task): Payload {
  const { workflowOutput } = task.input.value;
  if (workflowOutput === undefined || workflowOutput === null) return Payload.empty;
  return Payload.of(isMap(workflowOutput) ? workflowOutput : { output: workflowOutput });
}
