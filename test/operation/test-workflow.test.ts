// Tests of workflows with mocked tasks (contract-core 14.2): simulated executions on a clock of
// their own.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everythingAllowed } from '../../src/access/access-rules.js';
import type { DefinitionLookup } from '../../src/engine/context.js';
import { localAdministrator } from '../../src/model/caller.js';
import type { DefinitionSnapshot } from '../../src/model/execution.js';
import type { JsonMap } from '../../src/model/json.js';
import { parseWorkflowTestRequest } from '../../src/model/parse-start-request.js';
import type { WorkflowDef } from '../../src/model/workflow-def.js';
import { testWorkflow } from '../../src/operation/test-workflow.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { createSandbox } from '../../src/sandbox/script-sandbox.js';
import { systemClock } from '../../src/std/clock.js';
import { simple, taskOf, workflow, World } from '../engine/support/world.js';
import type { WireWorkflow } from '../../testkit/wire.js';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = createSandbox({
    scriptTimeMsMax: 4000,
    scriptMemoryBytesMax: 64 * 1024 * 1024,
    scriptOutputBytesMax: 1024 * 1024,
    scriptWorkersMax: 1,
    clock: systemClock,
  });
});
afterAll(() => sandbox.stop());

async function run(
  definitions: JsonMap[],
  request: JsonMap,
  taskDefs: JsonMap[] = [],
): Promise<WireWorkflow> {
  const world = new World({ workflowDefs: definitions, taskDefs });
  const lookup: DefinitionLookup = world.context.definitions;
  const known = {
    taskDef: (name: string) => lookup.taskDef(name),
    workflowDef: (name: string, version?: number) => lookup.workflowDef(name, version),
    exactDef: (name: string, version?: number) => lookup.workflowDef(name, version),
    snapshot: (def: WorkflowDef): DefinitionSnapshot => world.snapshot(def),
    prepareSnapshot: () => undefined,
    nameOwner: (_name: string, owner: string) => ({ registration: '', owner }),
    refresh: () => Promise.resolve(),
  };
  const text = await testWorkflow(
    {
      definitions: known,
      clock: systemClock,
      randomId: randomUUID,
      access: everythingAllowed,
    },
    localAdministrator,
    { sandbox, engine: world.context },
    parseWorkflowTestRequest({ name: 'wf', version: 1, input: {}, ...request }, ''),
  );
  return JSON.parse(text) as WireWorkflow;
}

const shown = (answer: WireWorkflow): string[] =>
  answer.tasks.map((task) => `${task.referenceTaskName} ${task.status}`);

