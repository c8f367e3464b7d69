// START_WORKFLOW (semantics 4.11): starts an execution by a message and completes with its id. No
// parent link; the id is derived from the attempt, so a repeated start meets the same execution.
import type { ChildStart, Task } from '../../model/execution.js';
import { AppError } from '../../model/errors.js';
import { isMap, type Json } from '../../model/json.js';
import { parseStartWorkflowRequest } from '../../model/parse-start-request.js';
import { Payload } from '../../model/payload.js';
import { priorityTrouble } from '../../model/validate-start-request.js';
import { addMessage, startedIdOf } from '../outbox-messages.js';
import { plainInput } from '../mapping.js';
import { createTask, endTask, setNotes } from '../records.js';
import type { Transition } from '../transition.js';
import { startOrderReason } from '../wait-reason.js';
import type { TaskType } from './contract.js';
import { outsideType } from './constructors.js';
import { delayRun } from './delayed-start.js';
import { takeBackStart } from './take-back-start.js';

export const startWorkflowTask: TaskType = outsideType({
  names: ['START_WORKFLOW'],
  reaches: [{ right: 'EXECUTE', target: 'WORKFLOW_DEF', named: '`startWorkflow.name`' }],
  map(t, site) {
    const { config } = site;
    const task = createTask(t, {
      ref: site.ref,
      config,
      taskType: 'START_WORKFLOW',
      status: 'SCHEDULED',
      iteration: site.iteration,
      input: plainInput(t, site, false),
      startDelaySeconds: config.startDelay,
      callbackAfterSeconds: config.startDelay,
    });
    begin(t, task);
  },
  begin,
  startDelayed: start,
  cancel: takeBackStart,
  waitsForOutside: () => true,
  whyWaits: startOrderReason,
});

function begin(t: Transition, task: Task): void {
  if (!delayRun(t, task)) start(t, task);
}

function start(t: Transition, task: Task): void {
  if (task.startAt === 0) task.startAt = t.now;
  if (task.firstStartAt === 0) task.firstStartAt = t.now;
  const request = requestOf(t, task.input.value['startWorkflow']);
  if (typeof request === 'string') {
    endTask(t, task, { status: 'FAILED', reason: request });
    return;
  }
  const message = addMessage(t, {
    kind: 'start-workflow',
    startedId: startedIdOf(t, task),
    taskNumber: task.number,
    reopenCount: task.reopenCount,
    request,
  });
  setNotes(t, task, { runAt: undefined, messageId: message.id });
  t.open.arm(task);
}

/** A text: why it cannot be started. */
function requestOf(t: Transition, given: Json | undefined): ChildStart | string {
  if (given === undefined || given === null) return "Missing 'startWorkflow' in input data.";
  const { attributes } = t.execution;
  try {
    const parsed = parseStartWorkflowRequest(
      isMap(given) ? { input: {}, ...given } : given,
      'startWorkflow',
    );
    const name = parsed.workflowDef?.name ?? parsed.name;
    if (name === '') {
      return violation('name', 'Workflow name cannot be null or empty');
    }
    const trouble = priorityTrouble(parsed.priority);
    if (trouble !== undefined) return violation('priority', trouble);
    const hasDomains = Object.keys(parsed.taskToDomain).length > 0;
    const correlationId = parsed.correlationId?.trim()
      ? parsed.correlationId
      : attributes.correlationId;
    // The rights are those of who started this execution (invariants S16).
    const createdBy = attributes.createdBy ?? parsed.createdBy;
    const { version, workflowDef, idempotencyKey, idempotencyStrategy } = parsed;
    return {
      name,
      input: Payload.of(parsed.input),
      priority: parsed.priority,
      taskToDomain: hasDomains ? parsed.taskToDomain : attributes.taskToDomain,
      ...(version === undefined ? {} : { version }),
      ...(workflowDef === undefined ? {} : { def: workflowDef }),
      ...(correlationId === undefined ? {} : { correlationId }),
      ...(createdBy === undefined ? {} : { createdBy }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(idempotencyStrategy === undefined ? {} : { idempotencyStrategy }),
    };
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

function violation(field: string, rule: string): string {
  return `startWorkflow validation failed. '${field}' -> ${rule}. `;
}
