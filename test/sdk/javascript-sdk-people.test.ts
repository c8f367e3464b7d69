import { HumanExecutor, SchedulerClient, TemplateClient } from '@io-orkes/conductor-javascript';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { until } from '../../testkit/until.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { SdkSession } from './sdk-session.js';

// The JavaScript SDK's clients of schedules, human tasks and user forms.

const server = sharedSecuredServer(import.meta.url);
let sdk: SdkSession;
beforeAll(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  sdk = await SdkSession.open(server);
});
afterAll(() => sdk?.close());

describe('the SchedulerClient', () => {
  it('manages schedules by its calls', async () => {
    const scheduler = new SchedulerClient(sdk.client);
    const inline = { name: 'v', taskReferenceName: 'v', type: 'SET_VARIABLE', inputParameters: {} };
    await sdk.register('javascript_sdk_people_flow', [inline]);
    const name = 'javascript_sdk_people_schedule';
    await scheduler.saveSchedule({
      name,
      cronExpression: '* * * * * *',
      startWorkflowRequest: { name: 'javascript_sdk_people_flow', version: 1 },
    } as never);
    expect(await scheduler.getSchedule(name)).toMatchObject({ name, paused: false });
    const runs = await until('a run', async () => {
      const found = await scheduler.search(0, 5, '', '*', `scheduleName IN (${name})`);
      return (found.totalHits ?? 0) > 0 ? found : undefined;
    });
    expect(runs.results?.[0]).toMatchObject({ scheduleName: name, state: 'EXECUTED' });
    await scheduler.search(0, 10, 'startTime:DESC');
    await scheduler.pauseSchedule(name, 'later');
    expect(await scheduler.getSchedule(name)).toMatchObject({
      paused: true,
      pausedReason: 'later',
    });
    await scheduler.resumeSchedule(name);
    expect(
      (await scheduler.getAllSchedules('javascript_sdk_people_flow')).map((each) => each.name),
    ).toEqual([name]);
    // The client asks for three unless told otherwise.
    expect(await scheduler.getNextFewSchedules('0 0 * * * *', Date.now())).toHaveLength(3);
    expect(await sdk.refused(() => scheduler.getNextFewSchedules('nope'))).toBe('400');
    await scheduler.setSchedulerTags([{ key: 'a', value: 'b' }], name);
    expect(await scheduler.getSchedulerTags(name)).toEqual([{ key: 'a', value: 'b' }]);
    await scheduler.deleteSchedulerTags([{ key: 'a', value: 'b' }], name);
    await scheduler.pauseAllSchedules();
    await scheduler.resumeAllSchedules();
    await scheduler.requeueAllExecutionRecords();
    await scheduler.deleteSchedule(name);
    expect(await sdk.refused(() => scheduler.getSchedule(name))).toBe('404');
    expect(sdk.refusals.splice(0)).toEqual([]);
  });
});

describe('the HumanExecutor and the TemplateClient', () => {
  it('take a person through a task with a form', async () => {
    const human = new HumanExecutor(sdk.client);
    const templates = new TemplateClient(sdk.client);
    const form = {
      name: 'javascript_sdk_people_form',
      version: 1,
      jsonSchema: {
        $schema: 'http://json-schema.org/draft-07/schema',
        type: 'object',
        properties: { question: { type: 'object' } },
        required: ['question'],
      },
      templateUI: { type: 'VerticalLayout', elements: [] },
    };
    expect(await templates.registerTemplate(form as never)).toMatchObject({ version: 1 });
    expect(await human.getTemplateByNameVersion('javascript_sdk_people_form', 1)).toMatchObject({
      name: 'javascript_sdk_people_form',
    });
    const assignee = { userType: 'EXTERNAL_USER', user: 'javascript_sdk_people_kim' };
    const inputParameters = {
      __humanTaskDefinition: {
        displayName: 'Ask',
        userFormTemplate: { name: 'javascript_sdk_people_form', version: 1 },
        assignments: [{ assignee, slaMinutes: 0 }],
      },
    };
    await sdk.register('javascript_sdk_people_human', [
      {
        name: 'javascript_sdk_people_ask',
        taskReferenceName: 'ask',
        type: 'HUMAN',
        inputParameters,
      },
    ]);
    const id = await sdk.executor.startWorkflow({
      name: 'javascript_sdk_people_human',
      version: 1,
      input: {},
    });
    const [found] = await human.pollSearch({
      assignees: [assignee] as never,
      states: ['ASSIGNED'],
    });
    const taskId = found?.taskId as string;
    expect(found).toMatchObject({ workflowId: id, displayName: 'Ask', state: 'ASSIGNED' });
    expect(await human.search({ definitionNames: ['javascript_sdk_people_ask'] })).toHaveLength(1);
    expect(
      await human.getTasksByFilter('ASSIGNED', 'javascript_sdk_people_kim', 'EXTERNAL_USER'),
    ).toHaveLength(1);
    expect(await human.getTemplateById('javascript_sdk_people_form')).toMatchObject({
      name: 'javascript_sdk_people_form',
    });
    expect(await human.claimTaskAsExternalUser(taskId, 'javascript_sdk_people_kim')).toMatchObject({
      state: 'IN_PROGRESS',
      claimant: assignee,
    });
    await human.releaseTask(taskId);
    const override = { overrideAssignment: true };
    expect(await human.claimTaskAsConductorUser(taskId, override)).toMatchObject({
      claimant: { userType: 'CONDUCTOR_USER' },
    });
    await human.updateTaskOutput(taskId, { note: { text: 'n' } });
    expect(await sdk.refused(() => human.completeTask(taskId, {}))).toBe('400');
    await human.completeTask(taskId, { question: { answer: 42 } });
    expect(await human.getTaskById(taskId)).toMatchObject({ state: 'COMPLETED' });
    expect(await sdk.executor.getWorkflow(id, true)).toMatchObject({
      status: 'COMPLETED',
      output: { note: { text: 'n' }, question: { answer: 42 } },
    });
    expect(sdk.refusals.splice(0)).toEqual([]);
  });
});
