import {
  ConductorWorkflow,
  Consistency,
  MetadataClient,
  ReturnStrategy,
  TaskClient,
  TaskManager,
  TaskResultStatusEnum,
  WorkflowExecutor,
  noopLogger,
  orkesConductorClient,
  simpleTask,
  type ConductorClient,
  type ConductorWorker,
  type Workflow,
} from '@io-orkes/conductor-javascript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

// The published JavaScript client against a running server: what it sends and how it reads answers
// is not ours.

const server = sharedServer(import.meta.url);
let client: ConductorClient;
let executor: WorkflowExecutor;
let metadata: MetadataClient;
let taskClient: TaskClient;
let manager: TaskManager | undefined;

const done = TaskResultStatusEnum.COMPLETED;
const owner = 'sdk@downbeat.test';

beforeAll(async () => {
  client = await orkesConductorClient({
    serverUrl: server.url,
    useEnvVars: false,
    disableHttp2: true,
    logger: noopLogger,
  });
  executor = new WorkflowExecutor(client);
  metadata = new MetadataClient(client);
  taskClient = new TaskClient(client);
});

afterAll(async () => {
  await manager?.stopPolling();
});

/** Runs `work` while the SDK's own workers poll. */
async function withWorkers<T>(workers: ConductorWorker[], work: () => Promise<T>): Promise<T> {
  manager = new TaskManager(client, workers, {
    logger: noopLogger,
    options: { pollInterval: 10, concurrency: 5 },
  });
  manager.startPolling();
  try {
    return await work();
  } finally {
    await manager.stopPolling();
    manager = undefined;
  }
}

function untilStatus(id: string, status: string): Promise<Workflow> {
  return until(`${status} of ${id}`, async () => {
    const workflow = await executor.getWorkflow(id, true);
    return workflow.status === status ? workflow : undefined;
  });
}

async function registerTask(name: string, fields: object = {}): Promise<void> {
  await metadata.registerTask({
    name,
    retryCount: 0,
    timeoutSeconds: 0,
    totalTimeoutSeconds: 0,
    responseTimeoutSeconds: 60,
    ownerEmail: owner,
    ...fields,
  });
}

async function registerWorkflow(name: string, tasks: object[], fields: object = {}): Promise<void> {
  await metadata.registerWorkflowDef(
    {
      name,
      version: 1,
      schemaVersion: 2,
      timeoutSeconds: 0,
      ownerEmail: owner,
      tasks: tasks as never,
      ...fields,
    },
    true,
  );
}

const wait = { name: 'wait', taskReferenceName: 'wait', type: 'WAIT' };
const human = { name: 'human', taskReferenceName: 'human', type: 'HUMAN' };

