// Parsing of requests that start or simulate an execution (contract-core 8.1, 14.2).
import { markAbsentText } from './absent-texts.js';
import { AppError } from './errors.js';
import type { JsonMap } from './json.js';
import { reportedStatuses } from './parse-task-result.js';
import { RecordReader, parseList, present } from './record-reader.js';
import { checkShape } from './shape-limits.js';
import type { TaskResultStatus } from './status.js';
import {
  idempotencyStrategies,
  readWorkflowDef,
  type IdempotencyStrategy,
  type WorkflowDef,
} from './workflow-def.js';

export interface StartWorkflowRequest {
  /**
   * That of the inline definition when it was not sent; empty without one: validation refuses that.
   */
  name: string;
  /** Absent: latest. */
  version?: number;
  correlationId?: string;
  input: JsonMap;
  taskToDomain: { [taskType: string]: string };
  /** Inline definition: name and version of the execution come from it. */
  workflowDef?: WorkflowDef;
  externalInputPayloadStoragePath?: string;
  priority: number;
  createdBy?: string;
  /** Never empty: an empty key is no key (contract-core 8.3). */
  idempotencyKey?: string;
  idempotencyStrategy?: IdempotencyStrategy;
}

/** Output of one attempt or iteration in a test run. Durations are milliseconds. */
export interface TaskMock {
  status: TaskResultStatus;
  output: JsonMap;
  executionTime: number;
  queueWaitTime: number;
}

export interface WorkflowTestRequest extends StartWorkflowRequest {
  taskRefToMockOutput: { [ref: string]: TaskMock[] };
  subWorkflowTestRequest: { [ref: string]: WorkflowTestRequest };
}

/**
 * Throws AppError 'bad-request' that names the field that cannot be read. Values are checked by
 * `validateStartRequest`.
 */
export function parseStartWorkflowRequest(input: unknown, path: string): StartWorkflowRequest {
  checkShape(input, path);
  return readStartRequest(new RecordReader(input, path));
}

/** As `parseStartWorkflowRequest`, with the mocks of a test run. */
export function parseWorkflowTestRequest(input: unknown, path: string): WorkflowTestRequest {
  checkShape(input, path);
  return readTestRequest(input, path);
}

function readStartRequest(reader: RecordReader): StartWorkflowRequest {
  const workflowDef = reader.record('workflowDef', readWorkflowDef);
  // A builder of the Go SDK sends its definition and no name beside it.
  const name = reader.text('name') || workflowDef?.name || reader.text('name');
  const externalPath = reader.text('externalInputPayloadStoragePath');
  if (reader.has('input') && reader.raw('input') === undefined && externalPath === undefined) {
    throw new AppError('bad-request', 'NULL input passed when starting workflow');
  }
  const request: StartWorkflowRequest = {
    name: name ?? '',
    input: reader.map('input'),
    taskToDomain: reader.textMap('taskToDomain'),
    priority: reader.integer('priority', 0),
    ...present({
      version: reader.optionalInteger('version'),
      correlationId: reader.text('correlationId'),
      workflowDef,
      externalInputPayloadStoragePath: externalPath,
      createdBy: reader.text('createdBy'),
      idempotencyKey: reader.text('idempotencyKey') || undefined,
      idempotencyStrategy: reader.choice('idempotencyStrategy', idempotencyStrategies),
    }),
  };
  if (name === undefined) markAbsentText(request, 'name');
  return request;
}

function readTestRequest(input: unknown, path: string): WorkflowTestRequest {
  const reader = new RecordReader(input, path);
  const request = readStartRequest(reader);
  const test: WorkflowTestRequest = {
    ...request,
    taskRefToMockOutput: reader.mapOf('taskRefToMockOutput', (value, at) =>
      value === null ? [] : parseList(value, at, readTaskMock),
    ),
    subWorkflowTestRequest: reader.mapOf('subWorkflowTestRequest', readTestRequest),
  };
  if (test.name === '') markAbsentText(test, 'name');
  return test;
}

function readTaskMock(input: unknown, path: string): TaskMock {
  const reader = new RecordReader(input, path);
  return {
    status: reader.choice('status', reportedStatuses) ?? 'COMPLETED',
    output: reader.map('output'),
    executionTime: reader.long('executionTime', 0),
    queueWaitTime: reader.long('queueWaitTime', 0),
  };
}
