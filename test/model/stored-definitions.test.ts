// What clients store to be used later: a field that can never work is refused by its name at once.
import { describe, expect, it } from 'vitest';
import { settingTrouble } from '../../src/broker/broker-settings.js';
import { checkMatches } from '../../src/engine/task-types/checks.js';
import { parseEventHandler } from '../../src/areas/events/event-handler.js';
import { parseOrderedAssignments } from '../../src/model/human/human-definition.js';
import type { JsonMap } from '../../src/model/json.js';
import { schedule } from '../../src/areas/schedules/schedule.js';
import { webhook } from '../../src/areas/webhooks/webhook.js';
import type { WorkflowTask } from '../../src/model/workflow-def.js';

describe('a schedule', () => {
  const scheduleWith = (request: JsonMap): unknown =>
    schedule.request.parse({
      name: 's',
      cronExpression: '0 0 3 * * *',
      startWorkflowRequest: { name: 'w', ...request },
    });

  it.each([
    [{ priority: 100 }, 'startWorkflowRequest.priority: 100 should be maximum 99'],
    [{ priority: -1 }, 'startWorkflowRequest.priority: -1 should be minimum 0'],
    [{ name: ' ' }, 'startWorkflowRequest.name is required'],
  ])('with a start of %j is refused', (request, message) => {
    expect(() => scheduleWith(request)).toThrow(message);
  });

  it('takes what a start takes', () => {
    expect(scheduleWith({ priority: 99 })).toMatchObject({
      startWorkflowRequest: { priority: 99 },
    });
  });
});

describe('an event handler', () => {
  const handlerWith = (action: string, parameters: JsonMap): unknown =>
    parseEventHandler(
      { name: 'h', event: 'e', actions: [{ action, [action]: parameters }] },
      'addEventHandler.arg0',
    );

  it.each<[string, JsonMap, string]>([
    ['start_workflow', { name: 'w', priority: 100 }, 'actions[0].start_workflow.priority: 100'],
    ['update_workflow_variables', { workflowId: 'x' }, 'variables is required'],
  ])('with the action %s %j is refused', (action, parameters, message) => {
    expect(() => handlerWith(action, parameters)).toThrow(message);
  });
});

describe('a webhook', () => {
  const webhookWith = (fields: JsonMap): unknown =>
    webhook.request.parse({
      ...{ name: 'w', sourcePlatform: 'Custom', verifier: 'HEADER_BASED' },
      ...{ headers: { 'X-Key': 'k' }, workflowsToStart: {} },
      ...fields,
    });

  it.each<[JsonMap, string]>([
    [{ headers: { 'X-Key': null } }, 'headers.X-Key must be a text'],
    [{ headers: { 'a b': 'x' } }, 'headers.a b is not the name of a header'],
    [{ headers: { '': 'x' } }, 'headers. is not the name of a header'],
    [{ verifier: 'TWITTER', headerKey: 'a b' }, 'headerKey is not the name of a header'],
    [{ receiverWorkflowNamesToVersions: { w: -1 } }, 'receiverWorkflowNamesToVersions.w must be'],
    [{ receiverWorkflowNamesToVersions: { w: [1] } }, 'receiverWorkflowNamesToVersions.w must be'],
  ])('with %j is refused', (fields, message) => {
    expect(() => webhookWith(fields)).toThrow(message);
  });

  it.each<JsonMap>([
    { headers: { 'X-Count': 5 } },
    { verifier: 'TWITTER', headerKey: ' X-Twitter-Webhooks-Signature ' },
    { receiverWorkflowNamesToVersions: { w: '2' } },
  ])('with %j is taken', (fields) => {
    expect(() => webhookWith(fields)).not.toThrow();
  });
});

describe('the matches of a task', () => {
  const troubles = (matches: JsonMap): string[] =>
    checkMatches({
      ...{ type: 'WAIT_FOR_WEBHOOK', name: 'w', inputParameters: { matches } },
    } as unknown as WorkflowTask);

  it.each(['$.[', '$.a[', '$..', ''])('with the path %j are refused', (path) => {
    expect(troubles({ '$.a': 1, [path]: 1 })).toEqual([
      `inputParameters.matches has a path that cannot be read: '${path}' for taskType: WAIT_FOR_WEBHOOK taskName: w`,
    ]);
  });

  it('may have paths of every form, and expressions', () => {
    const paths = ['$.a.b', 'a.b', "$['a']['b']", "['a']", 'request[0].x', '$.${workflow.input.p}'];
    expect(troubles(Object.fromEntries(paths.map((path) => [path, 1])))).toEqual([]);
  });
});

describe('the settings of a broker', () => {
  it.each<[JsonMap, string]>([
    [{ port: 'abc' }, 'port must be a whole number, 1 to 65535'],
    [{ port: 70_000 }, 'port must be a whole number, 1 to 65535'],
    [{ prefetch: -1 }, 'prefetch must be a whole number from 1'],
    [{ consumer: { 'max.poll.records': 'x' } }, 'consumer.max.poll.records must be a whole number'],
    [{ tls: 'perhaps' }, 'tls must be true or false'],
    [{ startFrom: 'middle' }, 'startFrom must be one of earliest, latest'],
    [{ endpoint: {} }, 'endpoint must be a text'],
    [{ brokers: ['a:1'] }, 'brokers must be a text'],
  ])('%j are refused', (settings, message) => {
    expect(settingTrouble(settings)).toContain(message);
  });

  it('pass where nothing is known to be wrong', () => {
    const consumer = { 'bootstrap.servers': 'h:9092', 'auto.offset.reset': 'latest', other: {} };
    const settings = { port: '5672', tls: 'true', user: null, endpoint: '${workflow.secrets.E}' };
    expect(settingTrouble({ ...settings, consumer, producer: {} })).toBeUndefined();
  });
});

describe('the assignments that a caller orders', () => {
  it.each([-1, 1.5, 1e300, '5'])('may not have a limit of %j minutes', (slaMinutes) => {
    const assignee = { userType: 'CONDUCTOR_USER', user: 'a' };
    expect(() => parseOrderedAssignments([{ assignee, slaMinutes }])).toThrow(
      '[0].slaMinutes must be a whole number, 0 to 525600000',
    );
  });
});
