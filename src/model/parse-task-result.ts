// Parsing of what workers report (contract-core 15.1). On the path of every task update, so it
// reads each field once.
import type { AppError, Violation } from './errors.js';
import type { TaskResult } from './execution.js';
import { Payload } from './payload.js';
import { RecordReader, refused } from './record-reader.js';
import type { TaskResultStatus } from './status.js';
import { validationFailed } from './validation.js';

/** In the order of the enumeration on the wire. */
export const reportedStatuses: readonly TaskResultStatus[] = [
  'IN_PROGRESS',
  'FAILED',
  'FAILED_WITH_TERMINAL_ERROR',
  'COMPLETED',
  'CANCELED',
];

/** Characters kept of a task's reason (contract-core 15.1). */
export const reasonCharsMax = 500;
/** Log entries taken from one update (contract-core 15.1). */
const logsPerUpdateMax = 10;

export interface TaskExecLog {
  log: string;
  taskId: string;
  /** Epoch ms. */
  createdTime: number;
}

/** Body of an update by task id. */
export interface TaskUpdate {
  workflowInstanceId: string;
  taskId: string;
  result: TaskResult;
  logs: TaskExecLog[];
}

/**
 * Body of an update by task id. `path` prefixes violations, such as `updateTask.arg0`. Throws
 * AppError 'validation' for missing ids, 'bad-request' for what cannot be read and for a missing
 * status unless the lease is only extended.
 */
export function parseTaskUpdate(input: unknown, path: string): TaskUpdate {
  const reader = new RecordReader(input, path);
  const taskId = reader.text('taskId');
  const workflowInstanceId = reader.text('workflowInstanceId');
  if (!taskId || !workflowInstanceId) throw missingIds(path, taskId, workflowInstanceId);
  return {
    workflowInstanceId,
    taskId,
    result: readTaskResult(reader),
    logs: reader.has('logs') ? readLogs(reader, taskId) : [],
  };
}

/**
 * A task result whose ids, if any, do not count (contract-core 14.4). Without a status it is
 * COMPLETED, as the Java SDK's own test of this call expects. Throws AppError 'bad-request'.
 */
export function parseTaskResult(input: unknown, path: string): TaskResult {
  return readTaskResult(new RecordReader(input, path), 'COMPLETED');
}

/** A status in a path. Throws AppError 'bad-request' for another word (contract-core 15.3). */
export function parseTaskResultStatus(text: string): TaskResultStatus {
  const status = reportedStatuses.find((each) => each === text);
  if (status === undefined)
    throw refused('status', `must be one of ${reportedStatuses.join(', ')}`);
  return status;
}

function readTaskResult(reader: RecordReader, statusDefault?: TaskResultStatus): TaskResult {
  const extendLease = reader.flag('extendLease', false);
  const status = reader.choice('status', reportedStatuses) ?? statusDefault;
  if (status === undefined && !extendLease) throw refused(reader.pathOf('status'), 'is required');
  const output = reader.optionalMap('outputData');
  const result: TaskResult = {
    status: status ?? 'IN_PROGRESS',
    output: output === undefined ? Payload.empty : Payload.of(output),
    callbackAfterSeconds: reader.long('callbackAfterSeconds', 0),
    extendLease,
  };
  const reason = reader.text('reasonForIncompletion');
  if (reason !== undefined) result.reasonForIncompletion = reason.slice(0, reasonCharsMax);
  const workerId = reader.text('workerId');
  if (workerId !== undefined) result.workerId = workerId;
  const subWorkflowId = reader.text('subWorkflowId');
  if (subWorkflowId) result.subWorkflowId = subWorkflowId;
  const storagePath = reader.text('externalOutputPayloadStoragePath');
  if (storagePath) result.externalOutputPayloadStoragePath = storagePath;
  const metadata = reader.optionalMap('executionMetadata');
  if (metadata !== undefined) result.executionMetadata = metadata;
  return result;
}

/** The server sets the task id of the entries; a text is a line (contract-core 15.1). */
function readLogs(reader: RecordReader, taskId: string): TaskExecLog[] {
  const logs = reader.list('logs', (item, path) => {
    if (typeof item === 'string') return { log: item, taskId, createdTime: 0 };
    const entry = new RecordReader(item, path);
    return { log: entry.text('log') ?? '', taskId, createdTime: entry.long('createdTime', 0) };
  });
  return logs.slice(0, logsPerUpdateMax);
}

function missingIds(path: string, taskId?: string, workflowId?: string): AppError {
  const violations: Violation[] = [];
  const add = (field: string, message: string, value: string | undefined): void => {
    if (value) return;
    violations.push({
      path: `${path}.${field}`,
      message,
      ...(value === '' ? { invalidValue: '' } : {}),
    });
  };
  add('taskId', 'Task ID cannot be null or empty', taskId);
  add('workflowInstanceId', 'Workflow Id cannot be null or empty', workflowId);
  return validationFailed(violations);
}
