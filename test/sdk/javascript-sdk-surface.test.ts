import {
  ConductorWorkflow,
  ReturnStrategy,
  TaskResultStatusEnum,
  simpleTask,
  taskDefinition,
  workflow as workflowDefinition,
} from '@io-orkes/conductor-javascript';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { until } from '../../testkit/until.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { owner, SdkSession, taskOf } from './sdk-session.js';

// Every public call of the JavaScript SDK for the routes that this server has.

const done = TaskResultStatusEnum.COMPLETED;
const wait = { name: 'wait', taskReferenceName: 'wait', type: 'WAIT' };

const server = sharedSecuredServer(import.meta.url);
let sdk: SdkSession;
beforeAll(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  sdk = await SdkSession.open(server);
});
afterAll(() => sdk?.close());

describe('the JavaScript SDK, metadata', () => {
  it('manages definitions by every call that it has', async () => {
    await sdk.metadata.registerTasks([
      taskDefinition({ name: 'javascript_sdk_surface_one', ownerEmail: owner }),
      taskDefinition({
        name: 'javascript_sdk_surface_two',
        ownerEmail: owner,
        retryCount: 0,
        timeoutSeconds: 0,
      }),
    ]);
    await sdk.metadata.updateTask({
      ...(await sdk.metadata.getTask('javascript_sdk_surface_one')),
      description: 'changed',
    } as never);
    expect(await sdk.metadata.getTask('javascript_sdk_surface_one')).toMatchObject({
      description: 'changed',
    });
    const names = (await sdk.metadata.getAllTaskDefs()).map((def) => def.name);
    expect(names).toEqual(
      expect.arrayContaining(['javascript_sdk_surface_one', 'javascript_sdk_surface_two']),
    );
    await sdk.executor.registerWorkflow(
      true,
      workflowDefinition('javascript_sdk_surface_def', [
        simpleTask('a', 'javascript_sdk_surface_one', {}),
      ]),
    );
    await sdk.register('javascript_sdk_surface_def', [wait], { version: 2 });
    expect((await sdk.metadata.getWorkflowDef('javascript_sdk_surface_def')).version).toBe(2);
    expect((await sdk.metadata.getWorkflowDef('javascript_sdk_surface_def', 1, true)).version).toBe(
      1,
    );
    const defs = await sdk.metadata.getAllWorkflowDefs();
    expect(defs.filter((def) => def.name === 'javascript_sdk_surface_def').length).toBeGreaterThan(
      0,
    );
    expect(
      await sdk.refused(() =>
        sdk.executor.registerWorkflow(
          false,
          workflowDefinition('javascript_sdk_surface_def', [wait as never]),
        ),
      ),
    ).toBe('409');
    await sdk.metadata.unregisterWorkflow('javascript_sdk_surface_def');
    await sdk.metadata.unregisterWorkflow('javascript_sdk_surface_def', 2);
    await sdk.metadata.unregisterTask('javascript_sdk_surface_two');
    expect(await sdk.refused(() => sdk.metadata.getWorkflowDef('javascript_sdk_surface_def'))).toBe(
      '404',
    );
    expect(await sdk.refused(() => sdk.metadata.getTask('javascript_sdk_surface_two'))).toBe('404');
  });

  it('manages definitions by its resource calls', async () => {
    const { metadataResource } = sdk.client;
    await metadataResource.registerTaskDef([
      {
        name: 'javascript_sdk_surface_res',
        ownerEmail: owner,
        timeoutSeconds: 0,
        totalTimeoutSeconds: 0,
      },
    ]);
    await metadataResource.updateTaskDef({
      name: 'javascript_sdk_surface_res',
      ownerEmail: owner,
      timeoutSeconds: 0,
      totalTimeoutSeconds: 0,
      retryCount: 1,
    });
    expect(await metadataResource.getTaskDef('javascript_sdk_surface_res', true)).toMatchObject({
      retryCount: 1,
    });
    expect(await metadataResource.getTaskDefs('READ', true, 'k', 'v')).toEqual(expect.any(Array));
    const def = {
      name: 'javascript_sdk_surface_res_flow',
      version: 1,
      timeoutSeconds: 0,
      ownerEmail: owner,
      tasks: [wait],
    };
    await metadataResource.create(def as never);
    await metadataResource.update([{ ...def, description: 'as updated' }] as never);
    expect(await metadataResource.get('javascript_sdk_surface_res_flow', 1, true)).toMatchObject({
      description: 'as updated',
    });
    expect(await metadataResource.getAllWorkflows('READ', true)).toEqual(expect.any(Array));
    await metadataResource.unregisterWorkflowDef('javascript_sdk_surface_res_flow', 1);
    await metadataResource.unregisterTaskDef('javascript_sdk_surface_res');
  });
});