describe('the JavaScript SDK', () => {
  it('reads back the definitions that it registered', async () => {
    await registerTask('javascript_sdk_defined', { description: 'as sent' });
    await registerWorkflow('javascript_sdk_defined_flow', [
      simpleTask('a', 'javascript_sdk_defined', { x: 1 }),
    ]);
    const task = await metadata.getTask('javascript_sdk_defined');
    expect(task).toMatchObject({
      name: 'javascript_sdk_defined',
      description: 'as sent',
      retryCount: 0,
    });
    const workflow = await metadata.getWorkflowDef('javascript_sdk_defined_flow');
    expect(workflow.tasks[0]).toMatchObject({ taskReferenceName: 'a', inputParameters: { x: 1 } });
    await metadata.unregisterWorkflow('javascript_sdk_defined_flow', 1);
    await expect(metadata.getWorkflowDef('javascript_sdk_defined_flow')).rejects.toThrow();
    await metadata.unregisterTask('javascript_sdk_defined');
    await expect(metadata.getTask('javascript_sdk_defined')).rejects.toThrow();
  });

  it('carries out a workflow with its workers and returns the output', async () => {
    await registerTask('javascript_sdk_greet');
    await registerTask('javascript_sdk_shout');
    const flow = new ConductorWorkflow(executor, 'javascript_sdk_greetings')
      .add(simpleTask('greet', 'javascript_sdk_greet', { name: '${workflow.input.name}' }))
      .add(simpleTask('shout', 'javascript_sdk_shout', { text: '${greet.output.text}' }))
      .outputParameters({ result: '${shout.output.text}' });
    await flow.register(true);
    const workers: ConductorWorker[] = [
      {
        taskDefName: 'javascript_sdk_greet',
        execute: async (task) => ({
          status: 'COMPLETED',
          outputData: { text: `hello ${task.inputData?.['name']}` },
        }),
      },
      {
        taskDefName: 'javascript_sdk_shout',
        execute: async (task) => ({
          status: 'COMPLETED',
          outputData: { text: String(task.inputData?.['text']).toUpperCase() },
        }),
      },
    ];
    const run = await withWorkers(workers, () => flow.execute({ name: 'you' }));
    expect(run.status).toBe('COMPLETED');
    expect(run.output).toEqual({ result: 'HELLO YOU' });
  });

  it('repeats a failed task as its definition says', async () => {
    await registerTask('javascript_sdk_flaky', { retryCount: 2, retryDelaySeconds: 0 });
    await registerWorkflow('javascript_sdk_retries', [simpleTask('a', 'javascript_sdk_flaky', {})]);
    let calls = 0;
    const worker: ConductorWorker = {
      taskDefName: 'javascript_sdk_flaky',
      execute: async () => {
        calls++;
        if (calls < 3) throw new Error('not yet');
        return { status: 'COMPLETED', outputData: { calls } };
      },
    };
    const workflow = await withWorkers([worker], async () => {
      const id = await executor.startWorkflow({ name: 'javascript_sdk_retries', version: 1 });
      return untilStatus(id, 'COMPLETED');
    });
    expect(workflow.tasks?.map((task) => task.status)).toEqual(['FAILED', 'FAILED', 'COMPLETED']);
    expect(workflow.output).toEqual({ calls: 3 });
  });

  it('goes on with a task that asked to be called back', async () => {
    await registerTask('javascript_sdk_progress');
    await registerWorkflow('javascript_sdk_callback', [
      simpleTask('a', 'javascript_sdk_progress', {}),
    ]);
    const worker: ConductorWorker = {
      taskDefName: 'javascript_sdk_progress',
      execute: async (task) =>
        (task.pollCount ?? 0) < 2
          ? { status: 'IN_PROGRESS', callbackAfterSeconds: 0, outputData: { half: true } }
          : { status: 'COMPLETED', outputData: { polls: task.pollCount } },
    };
    const workflow = await withWorkers([worker], async () => {
      const id = await executor.startWorkflow({ name: 'javascript_sdk_callback', version: 1 });
      return untilStatus(id, 'COMPLETED');
    });
    expect(workflow.tasks).toHaveLength(1);
    expect(workflow.output).toEqual({ polls: 2 });
  });

  it('waits for a blocked task and signals it', async () => {
    await registerWorkflow('javascript_sdk_signal', [
      wait,
      { ...wait, taskReferenceName: 'wait2' },
    ]);
    const started = await executor.executeWorkflow(
      { name: 'javascript_sdk_signal', version: 1 },
      'javascript_sdk_signal',
      1,
      'request-1',
      '',
      5,
      Consistency.DURABLE,
      ReturnStrategy.BLOCKING_TASK,
    );
    expect(started.isBlockingTask()).toBe(true);
    expect(started.getBlockingTask().referenceTaskName).toBe('wait');
    const id = started.targetWorkflowId as string;
    const next = await executor.signal(id, done, { a: 1 }, ReturnStrategy.BLOCKING_TASK);
    expect(next.getBlockingTask().referenceTaskName).toBe('wait2');
    await executor.signalAsync(id, done, { b: 2 });
    const workflow = await untilStatus(id, 'COMPLETED');
    expect(workflow.tasks?.[0]?.outputData).toEqual({ taskOutput: { a: 1 } });
  });

  it('pauses, resumes, terminates, restarts, retries and reruns', async () => {
    await registerTask('javascript_sdk_control');
    await registerWorkflow('javascript_sdk_controls', [
      simpleTask('a', 'javascript_sdk_control', {}),
      simpleTask('b', 'javascript_sdk_control', {}),
    ]);
    const id = await executor.startWorkflow({
      name: 'javascript_sdk_controls',
      version: 1,
      input: { k: 1 },
    });
    await executor.pause(id);
    expect((await executor.getWorkflowStatus(id, false, false)).status).toBe('PAUSED');
    await executor.resume(id);
    await executor.updateTaskByRefName('a', id, 'COMPLETED', { one: 1 });
    await executor.terminate(id, 'enough');
    const ended = await untilStatus(id, 'TERMINATED');
    expect(ended.reasonForIncompletion).toBe('enough');
    await executor.retry(id, false);
    await untilStatus(id, 'RUNNING');
    await executor.updateTaskByRefName('b', id, 'FAILED', {});
    await untilStatus(id, 'FAILED');
    await executor.restart(id, true);
    const restarted = await untilStatus(id, 'RUNNING');
    expect(restarted.tasks).toHaveLength(1);
    await executor.updateTaskByRefName('a', id, 'COMPLETED', { two: 2 });
    await executor.updateTaskByRefName('b', id, 'COMPLETED', { three: 3 });
    const completed = await untilStatus(id, 'COMPLETED');
    const second = completed.tasks?.[1]?.taskId as string;
    await executor.reRun(id, { reRunFromTaskId: second, taskInput: { again: true } });
    const again = await untilStatus(id, 'RUNNING');
    expect(again.tasks?.at(-1)).toMatchObject({
      referenceTaskName: 'b',
      inputData: { again: true },
    });
    await executor.updateTaskByRefName('b', id, 'COMPLETED', {});
    await untilStatus(id, 'COMPLETED');
  });

  it('skips a task and completes a human one by reference', async () => {
    await registerTask('javascript_sdk_skipped');
    await registerWorkflow('javascript_sdk_skip', [
      human,
      simpleTask('s', 'javascript_sdk_skipped', {}),
      wait,
    ]);
    const id = await executor.startWorkflow({ name: 'javascript_sdk_skip', version: 1 });
    await executor.skipTasksFromWorkflow(id, 's', { taskOutput: { skipped: true } });
    await executor.updateTaskByRefName('human', id, 'COMPLETED', { form: 'filled' });
    const workflow = await until('the wait', async () => {
      const seen = await executor.getWorkflow(id, true);
      return seen.tasks?.some((task) => task.taskType === 'WAIT') ? seen : undefined;
    });
    const skipped = workflow.tasks?.find((task) => task.referenceTaskName === 's');
    expect(skipped).toMatchObject({ status: 'SKIPPED', outputData: { skipped: true } });
    await executor.updateVariables(id, { color: 'red' });
    await executor.updateTaskSync('wait', id, done, {});
    const status = await executor.getWorkflowStatus(id, true, true);
    expect(status).toMatchObject({ status: 'COMPLETED', variables: { color: 'red' } });
  });

  it('finds executions and their tasks', async () => {
    await registerTask('javascript_sdk_found');
    await registerWorkflow('javascript_sdk_findable', [
      simpleTask('a', 'javascript_sdk_found', {}),
    ]);
    const id = await executor.startWorkflow({
      name: 'javascript_sdk_findable',
      version: 1,
      correlationId: 'js-corr',
    });
    const found = await until('the search to find it', async () => {
      const query = "workflowType='javascript_sdk_findable' AND status='RUNNING'";
      const result = await executor.search(0, 10, query, '*');
      return result.totalHits === 1 ? result : undefined;
    });
    expect(found.results?.[0]?.workflowId).toBe(id);
    const correlated = await executor.getByCorrelationIds({
      workflowNames: ['javascript_sdk_findable'],
      correlationIds: ['js-corr'],
    });
    expect(correlated['js-corr']?.map((workflow) => workflow.workflowId)).toEqual([id]);
    const taskId = (await executor.getWorkflow(id, true)).tasks?.[0]?.taskId as string;
    await taskClient.addTaskLog(taskId, 'a line');
    const logs = await until('the log', async () => {
      const lines = await taskClient.getTaskLogs(taskId);
      return lines.length > 0 ? lines : undefined;
    });
    expect(logs[0]).toMatchObject({ log: 'a line', taskId });
    expect((await taskClient.getTask(taskId)).referenceTaskName).toBe('a');
    expect(await taskClient.getQueueSizeForTask(['javascript_sdk_found'])).toEqual({
      javascript_sdk_found: 1,
    });
    await executor.terminate(id, 'done');
    await executor.deleteWorkflow(id);
    await expect(executor.getExecution(id)).rejects.toThrow();
  });

  it('tries out a workflow with mock outputs', async () => {
    await registerWorkflow('javascript_sdk_mocked', [simpleTask('a', 'javascript_sdk_mock', {})], {
      outputParameters: { k: '${a.output.k}' },
    });
    const result = await executor.testWorkflow({
      name: 'javascript_sdk_mocked',
      version: 1,
      taskRefToMockOutput: { a: [{ status: 'COMPLETED', output: { k: 7 } }] },
    } as never);
    expect(result).toMatchObject({ status: 'COMPLETED', output: { k: 7 } });
  });
});
