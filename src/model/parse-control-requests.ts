// Parsing of the bodies of control operations (contract-core 10.1, 10.2, 14.3, 14.4).
import { AppError } from './errors.js';
import type { TaskResult } from './execution.js';
import type { JsonMap } from './json.js';
import { parseTaskResult } from './parse-task-result.js';
import { RecordReader, isMap, present, refused } from './record-reader.js';
import { validationFailed } from './validation.js';

/** The id in the path counts, so `reRunFromWorkflowId` is not read. */
export interface RerunWorkflowRequest {
  /** Absent: from the beginning. */
  reRunFromTaskId?: string;
  taskInput?: JsonMap;
  workflowInput?: JsonMap;
  correlationId?: string;
}

export interface RetryWorkflowRequest {
  /** New inputs of tasks that are retried, by reference name as their records show it. */
  taskInputs?: { [ref: string]: JsonMap };
  /** Counts more than the query parameter. */
  reason?: string;
}

export interface SkipTaskRequest {
  taskInput?: JsonMap;
  taskOutput?: JsonMap;
}

export interface UpgradeWorkflowRequest {
  name: string;
  /** Absent: latest. */
  version?: number;
  taskOutput: { [ref: string]: JsonMap };
  workflowInput?: JsonMap;
}

export interface WorkflowStateUpdate {
  /** The task that `taskResult` is for. */
  task?: { taskReferenceName: string; taskResult: TaskResult };
  variables?: JsonMap;
}

/** Contract-core 10.1. Throws AppError 'bad-request'. */
export function parseRerunWorkflowRequest(input: unknown, path: string): RerunWorkflowRequest {
  const reader = new RecordReader(input, path);
  return present({
    reRunFromTaskId: reader.text('reRunFromTaskId') || undefined,
    taskInput: reader.optionalMap('taskInput'),
    workflowInput: reader.optionalMap('workflowInput'),
    correlationId: reader.text('correlationId'),
  });
}

/** Contract-core 10.6; the body may be missing. Throws AppError 'bad-request'. */
export function parseRetryWorkflowRequest(input: unknown, path: string): RetryWorkflowRequest {
  if (input === undefined || input === null) return {};
  const reader = new RecordReader(input, path);
  const taskInputs = reader.mapOf('taskInputs', readPayload);
  const isEdited = Object.keys(taskInputs).length > 0;
  return present({
    taskInputs: isEdited ? taskInputs : undefined,
    reason: reader.text('reason') || undefined,
  });
}

/** Contract-core 10.2; the body may be missing. Throws AppError 'bad-request'. */
export function parseSkipTaskRequest(input: unknown, path: string): SkipTaskRequest {
  if (input === undefined || input === null) return {};
  const reader = new RecordReader(input, path);
  return present({
    taskInput: reader.optionalMap('taskInput'),
    taskOutput: reader.optionalMap('taskOutput'),
  });
}

/**
 * Contract-core 14.3. Throws AppError 'validation' for a missing name, 'bad-request' for what
 * cannot be read.
 */
export function parseUpgradeWorkflowRequest(input: unknown, path: string): UpgradeWorkflowRequest {
  const reader = new RecordReader(input, path);
  const name = reader.text('name');
  if (!name) {
    throw validationFailed([
      {
        path: reader.pathOf('name'),
        message: 'Workflow name cannot be null or empty',
        ...(name === '' ? { invalidValue: '' } : {}),
      },
    ]);
  }
  return {
    name,
    taskOutput: reader.mapOf('taskOutput', readPayload),
    ...present({
      version: reader.optionalInteger('version'),
      workflowInput: reader.optionalMap('workflowInput'),
    }),
  };
}

function readPayload(value: unknown, path: string): JsonMap {
  if (!isMap(value)) throw refused(path, 'must be an object');
  return value as JsonMap;
}

/** Contract-core 14.4. Throws AppError 'bad-request', also when there is nothing to update. */
export function parseWorkflowStateUpdate(input: unknown, path: string): WorkflowStateUpdate {
  const reader = new RecordReader(input, path);
  const taskReferenceName = reader.text('taskReferenceName');
  const taskResult = reader.record('taskResult', parseTaskResult);
  const variables = reader.optionalMap('variables');
  if ((taskReferenceName === undefined) !== (taskResult === undefined)) {
    throw new AppError('bad-request', 'taskReferenceName and taskResult must be given together');
  }
  const task =
    taskReferenceName !== undefined && taskResult !== undefined
      ? { taskReferenceName, taskResult }
      : undefined;
  if (task === undefined && variables === undefined) {
    throw new AppError('bad-request', 'Either a task result or variables must be given');
  }
  return present({ task, variables });
}
