// SKIPPED records of references that have none (semantics 1.5.10, 1.5.11): they stand first in the
// list with seq 0, have no task definition, and show a minimal configuration.
import type { JsonMap } from '../model/json.js';
import { Payload } from '../model/payload.js';
import type { Task } from '../model/execution.js';
import type { WorkflowTask } from '../model/workflow-def.js';
import { taskPart } from './decision.js';
import type { Transition } from './transition.js';

/** Adds the record of a skipped reference. Tasks that wait for it notice with `rebuild`. */
export function skipReference(
  t: Transition,
  config: WorkflowTask,
  fields: { ref: string; iteration?: number; input: JsonMap; output: JsonMap },
): Task {
  const { execution, now } = t;
  const { name } = config;
  const task: Task = {
    number: ++execution.state.taskCounter,
    ref: fields.ref,
    config: minimalConfig(config),
    taskType: name,
    defName: name,
    status: 'SKIPPED',
    seq: 0,
    retryCount: 0,
    reopenCount: 0,
    retried: false,
    executed: false,
    iteration: fields.iteration ?? 0,
    scheduledAt: now,
    firstScheduledAt: 0,
    startAt: 0,
    firstStartAt: 0,
    endAt: now,
    updateAt: 0,
    startDelaySeconds: 0,
    callbackAfterSeconds: 0,
    callbackAfterMs: 0,
    responseTimeoutSeconds: 0,
    rateLimitPerFrequency: 0,
    rateLimitFrequencyInSeconds: 0,
    pollCount: 0,
    subworkflowChanged: false,
    waitUntilAt: 0,
    input: Payload.of(fields.input),
    output: Payload.of(fields.output),
  };
  const { tasks } = execution;
  let position = 0;
  while (tasks[position]?.seq === 0) position++;
  tasks.splice(position, 0, task);
  t.open.add(task);
  t.touch(task, taskPart.record | taskPart.input | taskPart.output);
  return task;
}

function minimalConfig({ name, taskReferenceName }: WorkflowTask): WorkflowTask {
  return {
    name,
    taskReferenceName,
    inputParameters: {},
    type: 'SIMPLE',
    decisionCases: {},
    defaultCase: [],
    forkTasks: [],
    startDelay: 0,
    joinOn: [],
    optional: false,
    defaultExclusiveJoinTask: [],
    asyncComplete: false,
    loopOver: [],
    onStateChange: {},
    permissive: false,
    metadata: {},
  };
}
