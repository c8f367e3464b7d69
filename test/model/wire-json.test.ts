import { describe, expect, it } from 'vitest';
import type { Execution } from '../../src/model/execution.js';
import { Payload } from '../../src/model/payload.js';
import { toSignalTaskJson, toSignalWorkflowJson } from '../../src/model/signal-response-json.js';
import { toTaskSummary, toWorkflowSummary } from '../../src/model/summaries.js';
import { queueWaitTime, toTaskJson } from '../../src/model/task-json.js';
import {
  toFailedWorkflowJson,
  toWorkflowJson,
  toWorkflowStatusJson,
} from '../../src/model/workflow-json.js';
import { adHocTaskDef } from '../../src/model/parse-task-def.js';
import {
  executionOf,
  expectRecorded,
  recordedAnswer,
  taskOf,
  testExecutionId,
  type Recorded,
} from './recorded.js';
import { parseWorkflowDef } from '../support/parse-workflow-def.js';

const taskTexts = (execution: Execution): string[] =>
  execution.tasks.map((task) => toTaskJson(execution, task, task.input, task.output, 2000));

/** For answers that show no definition. */
const bareDef = (name: string): ReturnType<typeof parseWorkflowDef> =>
  parseWorkflowDef({ name, tasks: [] }, 'test');

describe('Workflow and Task on the wire', () => {
  it('have exactly the recorded fields right after a start', () => {
    const body = recordedAnswer('start-forms', 4);
    const execution = executionOf(body);
    expectRecorded(JSON.parse(toWorkflowJson(execution, taskTexts(execution))), body);
  });

  it('have exactly the recorded fields with retried, failed and skipped tasks', () => {
    const body = recordedAnswer('rerun-skip', 9);
    const execution = executionOf(body);
    expectRecorded(JSON.parse(toWorkflowJson(execution, taskTexts(execution))), body);
  });

  it('have exactly the recorded fields in the answer of a poll', () => {
    const body = recordedAnswer('poll-and-update', 4);
    const execution = executionOf({ input: {}, output: {} } as never, { def: bareDef('P_pu') });
    const task = taskOf(body, 1);
    expectRecorded(JSON.parse(toTaskJson(execution, task, task.input, task.output, 2000)), body);
  });

  it('show the status alone as recorded', () => {
    const body = recordedAnswer('start-forms', 15);
    const execution = executionOf(recordedAnswer('start-forms', 4));
    const text = toWorkflowStatusJson(execution, { output: true, variables: true });
    expectRecorded(JSON.parse(text), body);
  });

  it('answer a synchronous start as recorded', () => {
    const body = recordedAnswer('execute-sync', 2);
    const execution = executionOf(body, { def: bareDef('P_ex') });
    const text = toSignalWorkflowJson(
      {
        responseType: 'TARGET_WORKFLOW',
        targetWorkflowId: execution.id,
        targetWorkflowStatus: 'COMPLETED',
        requestId: 'q1',
        signalTimeout: false,
      },
      execution,
      taskTexts(execution),
    );
    expectRecorded(JSON.parse(text), body);
  });

  it('summarise an execution as recorded, with payloads as JSON text', () => {
    const recorded = (recordedAnswer('search', 3)['results'] as Recorded[])[0] as Recorded;
    const execution = executionOf(
      {
        ...recorded,
        createTime: 5,
        endTime: 9,
        updateTime: 8,
        input: { k: 1 },
        output: {},
        failedReferenceTaskNames: [],
      } as never,
      { def: bareDef('P_se') },
    );
    const summary = toWorkflowSummary(execution);
    expectRecorded(summary, { ...recorded, input: '{"k":1}', inputSize: 7 });
    expect(summary.startTime).toBe('1970-01-01T00:00:00.005Z');
    expect(summary.executionTime).toBe(4);
  });
});