describe('the JavaScript SDK, executions', () => {
  it('starts in every way', async () => {
    await sdk.register('javascript_sdk_surface_start', [wait], { inputParameters: ['k'] });
    const byName = await sdk.executor.startWorkflowByName(
      'javascript_sdk_surface_start',
      { k: 1 },
      1,
      'jx-corr',
      5,
    );
    expect(await sdk.executor.getExecution(byName)).toMatchObject({
      correlationId: 'jx-corr',
      priority: 5,
      input: { k: 1 },
    });
    const several = await Promise.all(
      sdk.executor.startWorkflows([
        { name: 'javascript_sdk_surface_start' },
        { name: 'javascript_sdk_surface_start', version: 1, input: { k: 2 } },
      ]),
    );
    expect(new Set(several).size).toBe(2);
    const request = {
      name: 'javascript_sdk_surface_start',
      idempotencyKey: 'jx-key',
      idempotencyStrategy: 'RETURN_EXISTING' as const,
    };
    const first = await sdk.executor.startWorkflow(request);
    expect(await sdk.executor.startWorkflow(request)).toBe(first);
    expect(
      await sdk.refused(() =>
        sdk.executor.startWorkflow({ ...request, idempotencyStrategy: 'FAIL' }),
      ),
    ).toBe('409');
    const byResource = await sdk.client.workflowResource.startWorkflow1(
      'javascript_sdk_surface_start',
      { k: 3 },
      1,
      'jx-corr',
    );
    const plain = await sdk.client.workflowResource.startWorkflow({
      name: 'javascript_sdk_surface_start',
      input: {},
    });
    const flow = new ConductorWorkflow(sdk.executor, 'javascript_sdk_surface_start', 1);
    const built = await flow.startWorkflow({ k: 9 }, 'jx-corr', 1);
    const running = (await sdk.client.workflowResource.getRunningWorkflow(
      'javascript_sdk_surface_start',
      1,
    )) as string[];
    const all = [byName, ...several, first, byResource, plain, built];
    expect(running.sort()).toEqual([...all].sort());
    expect(
      await sdk.client.workflowResource.getWorkflows1(
        'javascript_sdk_surface_start',
        'jx-corr',
        false,
        true,
      ),
    ).toHaveLength(3);
    const batch = await sdk.client.workflowResource.getWorkflows(
      'javascript_sdk_surface_start',
      ['jx-corr', 'nosuch'],
      true,
      false,
    );
    expect(batch).toMatchObject({ 'jx-corr': [{}, {}, {}] });
    expect(
      (
        await sdk.executor.getByCorrelationIds(
          { workflowNames: ['javascript_sdk_surface_start'], correlationIds: ['jx-corr'] },
          true,
          true,
        )
      )['jx-corr'],
    ).toHaveLength(3);
    const { bulkSuccessfulResults } = await sdk.client.workflowBulkResource.terminate(
      all,
      'enough',
    );
    expect(bulkSuccessfulResults).toHaveLength(all.length);
    expect(
      await sdk.refused(() =>
        sdk.executor.startWorkflow({ name: 'javascript_sdk_surface_nosuch' }),
      ),
    ).toBe('404');
  });

  it('executes and waits, with each form of the answer', async () => {
    await sdk.register(
      'javascript_sdk_surface_exec',
      [wait, { ...wait, taskReferenceName: 'second' }],
      {
        outputParameters: { x: 1 },
      },
    );
    const run = await sdk.executor.executeWorkflow(
      { name: 'javascript_sdk_surface_exec' },
      'javascript_sdk_surface_exec',
      1,
      'r-1',
      'wait',
    );
    expect(run).toMatchObject({ status: 'RUNNING', workflowId: expect.any(String) as string });
    const run2 = (await sdk.client.workflowResource.executeWorkflow(
      { name: 'javascript_sdk_surface_exec', version: 1 },
      'javascript_sdk_surface_exec',
      1,
      'r-2',
      undefined as never,
      1,
      undefined as never,
      undefined as never,
    )) as { status: string };
    expect(run2.status).toBe('RUNNING');
    for (const strategy of Object.values(ReturnStrategy)) {
      const answer = await sdk.executor.executeWorkflow(
        { name: 'javascript_sdk_surface_exec' }, 'javascript_sdk_surface_exec', 1, `r-${strategy}`, '', 1, 'SYNCHRONOUS' as never, strategy,
      ); // prettier-ignore
      expect(answer.responseType).toBe(strategy);
      const id = answer.targetWorkflowId as string;
      const next = await sdk.executor.signal(id, done, { a: 1 }, strategy);
      expect(next.responseType).toBe(strategy);
      expect(next.getSummary()).toContain(id.slice(0, 8));
      await sdk.executor.signalAsync(id, done, {});
      expect((await sdk.untilStatus(id, 'COMPLETED')).output).toEqual({ x: 1 });
    }
  });

  it('controls an execution in every way', async () => {
    await sdk.registerTask('javascript_sdk_surface_ctl');
    await sdk.register('javascript_sdk_surface_ctl', [
      simpleTask('a', 'javascript_sdk_surface_ctl', { i: '${workflow.input.i}' }),
      simpleTask('b', 'javascript_sdk_surface_ctl', {}),
    ]);
    const resource = sdk.client.workflowResource;
    const id = await sdk.executor.startWorkflow({
      name: 'javascript_sdk_surface_ctl',
      input: { i: 1 },
    });
    await resource.pauseWorkflow(id);
    await resource.resumeWorkflow(id);
    await resource.decide(id);
    await resource.resetWorkflow(id);
    await sdk.executor.updateVariables(id, { color: 'red', nested: { a: [1, null] } });
    expect(await resource.getWorkflowStatusSummary(id, true, true)).toMatchObject({
      status: 'RUNNING',
      variables: { color: 'red', nested: { a: [1, null] } },
    });
    const a = taskOf(await sdk.executor.getWorkflow(id, true), 'a');
    const state = await sdk.executor.updateState(
      id,
      {
        variables: { color: 'blue' },
        taskReferenceName: 'a',
        taskResult: {
          workflowInstanceId: id,
          taskId: a.taskId as string,
          status: 'COMPLETED',
          outputData: { done: 1 },
        },
      },
      'state-1',
      'b',
      1,
    );
    expect(state).toMatchObject({ variables: { color: 'blue' } });
    await sdk.tasks.updateTaskResult(id, 'b', 'FAILED', { why: 'test' });
    await sdk.untilStatus(id, 'FAILED');
    await resource.retry1(id, false);
    expect((await sdk.tasks.updateTaskSync(id, 'b', 'COMPLETED', { ok: true }, 'me')).status).toBe(
      'COMPLETED',
    );
    await sdk.executor.goBackToTask(id, (task) => task.referenceTaskName === 'a', {
      taskInput: { i: 'again' },
    });
    expect(taskOf(await sdk.untilStatus(id, 'RUNNING'), 'a').inputData).toEqual({ i: 'again' });
    await resource.skipTaskFromWorkflow(id, 'b', { taskOutput: { skipped: true } });
    await sdk.executor.updateTask(
      taskOf(await sdk.executor.getWorkflow(id, true), 'a').taskId as string,
      id,
      'COMPLETED',
      { back: 1 },
    );
    const skipped = await sdk.untilStatus(id, 'COMPLETED');
    expect(taskOf(skipped, 'b')).toMatchObject({
      status: 'SKIPPED',
      outputData: { skipped: true },
    });
    await sdk.executor.goBackToFirstTaskMatchingType(id, 'javascript_sdk_surface_ctl');
    await sdk.untilStatus(id, 'RUNNING');
    await resource.terminate1(id, 'over');
    await resource.restart1(id, true);
    await sdk.untilStatus(id, 'RUNNING');
    await resource.terminate1(id, 'again');
    await resource.rerun(id, { workflowInput: { i: 7 } });
    expect((await sdk.executor.getWorkflow(id, true)).input).toEqual({ i: 7 });
    await resource.terminate1(id);
    await resource.delete(id, false);
    expect(await sdk.refused(() => sdk.executor.getWorkflow(id, false))).toBe('404');
    expect(await sdk.refused(() => sdk.executor.pause(id))).toBe('404');
    expect(await sdk.refused(() => sdk.executor.resume(id))).toBe('404');
  });

  it('controls many at once', async () => {
    await sdk.register('javascript_sdk_surface_bulk', [wait]);
    const bulk = sdk.client.workflowBulkResource;
    const ids = await Promise.all(
      [1, 2, 3].map(() => sdk.executor.startWorkflow({ name: 'javascript_sdk_surface_bulk' })),
    );
    const sorted = [...ids].sort();
    const whole = (answer: {
      bulkSuccessfulResults?: unknown;
      bulkErrorResults?: unknown;
    }): void => {
      expect((answer.bulkSuccessfulResults as string[]).sort()).toEqual(sorted);
      expect(answer.bulkErrorResults).toEqual({});
    };
    whole(await bulk.pauseWorkflow1(ids));
    whole(await bulk.resumeWorkflow(ids));
    whole(await bulk.terminate(ids, 'bulk'));
    whole(await bulk.restart(ids, true));
    whole(await bulk.terminate(ids));
    whole(await bulk.retry(ids));
    const mixed = await bulk.terminate([...ids, 'nosuch'], 'end');
    expect(Object.keys(mixed.bulkErrorResults ?? {})).toEqual(['nosuch']);
  });

  it('searches', async () => {
    await sdk.registerTask('javascript_sdk_surface_search');
    await sdk.register('javascript_sdk_surface_search', [
      simpleTask('s', 'javascript_sdk_surface_search', {}),
    ]);
    const id = await sdk.executor.startWorkflow({
      name: 'javascript_sdk_surface_search',
      correlationId: 'jx search corr',
    });
    const resource = sdk.client.workflowResource;
    const query = "workflowType = 'javascript_sdk_surface_search' AND status IN (RUNNING)";
    const found = await until('the search', async () => {
      const page = await sdk.executor.search(0, 10, query, '*', 'startTime:DESC', true);
      return (page.totalHits ?? 0) > 0 ? page : undefined;
    });
    expect(found.results?.[0]).toMatchObject({
      workflowId: id,
      workflowType: 'javascript_sdk_surface_search',
    });
    const byTask = "taskType = 'javascript_sdk_surface_search'";
    await until('the search of tasks', async () => {
      const page = await sdk.tasks.search(0, 10, 'startTime:DESC', '*', byTask);
      return (page.totalHits ?? 0) > 0;
    });
    const pages = [
      await resource.search1('', 0, 10, 'startTime:ASC', '*', query),
      await resource.searchWorkflowsByTasks(0, 10, '', '*', byTask),
      await resource.searchWorkflowsByTasksV2(0, 10, '', '*', byTask),
      await resource.searchV21(0, 10, '', 'javascript_sdk_surface_search', ''),
      await sdk.client.taskResource.search(0, 10, '', '*', byTask),
      await sdk.client.taskResource.searchV22(0, 10, '', '*', byTask),
    ];
    for (const page of pages) {
      expect(page).toMatchObject({
        totalHits: 1,
        results: [{ workflowId: id }].map(() => expect.anything() as object),
      });
    }
    await sdk.executor.terminate(id, 'found');
  });

  it('simulates a workflow', async () => {
    await sdk.register(
      'javascript_sdk_surface_sim',
      [simpleTask('a', 'javascript_sdk_surface_sim', {})],
      {
        outputParameters: { k: '${a.output.k}' },
      },
    );
    const request = {
      name: 'javascript_sdk_surface_sim',
      version: 1,
      taskRefToMockOutput: { a: [{ status: 'COMPLETED', output: { k: 7 } }] },
    };
    expect(await sdk.client.workflowResource.testWorkflow(request as never)).toMatchObject({
      output: { k: 7 },
    });
  });
});

