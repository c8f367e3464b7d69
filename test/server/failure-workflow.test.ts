// What a failure workflow gets from a started server, which carries its start out (contract-core
// 10.4, semantics 2.9).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { sharedServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';
import type { JsonObject, WireWorkflow } from '../../testkit/wire.js';

const server = sharedServer(import.meta.url);
let api: ApiClient;

beforeAll(async () => {
  api = new ApiClient(server.url);
  await api.registerTasks({ name: 'failure_workflow_work', retryCount: 0 });
  await api.registerWorkflows(
    {
      name: 'failure_workflow_clean',
      tasks: [
        {
          name: 'v',
          taskReferenceName: 'v',
          type: 'SET_VARIABLE',
          inputParameters: { seen: '${workflow.input.failedWorkflow.tasks[0].outputData.x}' },
        },
      ],
    },
    {
      name: 'failure_workflow_fails',
      failureWorkflow: 'failure_workflow_clean',
      tasks: [{ name: 'failure_workflow_work', taskReferenceName: 'a' }],
    } as never,
    {
      name: 'failure_workflow_fails_alone',
      failureWorkflow: 'absent',
      tasks: [{ name: 'failure_workflow_work', taskReferenceName: 'a' }],
    } as never,
  );
});

afterAll(async () => {
  await api.close();
});

/**
 * Starts it and fails its task; resolves when the output names the failure workflow or why there is
 * none.
 */
async function fail(name: string): Promise<WireWorkflow> {
  const id = await api.start({ name, version: 1, input: { k: 1 }, correlationId: 'c' } as never);
  const [task] = await api.poll('failure_workflow_work', { timeoutMs: 2000 });
  await api.update({
    workflowInstanceId: id,
    taskId: (task as { taskId: string }).taskId,
    status: 'FAILED',
    outputData: { x: 7 },
    reasonForIncompletion: 'nope',
  });
  return api.untilWorkflow(id, ({ output }) => 'conductor.failure_workflow' in output);
}

describe('a failure workflow', () => {
  it('gets the input of the failed one, why it failed, and all of it', async () => {
    const failed = await fail('failure_workflow_fails');
    const cleanId = failed.output['conductor.failure_workflow'] as string;
    // The failed one is told first: its end and the order of this start are one commit.
    await until('the start of the failure workflow', async () =>
      (await api.request('GET', `/api/workflow/${cleanId}`)).status === 200 ? true : undefined,
    );
    const clean = await api.untilEnd(cleanId);
    const [task] = failed.tasks;
    expect(clean).toMatchObject({
      status: 'COMPLETED',
      correlationId: 'c',
      variables: { seen: 7 },
      input: {
        k: 1,
        workflowId: failed.workflowId,
        reason: failed.reasonForIncompletion,
        failureStatus: 'FAILED',
        failureTaskId: task?.taskId,
        failedWorkflow: {
          workflowId: failed.workflowId,
          status: 'FAILED',
          previousStatus: 'RUNNING',
          failedTaskId: task?.taskId,
          failedReferenceTaskNames: ['a'],
          output: { x: 7 },
          tasks: [{ referenceTaskName: 'a', status: 'FAILED', reasonForIncompletion: 'nope' }],
          workflowDefinition: {
            name: 'failure_workflow_fails',
            failureWorkflow: 'failure_workflow_clean',
          },
        },
      },
    });
    const { failedWorkflow } = clean.input as { failedWorkflow: { output: JsonObject } };
    expect(failedWorkflow.output).toEqual({ x: 7 });
  });

  it('that is not there is named in the output', async () => {
    const { output, status } = await fail('failure_workflow_fails_alone');
    expect(status).toBe('FAILED');
    expect(output['conductor.failure_workflow']).toBe(
      'Error workflow absent failed to start.  reason: No such workflow defined. name=absent, version=null',
    );
  });
});
