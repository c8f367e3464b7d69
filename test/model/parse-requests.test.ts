import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/model/errors.js';
import {
  rerunWorkflowRequest,
  retryWorkflowRequest,
  skipTaskRequest,
  upgradeWorkflowRequest,
  parseWorkflowStateUpdate,
} from '../../src/model/control-requests.js';
import {
  parseStartWorkflowRequest,
  parseWorkflowTestRequest,
} from '../../src/model/parse-start-request.js';
import { parseTaskResultStatus, parseTaskUpdate } from '../../src/model/parse-task-result.js';

function refusal(parse: () => unknown): AppError {
  try {
    parse();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

const update = (fields: object): ReturnType<typeof parseTaskUpdate> =>
  parseTaskUpdate({ taskId: 't', workflowInstanceId: 'w', ...fields }, 'updateTask.arg0');

describe('a task update', () => {
  it('takes an empty storage path or child id for none', () => {
    const fields = { status: 'COMPLETED', externalOutputPayloadStoragePath: '', subWorkflowId: '' };
    const { result } = parseTaskUpdate({ taskId: 't', workflowInstanceId: 'w', ...fields }, '');
    expect(Object.keys(result)).not.toContain('externalOutputPayloadStoragePath');
    expect(Object.keys(result)).not.toContain('subWorkflowId');
  });

  it('without ids violates two rules at once', () => {
    expect(refusal(() => parseTaskUpdate({ taskId: '' }, 'updateTask.arg0'))).toMatchObject({
      kind: 'validation',
      details: {
        violations: [
          {
            path: 'updateTask.arg0.taskId',
            message: 'Task ID cannot be null or empty',
            invalidValue: '',
          },
          {
            path: 'updateTask.arg0.workflowInstanceId',
            message: 'Workflow Id cannot be null or empty',
          },
        ],
      },
    });
  });

  it('carries only what was sent', () => {
    const { result, logs } = update({ status: 'COMPLETED', unknown: 1, outputData: null });
    expect(logs).toEqual([]);
    expect(result).toEqual({
      status: 'COMPLETED',
      output: expect.objectContaining({ isEmpty: true }) as unknown,
      callbackAfterSeconds: 0,
      extendLease: false,
    });
  });

  it('needs a status unless it only extends the lease', () => {
    expect(refusal(() => update({}))).toMatchObject({ kind: 'bad-request' });
    expect(update({ extendLease: true }).result).toMatchObject({
      status: 'IN_PROGRESS',
      extendLease: true,
    });
  });

  it.each(['TIMED_OUT', 'SKIPPED', 'COMPLETED_WITH_ERRORS', 'SCHEDULED', 'completed', ''])(
    'refuses the status %s',
    (status) => {
      expect(refusal(() => update({ status }))).toMatchObject({ kind: 'bad-request' });
      expect(refusal(() => parseTaskResultStatus(status))).toMatchObject({ kind: 'bad-request' });
    },
  );

  it('takes a text for a log line', () => {
    const { logs } = update({ status: 'FAILED', logs: ['one', { log: 'two', createdTime: 7 }] });
    expect(logs).toEqual([
      { log: 'one', taskId: 't', createdTime: 0 },
      { log: 'two', taskId: 't', createdTime: 7 },
    ]);
  });

  it('cuts the reason and the logs, and gives each log line its task id', () => {
    const logs = Array.from({ length: 12 }, (_, i) => ({ log: i, taskId: 'x', createdTime: '5' }));
    const parsed = update({ status: 'FAILED', reasonForIncompletion: 'r'.repeat(600), logs });
    expect(parsed.result.reasonForIncompletion).toHaveLength(500);
    expect(parsed.logs).toHaveLength(10);
    expect(parsed.logs[3]).toEqual({ log: '3', taskId: 't', createdTime: 5 });
  });
});

describe('a start request', () => {
  it('has defaults, and an empty key is no key', () => {
    expect(parseStartWorkflowRequest({ name: 'w', idempotencyKey: '', version: null }, '')).toEqual(
      { name: 'w', input: {}, taskToDomain: {}, priority: 0 },
    );
  });

  it('may not have null as its input unless the input is stored elsewhere', () => {
    expect(refusal(() => parseStartWorkflowRequest({ name: 'w', input: null }, ''))).toMatchObject({
      kind: 'bad-request',
      message: 'NULL input passed when starting workflow',
    });
    const stored = { name: 'w', input: null, externalInputPayloadStoragePath: 'p' };
    expect(parseStartWorkflowRequest(stored, '').input).toEqual({});
  });

  it('for a test run carries mocks by reference, also for its children', () => {
    const request = parseWorkflowTestRequest(
      {
        name: 'w',
        taskRefToMockOutput: { a: [{ output: { x: 1 } }, { status: 'FAILED' }] },
        subWorkflowTestRequest: { s: { name: 'c' } },
      },
      '',
    );
    expect(request.taskRefToMockOutput['a']).toEqual([
      { status: 'COMPLETED', output: { x: 1 }, executionTime: 0, queueWaitTime: 0 },
      { status: 'FAILED', output: {}, executionTime: 0, queueWaitTime: 0 },
    ]);
    expect(request.subWorkflowTestRequest['s']).toMatchObject({ name: 'c', input: {} });
  });
});

describe('control requests', () => {
  it('carry only what was sent', () => {
    expect(
      rerunWorkflowRequest.parse({ reRunFromWorkflowId: 'w', reRunFromTaskId: 't' }, ''),
    ).toEqual({ reRunFromTaskId: 't' });
    expect(rerunWorkflowRequest.parse({ reRunFromTaskId: null, taskInput: null }, '')).toEqual({});
    expect(() => rerunWorkflowRequest.parse({ reRunFromTaskId: '' }, '')).toThrow(
      'reRunFromTaskId is empty: leave it out',
    );
    expect(skipTaskRequest.parse({}, '')).toEqual({});
    expect(skipTaskRequest.parse({ taskOutput: { a: 1 } }, '')).toEqual({ taskOutput: { a: 1 } });
  });

  it('for a retry may give inputs', () => {
    for (const nothing of [{}, { taskInputs: {}, reason: '' }]) {
      expect(retryWorkflowRequest.parse(nothing, '')).toEqual({});
    }
    const edits = { taskInputs: { a: { x: 1 } }, reason: 'why' };
    expect(retryWorkflowRequest.parse(edits, '')).toEqual(edits);
    expect(refusal(() => retryWorkflowRequest.parse({ taskInputs: { a: 1 } }, ''))).toMatchObject({
      kind: 'bad-request',
      message: 'taskInputs.a must be an object',
    });
  });

  it('for an upgrade need a name', () => {
    expect(refusal(() => upgradeWorkflowRequest.parse({}, 'upgrade'))).toMatchObject({
      kind: 'validation',
      details: { violations: [{ path: 'upgrade.name' }] },
    });
    expect(upgradeWorkflowRequest.parse({ name: 'w', taskOutput: { a: { x: 1 } } }, '')).toEqual({
      name: 'w',
      taskOutput: { a: { x: 1 } },
    });
  });

  it('for a state update need a task with its result, or variables', () => {
    for (const input of [{}, { taskReferenceName: 'a' }, { taskResult: { status: 'COMPLETED' } }]) {
      expect(refusal(() => parseWorkflowStateUpdate(input, ''))).toMatchObject({
        kind: 'bad-request',
      });
    }
    expect(parseWorkflowStateUpdate({ variables: { v: 1 } }, '')).toEqual({ variables: { v: 1 } });
    const both = { taskReferenceName: 'a', taskResult: { status: 'FAILED' } };
    expect(parseWorkflowStateUpdate(both, '').task).toMatchObject({
      taskReferenceName: 'a',
      taskResult: { status: 'FAILED' },
    });
    const withoutStatus = { taskReferenceName: 'a', taskResult: { outputData: { o: 1 } } };
    expect(parseWorkflowStateUpdate(withoutStatus, '').task?.taskResult.status).toBe('COMPLETED');
  });
});