describe('a task', () => {
  const body = recordedAnswer('poll-and-update', 4);
  const execution = executionOf({ input: {}, output: {} } as never, { def: bareDef('w') });
  const parsed = (over: object, output = Payload.empty): Recorded => {
    const task = { ...taskOf(body, 1), ...over };
    return JSON.parse(toTaskJson(execution, task, task.input, output, 50_000)) as Recorded;
  };

  it('inserts payload texts unchanged', () => {
    const task = taskOf(body, 1);
    const text = '{"n":12345678901234567890,"s":"\\u0041"}';
    expect(toTaskJson(execution, task, task.input, Payload.ofText(text), 0)).toContain(
      `"outputData":${text}`,
    );
  });

  it('escapes texts of users', () => {
    const text = 'a"b\\c\n';
    const over = { ref: text, workerId: text, reason: text, domain: text };
    expect(parsed(over)).toMatchObject({
      referenceTaskName: text,
      workerId: text,
      reasonForIncompletion: text,
      domain: text,
    });
  });

  it('takes the child id from the record, else from output, else from input', () => {
    const output = Payload.of({ subWorkflowId: 'from-output' });
    const input = Payload.of({ subWorkflowId: 'from-input' });
    expect(parsed({ subWorkflowId: 'own', input }, output)['subWorkflowId']).toBe('own');
    expect(parsed({ subWorkflowId: 'own', input }, output)['outputData']).toEqual({
      subWorkflowId: 'own',
    });
    expect(parsed({ input }, output)['subWorkflowId']).toBe('from-output');
    expect(parsed({ input })['subWorkflowId']).toBe('from-input');
    expect(parsed({ input: Payload.of({ in: { subWorkflowId: 'x' } }) })).not.toHaveProperty(
      'subWorkflowId',
    );
  });

  it('names the attempt it replaces', () => {
    const id = parsed({ retriedTaskNumber: 255 })['retriedTaskId'] as string;
    expect(id).toBe(`${testExecutionId.slice(0, 28)}000000ff`);
  });

  it('shows an externally stored output as empty with its path', () => {
    const over = { externalOutputPayloadStoragePath: 'p' };
    expect(parsed(over, Payload.of({ a: 1 }))).toMatchObject({
      outputData: {},
      externalOutputPayloadStoragePath: 'p',
    });
  });

  it('has the queue suffixes of its definition', () => {
    const def = { ...adHocTaskDef('t', true), executionNameSpace: 'n', isolationGroupId: 'i' };
    const config = { ...taskOf(body, 1).config, taskDefinition: def };
    expect(parsed({ config })).toMatchObject({ executionNameSpace: 'n', isolationGroupId: 'i' });
  });

  it('shows what the worker sent about its run', () => {
    expect(parsed({ executionMetadata: { clientSendTime: 5 } })['executionMetadata']).toEqual({
      clientSendTime: 5,
    });
  });

  it.each([
    [{ startAt: 0, scheduledAt: 100 }, 0],
    [{ startAt: 130, scheduledAt: 100 }, 30],
    [{ startAt: 1, updateAt: 1000, callbackAfterSeconds: 2 }, 47_000],
    [{ startAt: 1, updateAt: 49_000, callbackAfterSeconds: 2 }, 0],
  ])('computes its time in the queue from %j', (over, expected) => {
    const task = { ...taskOf(body, 1), updateAt: 0, callbackAfterSeconds: 0, ...over };
    expect(queueWaitTime(task, 50_000)).toBe(expected);
  });

  it('is summarised under both names of its reference', () => {
    const task = { ...taskOf(body, 1), startAt: 1500, endAt: 2000 };
    const summary = toTaskSummary(execution, task, { input: task.input, output: task.output }, 0);
    expect(summary).toMatchObject({
      referenceTaskName: 'a',
      taskReferenceName: 'a',
      executionTime: 500,
      endTime: '1970-01-01T00:00:02.000Z',
    });
  });

  it('answers a signal in the task form', () => {
    const task = taskOf(body, 1);
    const text = toSignalTaskJson(
      {
        responseType: 'BLOCKING_TASK',
        targetWorkflowId: 'w1',
        targetWorkflowStatus: 'RUNNING',
        requestId: 'r1',
        signalTimeout: true,
      },
      execution,
      task,
      { input: task.input, output: task.output },
    );
    expect(JSON.parse(text)).toMatchObject({
      responseType: 'BLOCKING_TASK',
      targetWorkflowId: 'w1',
      workflowId: testExecutionId,
      taskType: 'P_pu',
      referenceTaskName: 'a',
      createdBy: 'w1',
      signalTimeout: true,
      status: 'IN_PROGRESS',
    });
  });
});

describe('an execution', () => {
  it('shows its parent, key, event and failed task', () => {
    const execution = executionOf(recordedAnswer('start-forms', 4));
    Object.assign(execution.attributes, {
      parentWorkflowId: testExecutionId,
      parentTaskNumber: 3,
      idempotencyKey: 'k',
      event: 'e:q',
      externalInputPayloadStoragePath: 'x.json',
    });
    execution.state.failedTaskNumber = 2;
    expect(JSON.parse(toFailedWorkflowJson(execution))).toMatchObject({
      parentWorkflowId: testExecutionId,
      parentWorkflowTaskId: `${testExecutionId.slice(0, 28)}00000003`,
      failedTaskId: `${testExecutionId.slice(0, 28)}00000002`,
      idempotencyKey: 'k',
      event: 'e:q',
      input: {},
      externalInputPayloadStoragePath: 'x.json',
      tasks: [],
    });
  });
});
