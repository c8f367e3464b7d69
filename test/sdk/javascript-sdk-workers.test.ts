import {
  ConductorWorkflow,
  NonRetryableException,
  OrkesClients,
  TaskHandler,
  WorkflowExecutor,
  clearWorkerRegistry,
  conductorEventTask,
  doWhileTask,
  dynamicForkTask,
  dynamicTask,
  forkTaskJoin,
  getTaskContext,
  httpTask,
  humanTask,
  inlineTask,
  jsonJqTask,
  noopLogger,
  pullWorkflowMessages,
  setVariableTask,
  simpleTask,
  startWorkflowTask,
  subWorkflowTask,
  switchTask,
  terminateTask,
  waitTaskDuration,
  waitTaskUntil,
  worker,
  type ConductorWorker,
} from '@io-orkes/conductor-javascript';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { until, untilMoment } from '../../testkit/until.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { owner, SdkSession, taskOf } from './sdk-session.js';

// The worker hosts of the JavaScript SDK, and its builders for every type of task.

const server = sharedSecuredServer(import.meta.url);
let sdk: SdkSession;
beforeAll(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  sdk = await SdkSession.open(server);
});
afterAll(() => sdk?.close());

describe('the JavaScript SDK, workers', () => {
  it('carries out many executions at once and chains tasks through update-v2', async () => {
    await sdk.registerTask('javascript_sdk_workers_many');
    await sdk.register('javascript_sdk_workers_many', [
      simpleTask('a', 'javascript_sdk_workers_many', {}),
      simpleTask('b', 'javascript_sdk_workers_many', {}),
    ]);
    let count = 0;
    const many: ConductorWorker = {
      taskDefName: 'javascript_sdk_workers_many',
      execute: async () => ({ status: 'COMPLETED', outputData: { n: ++count } }),
    };
    const ids = await Promise.all(
      Array.from({ length: 20 }, () =>
        sdk.executor.startWorkflow({ name: 'javascript_sdk_workers_many' }),
      ),
    );
    await sdk.withWorkers([many], () =>
      Promise.all(ids.map((id) => sdk.untilStatus(id, 'COMPLETED'))),
    );
    expect(count).toBe(40);
  });

  it('keeps a long task by its heartbeat, and ends one for good', async () => {
    // The SDK sends heartbeats at four fifths of the time, and none for times of a second.
    await sdk.registerTask('javascript_sdk_workers_long', { responseTimeoutSeconds: 2 });
    await sdk.registerTask('javascript_sdk_workers_fatal', { retryCount: 3 });
    await sdk.register('javascript_sdk_workers_long', [
      simpleTask('a', 'javascript_sdk_workers_long', {}),
      simpleTask('b', 'javascript_sdk_workers_fatal', {}),
    ]);
    const long: ConductorWorker = {
      taskDefName: 'javascript_sdk_workers_long',
      leaseExtendEnabled: true,
      execute: async ({ startTime = 0 }) => {
        await untilMoment(startTime + 3_000);
        getTaskContext()?.addLog('took its time');
        getTaskContext()?.setOutput({ from: 'context' });
        return { status: 'COMPLETED', outputData: { own: true } };
      },
    };
    const fatal: ConductorWorker = {
      taskDefName: 'javascript_sdk_workers_fatal',
      execute: async () => {
        throw new NonRetryableException('never again');
      },
    };
    const id = await sdk.executor.startWorkflow({ name: 'javascript_sdk_workers_long' });
    const ended = await sdk.withWorkers([long, fatal], () => sdk.untilStatus(id, 'FAILED'));
    expect(ended.tasks).toHaveLength(2);
    expect(taskOf(ended, 'a').outputData).toEqual({ from: 'context', own: true });
    expect(taskOf(ended, 'b')).toMatchObject({
      status: 'FAILED_WITH_TERMINAL_ERROR',
      reasonForIncompletion: 'never again',
    });
    const logs = await until('the log', async () => {
      const lines = await sdk.tasks.getTaskLogs(taskOf(ended, 'a').taskId as string);
      return lines.length > 0 ? lines : undefined;
    });
    expect(logs[0]?.log).toBe('took its time');
  });

  it('serves a domain', async () => {
    await sdk.registerTask('javascript_sdk_workers_domain');
    await sdk.register('javascript_sdk_workers_domain', [
      simpleTask('a', 'javascript_sdk_workers_domain', {}),
    ]);
    const own: ConductorWorker = {
      taskDefName: 'javascript_sdk_workers_domain',
      domain: 'east',
      execute: async (task) => ({ status: 'COMPLETED', outputData: { domain: task.domain } }),
    };
    const id = await sdk.executor.startWorkflow({
      name: 'javascript_sdk_workers_domain',
      taskToDomain: { '*': 'east' },
    });
    const ended = await sdk.withWorkers([own], () => sdk.untilStatus(id, 'COMPLETED'));
    expect(ended.output).toEqual({ domain: 'east' });
  });

  it('hosts decorated workers, which register their own definitions', async () => {
    clearWorkerRegistry();
    const options = {
      taskDefName: 'javascript_sdk_workers_decorated',
      registerTaskDef: true,
      overwriteTaskDef: false,
      pollInterval: 10,
    };
    class Workers {
      async greet(task: { inputData?: { [name: string]: unknown } }) {
        return {
          status: 'COMPLETED' as const,
          outputData: { text: `hello ${String(task.inputData?.['name'])}` },
        };
      }
    }
    const { greet } = Workers.prototype;
    worker({ ...options, taskDef: { name: 'javascript_sdk_workers_decorated', ownerEmail: owner, timeoutSeconds: 0, totalTimeoutSeconds: 0, retryCount: 0 } })(
      Workers.prototype, 'greet', { value: greet, writable: true, configurable: true, enumerable: false },
    ); // prettier-ignore
    const handler = new TaskHandler({
      client: sdk.client,
      scanForDecorated: true,
      logger: noopLogger,
    });
    await handler.startWorkers();
    try {
      expect(await sdk.metadata.getTask('javascript_sdk_workers_decorated')).toMatchObject({
        retryCount: 0,
      });
      await sdk.register('javascript_sdk_workers_decorated', [
        simpleTask('g', 'javascript_sdk_workers_decorated', { name: 'you' }),
      ]);
      const id = await sdk.executor.startWorkflow({ name: 'javascript_sdk_workers_decorated' });
      expect((await sdk.untilStatus(id, 'COMPLETED')).output).toEqual({ text: 'hello you' });
      expect(handler.isHealthy()).toBe(true);
    } finally {
      await handler.stopWorkers();
      clearWorkerRegistry();
      // The SDK looks whether the definition is there before it registers it.
      const looked = sdk.refusals.indexOf(
        'GET /api/metadata/taskdefs/javascript_sdk_workers_decorated 404',
      );
      if (looked >= 0) sdk.refusals.splice(looked, 1);
    }
  });

  it('gives its clients by its factory', async () => {
    const clients = new OrkesClients(sdk.client);
    expect(await clients.getMetadataClient().getAllTaskDefs()).toEqual(expect.any(Array));
    expect(clients.getWorkflowClient()).toBeInstanceOf(WorkflowExecutor);
  });
});