describe('a test of a workflow', () => {
  it('answers tasks by their mocks in order and shows the execution', async () => {
    const def = workflow([simple('a'), simple('b', { inputParameters: { x: '${a.output.k}' } })]);
    const answer = await run(
      [def],
      {
        taskRefToMockOutput: {
          a: [{ output: { k: 1 } }],
          b: [{ status: 'FAILED' }, { output: { z: 2 } }],
        },
      },
      [
        { name: 'a', retryCount: 0 },
        { name: 'b', retryCount: 0 },
      ],
    );
    expect(answer).toMatchObject({
      status: 'FAILED',
      failedReferenceTaskNames: ['b'],
      workflowName: 'wf',
    });
    expect(shown(answer)).toEqual(['a COMPLETED', 'b FAILED']);
    expect(answer.tasks[1]).toMatchObject({ inputData: { x: 1 }, startTime: 0, pollCount: 0 });
    const { taskToDomain } = answer as unknown as { taskToDomain: JsonMap };
    const domain = taskToDomain['*'];
    expect(domain).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.tasks[0]).toMatchObject({ domain });
  });

  it('passes retry delays on its own clock', async () => {
    // An hour of the real clock is longer than a test may take.
    const answer = await run(
      [workflow([simple('a')])],
      { taskRefToMockOutput: { a: [{ status: 'FAILED' }, { output: { z: 2 } }] } },
      [{ name: 'a', retryCount: 1, retryDelaySeconds: 3600 }],
    );
    expect(answer).toMatchObject({ status: 'COMPLETED', output: { z: 2 } });
    const [first, second] = answer.tasks;
    expect((second?.['endTime'] as number) - (first?.['endTime'] as number)).toBeGreaterThanOrEqual(
      3_600_000,
    );
  });

  it('runs what the engine carries out itself, timers and loops included', async () => {
    const answer = await run(
      [
        workflow([
          taskOf('INLINE', 'i', {
            inputParameters: { evaluatorType: 'javascript', expression: '40 + 2' },
          }),
          taskOf('WAIT', 'w', { inputParameters: { duration: '3 days' } }),
          taskOf('DO_WHILE', 'l', {
            loopCondition: "$.l['iteration'] < 2",
            loopOver: [simple('m')],
          }),
        ]),
      ],
      { taskRefToMockOutput: { m__1: [{ output: { n: 1 } }], m__2: [{ output: { n: 2 } }] } },
    );
    expect(answer.status).toBe('COMPLETED');
    expect(answer.tasks[0]).toMatchObject({ outputData: { result: 42 } });
    expect(shown(answer).slice(2)).toEqual(['l COMPLETED', 'm__1 COMPLETED', 'm__2 COMPLETED']);
  });

  it('calls nothing and starts nothing: without a mock it stops there', async () => {
    const child = { name: 'child', version: 1, tasks: [simple('g')] };
    const stops: JsonMap[] = [
      taskOf('HTTP', 'x', {
        inputParameters: { http_request: { uri: 'http://127.0.0.1:1/', method: 'GET' } },
      }),
      taskOf('SUB_WORKFLOW', 'x', { subWorkflowParam: { name: 'child', version: 1 } }),
      taskOf('START_WORKFLOW', 'x', {
        inputParameters: { startWorkflow: { name: 'child', version: 1 } },
      }),
      taskOf('HUMAN', 'x'),
      simple('x'),
    ];
    for (const stop of stops) {
      const answer = await run([workflow([stop]), child], {});
      expect(answer.status).toBe('RUNNING');
      expect(['x SCHEDULED', 'x IN_PROGRESS']).toContain(shown(answer)[0]);
      const mocked = await run([workflow([stop]), child], {
        taskRefToMockOutput: { x: [{ output: { r: 1 } }] },
      });
      expect(mocked).toMatchObject({ status: 'COMPLETED', output: { r: 1 } });
    }
  });

  it('simulates children that have a request of their own', async () => {
    const child = {
      name: 'child',
      version: 1,
      tasks: [simple('g', { inputParameters: { q: '${workflow.input.q}' } })],
    };
    const parent = workflow([
      taskOf('SUB_WORKFLOW', 'p', {
        inputParameters: { q: 7 },
        subWorkflowParam: { name: 'child', version: 1 },
      }),
    ]);
    const answer = await run([parent, child], {
      subWorkflowTestRequest: {
        p: { name: 'child', taskRefToMockOutput: { g: [{ output: { done: true } }] } },
      },
    });
    expect(answer.status).toBe('COMPLETED');
    expect(answer.tasks[0]).toMatchObject({ status: 'COMPLETED', outputData: { done: true } });
    const failing = await run([parent, child], {
      subWorkflowTestRequest: {
        p: {
          name: 'child',
          taskRefToMockOutput: { g: [{ status: 'FAILED_WITH_TERMINAL_ERROR' }] },
        },
      },
    });
    expect(failing.status).toBe('FAILED');
  });

  it('shows the given durations as times in the past', async () => {
    const answer = await run([workflow([simple('a')])], {
      taskRefToMockOutput: { a: [{ executionTime: 2000, queueWaitTime: 500 }] },
    });
    const [task] = answer.tasks;
    const { scheduledTime, startTime, endTime } = task as unknown as Record<string, number>;
    expect(Number(startTime) - Number(scheduledTime)).toBe(500);
    expect(Number(endTime) - Number(startTime)).toBe(2000);
  });

  it('ends by itself when a loop goes round for ever', async () => {
    const answer = await run(
      [
        workflow([
          taskOf('DO_WHILE', 'l', { loopCondition: 'true', loopOver: [taskOf('NOOP', 'n')] }),
        ]),
      ],
      {},
    );
    expect(answer.status).toBe('FAILED');
  });

  it('refuses an unknown definition', async () => {
    await expect(run([], {})).rejects.toMatchObject({ kind: 'not-found' });
  });
});