describe('the JavaScript SDK, tasks', () => {
  it('polls, logs, updates and looks at queues in every way', async () => {
    await sdk.registerTask('javascript_sdk_surface_poll', { retryCount: 1, retryDelaySeconds: 0 });
    await sdk.register('javascript_sdk_surface_poll', [
      simpleTask('a', 'javascript_sdk_surface_poll', {}),
      simpleTask('b', 'javascript_sdk_surface_poll', {}),
    ]);
    const resource = sdk.client.taskResource;
    expect(await resource.poll('javascript_sdk_surface_poll', 'me')).toBeFalsy();
    expect(await resource.batchPoll('javascript_sdk_surface_poll', 'me', undefined, 5, 10)).toEqual(
      [],
    );
    const id = await sdk.executor.startWorkflow({ name: 'javascript_sdk_surface_poll' });
    expect(
      await sdk.tasks.getQueueSizeForTask([
        'javascript_sdk_surface_poll',
        'javascript_sdk_surface_none',
      ]),
    ).toEqual({
      javascript_sdk_surface_poll: 1,
      javascript_sdk_surface_none: 0,
    });
    expect(await sdk.tasks.getQueueSizeForTask()).toEqual(expect.any(Object));
    expect(await resource.size1(['javascript_sdk_surface_poll'])).toEqual({
      javascript_sdk_surface_poll: 1,
    });
    expect(await resource.all()).toMatchObject({ javascript_sdk_surface_poll: 1 });
    expect(await resource.allVerbose()).toHaveProperty('javascript_sdk_surface_poll');
    const first = await until(
      'a task',
      () => resource.poll('javascript_sdk_surface_poll', 'me') as Promise<never>,
    );
    const { taskId } = first as { taskId: string };
    await sdk.tasks.addTaskLog(taskId, 'one "line"');
    await resource.log(taskId, 'another');
    const logs = await until('both lines', async () => {
      const lines = await sdk.tasks.getTaskLogs(taskId);
      return lines.length === 2 ? lines : undefined;
    });
    expect(logs.map(({ log }) => log).sort()).toEqual(['another', 'one "line"']);
    expect(await resource.getTaskLogs(taskId)).toHaveLength(2);
    expect(await resource.getTask(taskId)).toMatchObject({ status: 'IN_PROGRESS', workerId: 'me' });
    const base = { workflowInstanceId: id, taskId, workerId: 'me' };
    await resource.updateTask1({
      ...base,
      status: 'IN_PROGRESS',
      callbackAfterSeconds: 600,
      outputData: { half: 1 },
    });
    expect(await resource.requeuePendingTask('javascript_sdk_surface_poll')).toBe('0');
    await resource.updateTask1({ ...base, status: 'FAILED', reasonForIncompletion: 'first' });
    const second = await until('the retry', async () => {
      const batch = await resource.batchPoll(
        'javascript_sdk_surface_poll',
        'me',
        undefined,
        5,
        100,
      );
      return batch[0];
    });
    expect(second).toMatchObject({ retryCount: 1, retriedTaskId: taskId });
    await resource.updateTask(id, 'a', 'COMPLETED', { n: 1 });
    await resource.updateTaskSync(id, 'b', 'COMPLETED' as never, { n: 2 }, 'me');
    await sdk.untilStatus(id, 'COMPLETED');
    expect(await sdk.tasks.getTaskPollData('javascript_sdk_surface_poll')).toMatchObject([
      { queueName: 'javascript_sdk_surface_poll', workerId: 'me' },
    ]);
    expect(await resource.getPollData('javascript_sdk_surface_poll')).toHaveLength(1);
    expect(await resource.getAllPollData()).toEqual(expect.any(Array));
    expect(await sdk.refused(() => sdk.tasks.getTask('nosuch'))).toBe('404');
    expect(
      await sdk.refused(() =>
        resource.updateTask1({ ...base, taskId: 'nosuch', status: 'COMPLETED' }),
      ),
    ).toBe('404');
  });

  it('signals by its resource calls', async () => {
    await sdk.register('javascript_sdk_surface_sig', [
      wait,
      { ...wait, taskReferenceName: 'second', type: 'YIELD' },
    ]);
    const id = await sdk.executor.startWorkflow({ name: 'javascript_sdk_surface_sig' });
    const answer = await sdk.client.taskResource.signal(
      id,
      'COMPLETED' as never,
      { a: 1 },
      'BLOCKING_TASK',
    );
    expect(answer).toMatchObject({ responseType: 'BLOCKING_TASK', referenceTaskName: 'second' });
    await sdk.client.taskResource.signalAsync(id, 'COMPLETED' as never, { b: 2 });
    expect(taskOf(await sdk.untilStatus(id, 'COMPLETED'), 'second').outputData).toEqual({ b: 2 });
  });

  it('answers for its health and its token', async () => {
    expect(await sdk.client.healthCheckResource.doCheck()).toMatchObject({ healthy: true });
    const tokens = sdk.client.tokenResource;
    expect(await tokens.generateToken(sdk.secured.key)).toMatchObject({
      token: expect.any(String) as string,
    });
    expect(await tokens.getUserInfo()).toMatchObject({ applicationUser: true });
    const wrong = { ...sdk.secured.key, keySecret: 'b' };
    // The SDK renews its token and tries once more.
    expect(await sdk.refused(() => tokens.generateToken(wrong))).toBe('401 401');
  });
});

describe('the server', () => {
  it('refused nothing that no test expected', () => {
    expect(sdk.refusals).toEqual([]);
  });
});
