// Recorded answers as test data: reading them, and building the execution that an answer shows.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { executionIdOf } from '../../src/std/ids.js';
import type { Execution, Task } from '../../src/model/execution.js';
import type { JsonMap } from '../../src/model/json.js';
import { Payload } from '../../src/model/payload.js';
import { parseWorkflowTask } from '../../src/model/parse-workflow-def.js';
import { contentHash } from '../../src/model/snapshot.js';
import type { TaskStatus, WorkflowStatus } from '../../src/model/status.js';
import type { WorkflowDef } from '../../src/model/workflow-def.js';
import { toWorkflowDefJson } from '../../src/model/workflow-def-json.js';
import { parseWorkflowDef } from '../support/parse-workflow-def.js';

export type Recorded = { [field: string]: unknown };

export function readLines<T>(file: string): T[] {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

export function recordedAnswer(scenario: string, step: number): Recorded {
  const lines = readLines<{ scenario: string; step: number; body: Recorded }>(
    './recorded-answers.jsonl',
  );
  const line = lines.find((each) => each.scenario === scenario && each.step === step);
  if (line === undefined) throw new Error(`no recorded answer ${scenario} ${step}`);
  return line.body;
}

const placeholder = /^<\w+>$/;

/** A moment or number that is written as a placeholder stands for any; here it is 1000. */
function number(value: unknown): number {
  return typeof value === 'number' ? value : placeholder.test(String(value)) ? 1000 : 0;
}

/** Placeholders of times inside definitions become 0, so that they can be parsed. */
export function withoutPlaceholders<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replace(/"<(?:ms|n|s)>"/g, '1000')) as T;
}

export const testExecutionId = executionIdOf(7, new Uint8Array(10));

export function executionOf(body: Recorded, over: { def?: WorkflowDef } = {}): Execution {
  const def =
    over.def ?? parseWorkflowDef(withoutPlaceholders(body['workflowDefinition']), 'recorded');
  return {
    id: testExecutionId,
    snapshot: { hash: contentHash(toWorkflowDefJson(def)), def },
    attributes: {
      priority: number(body['priority']),
      taskToDomain: {},
      ...(body['correlationId'] === undefined
        ? {}
        : { correlationId: body['correlationId'] as string }),
    },
    state: {
      status: body['status'] as WorkflowStatus,
      createTime: number(body['createTime']),
      updateTime: number(body['updateTime']),
      endTime: number(body['endTime']),
      lastRetriedTime: number(body['lastRetriedTime']),
      ...(body['reasonForIncompletion'] === undefined
        ? {}
        : { reasonForIncompletion: body['reasonForIncompletion'] as string }),
      failedReferenceTaskNames: (body['failedReferenceTaskNames'] ?? []) as string[],
      failedTaskNames: (body['failedTaskNames'] ?? []) as string[],
      taskCounter: 0,
      seqCounter: 0,
      outboxCounter: 0,
      generation: 0,
      unsettled: false,
    },
    input: Payload.of(body['input'] as JsonMap),
    output: Payload.of(body['output'] as JsonMap),
    variables: Payload.of((body['variables'] ?? {}) as JsonMap),
    tasks: ((body['tasks'] ?? []) as Recorded[]).map((each, index) => taskOf(each, index + 1)),
    outbox: new Map(),
    messages: [],
  };
}

export function taskOf(body: Recorded, taskNumber: number): Task {
  return {
    number: taskNumber,
    ref: body['referenceTaskName'] as string,
    config: parseWorkflowTask(withoutPlaceholders(body['workflowTask']), 'recorded'),
    taskType: body['taskType'] as string,
    defName: body['taskDefName'] as string,
    status: body['status'] as TaskStatus,
    seq: number(body['seq']),
    retryCount: number(body['retryCount']),
    reopenCount: 0,
    retried: body['retried'] as boolean,
    executed: body['executed'] as boolean,
    ...(body['retriedTaskId'] === undefined ? {} : { retriedTaskNumber: 1 }),
    iteration: number(body['iteration']),
    scheduledAt: number(body['scheduledTime']),
    firstScheduledAt: 0,
    startAt: number(body['startTime']),
    firstStartAt: 0,
    endAt: number(body['endTime']),
    updateAt: number(body['updateTime']),
    startDelaySeconds: number(body['startDelayInSeconds']),
    callbackAfterSeconds: number(body['callbackAfterSeconds']),
    callbackAfterMs: 0,
    responseTimeoutSeconds: number(body['responseTimeoutSeconds']),
    rateLimitPerFrequency: number(body['rateLimitPerFrequency']),
    rateLimitFrequencyInSeconds: number(body['rateLimitFrequencyInSeconds']),
    pollCount: number(body['pollCount']),
    ...(body['workerId'] === undefined ? {} : { workerId: body['workerId'] as string }),
    ...(body['reasonForIncompletion'] === undefined
      ? {}
      : { reason: body['reasonForIncompletion'] as string }),
    subworkflowChanged: body['subworkflowChanged'] as boolean,
    waitUntilAt: 0,
    input: Payload.of(body['inputData'] as JsonMap),
    output: Payload.of(body['outputData'] as JsonMap),
  };
}

/**
 * Fails unless `ours` is what was recorded; a recorded placeholder stands for any number or text.
 */
export function expectRecorded(ours: unknown, recorded: unknown): void {
  expect(withPlaceholders(ours, recorded)).toEqual(recorded);
}

function withPlaceholders(ours: unknown, recorded: unknown): unknown {
  if (typeof recorded === 'string' && placeholder.test(recorded)) {
    return typeof ours === 'string' || typeof ours === 'number' ? recorded : ours;
  }
  if (Array.isArray(ours) && Array.isArray(recorded)) {
    return ours.map((each, index) => withPlaceholders(each, recorded[index]));
  }
  if (isObject(ours) && isObject(recorded)) {
    return Object.fromEntries(
      Object.entries(ours).map(([key, value]) => [key, withPlaceholders(value, recorded[key])]),
    );
  }
  return ours;
}

function isObject(value: unknown): value is { [key: string]: unknown } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