describe('the JavaScript SDK, task builders', () => {
  it('builds a workflow of every type that runs to its end by itself', async () => {
    await sdk.registerTask('javascript_sdk_workers_built');
    const child = new ConductorWorkflow(sdk.executor, 'javascript_sdk_workers_child').add(
      inlineTask('c', '(function () { return 5; })()'),
    );
    await child.register(true);
    const flow = new ConductorWorkflow(sdk.executor, 'javascript_sdk_workers_every')
      .ownerEmail(owner)
      .timeoutSeconds(0)
      .inputParameters(['kind'])
      .inputTemplate({ kind: 'x' })
      .add(setVariableTask('set', { total: 1 }))
      .add(inlineTask('inline', '(function () { return $.a + 1; })()'))
      .add({
        ...jsonJqTask('jq', '.list | add'),
        inputParameters: { queryExpression: '.list | add', list: [1, 2, 3] },
      })
      .add(
        switchTask('switch', '${workflow.input.kind}', { x: [inlineTask('case', '7')] }, [
          terminateTask('stop', 'FAILED', 'wrong case'),
        ]),
      )
      .add(forkTaskJoin('fork', [inlineTask('left', '1'), inlineTask('right', '2')]))
      .fork([[inlineTask('l2', '1')], [inlineTask('r2', '2')]])
      .add(
        doWhileTask('loop', 'if ($.loop.iteration < 3) { true; } else { false; }', [
          inlineTask('in_loop', '1'),
        ]),
      )
      .add({
        ...dynamicTask('dynamic', 'INLINE'),
        inputParameters: { taskToExecute: 'INLINE', expression: '3', evaluatorType: 'javascript' },
      })
      .add(subWorkflowTask('sub', 'javascript_sdk_workers_child', 1))
      .add(child.toSubWorkflowTask('sub_inline'))
      .add(startWorkflowTask('started', 'javascript_sdk_workers_child', { from: 'parent' }, 1))
      .add(conductorEventTask('event', 'javascript_sdk_workers_event'))
      .add(httpTask('http', { uri: `${server.url}/api/version`, method: 'GET' }))
      .add(waitTaskDuration('pause', '1 second'))
      .add(waitTaskUntil('until', '2020-01-01 00:00'))
      .outputParameters({
        jq: '${jq.output.result}',
        sub: '${sub.output.result}',
        http: '${http.output.response.statusCode}',
      })
      .outputParameter('loops', '${loop.output.iteration}');
    await flow.register(true);
    const id = await flow.startWorkflow({ given: 1 });
    const ended = await until('the end', async () => {
      const seen = await sdk.executor.getWorkflow(id, true);
      return seen.status === 'RUNNING' ? undefined : seen;
    });
    expect(ended).toMatchObject({
      status: 'COMPLETED',
      output: { jq: 6, sub: 5, http: 200, loops: 3 },
      variables: { total: 1 },
    });
  });

  it('builds a dynamic fork, a human task and a reader of messages', async () => {
    await sdk.registerTask('javascript_sdk_workers_branch');
    await sdk.register('javascript_sdk_workers_waits', [
      ...[dynamicForkTask('fork', [])].map((task) => ({
        ...task,
        dynamicForkTasksParam: 'list',
        dynamicForkTasksInputParamName: 'inputs',
        inputParameters: { list: '${workflow.input.list}', inputs: '${workflow.input.inputs}' },
      })),
      { name: 'join', taskReferenceName: 'join', type: 'JOIN' },
      humanTask('human', { displayName: 'A form' }),
      pullWorkflowMessages('pull', 2),
    ]);
    const branches = ['b1', 'b2'].map((ref) => ({
      name: 'javascript_sdk_workers_branch',
      taskReferenceName: ref,
      type: 'SIMPLE',
    }));
    const id = await sdk.executor.startWorkflow({
      name: 'javascript_sdk_workers_waits',
      input: { list: branches, inputs: { b1: { n: 1 }, b2: { n: 2 } } },
    });
    const branch: ConductorWorker = {
      taskDefName: 'javascript_sdk_workers_branch',
      execute: async (task) => ({ status: 'COMPLETED', outputData: { ...task.inputData } }),
    };
    await sdk.withWorkers([branch], () =>
      until('the human task', async () =>
        (await sdk.executor.getWorkflow(id, true)).tasks?.some((task) => task.taskType === 'HUMAN'),
      ),
    );
    await sdk.executor.updateTaskByRefName('human', id, 'COMPLETED', { approved: true });
    const ended = await sdk.executor.getWorkflow(id, true);
    expect(taskOf(ended, 'join').outputData).toEqual({ b1: { n: 1 }, b2: { n: 2 } });
    expect(taskOf(ended, 'pull')).toMatchObject({ status: 'IN_PROGRESS' });
    await sdk.executor.terminate(id, 'seen');
  });
});

describe('the server', () => {
  it('refused nothing that no test expected', () => {
    expect(sdk.refusals).toEqual([]);
  });
});
