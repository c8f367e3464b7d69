// Makes or loads an execution: the empty record that a start fills, and the opening of a record
// with the task types that the engine knows.
import { Payload } from '../model/payload.js';
import type { Execution } from '../model/execution.js';
import type { ExecutionId } from '../std/ids.js';
import { atOnce, type Steps } from '../std/slices.js';
import { OpenExecution } from './open-execution.js';
import { engineTypeNamed, taskTypeOf } from './task-types/list.js';

/** The empty record that a `start` command fills. */
export function createExecution(id: ExecutionId): Execution {
  return {
    id,
    snapshot: emptySnapshot,
    attributes: { priority: 0, taskToDomain: {} },
    state: {
      status: 'RUNNING',
      createTime: 0,
      updateTime: 0,
      endTime: 0,
      lastRetriedTime: 0,
      failedReferenceTaskNames: [],
      failedTaskNames: [],
      taskCounter: 0,
      seqCounter: 0,
      outboxCounter: 0,
      generation: 1,
      unsettled: false,
    },
    input: Payload.empty,
    output: Payload.empty,
    variables: Payload.empty,
    tasks: [],
    outbox: new Map(),
    messages: [],
  };
}

const emptySnapshot: Execution['snapshot'] = {
  hash: '',
  def: {
    name: '',
    version: 0,
    tasks: [],
    inputParameters: [],
    outputParameters: {},
    schemaVersion: 2,
    restartable: true,
    workflowStatusListenerEnabled: false,
    timeoutPolicy: 'ALERT_ONLY',
    timeoutSeconds: 0,
    variables: {},
    inputTemplate: {},
    enforceSchema: true,
    metadata: {},
    maskedFields: [],
    createTime: 0,
    updateTime: 0,
  },
};

/**
 * Opens an execution made by `createExecution` or loaded from the store. Look at `isBusy`
 * afterwards.
 */
export function openExecution(execution: Execution): OpenExecution {
  return atOnce(openInSteps(execution));
}

/** As `openExecution`: one of 100,000 tasks takes a tenth of a second. */
export function* openInSteps(execution: Execution): Steps<OpenExecution> {
  const open = new OpenExecution(execution, { of: taskTypeOf, named: engineTypeNamed });
  if (execution.tasks.length > 0 || execution.state.createTime > 0) yield* open.rebuildInSteps();
  return open;
}
