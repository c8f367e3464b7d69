// The definition of a human task: what is refused names the field and its rule.
import { describe, expect, it } from 'vitest';
import { humanDefinitionTrouble } from '../../../src/model/human/check-human-definition.js';
import type { JsonMap } from '../../../src/model/json.js';

const user = { userType: 'EXTERNAL_USER', user: 'a' };
const startWorkflowRequest = { name: 'w' };

describe('the definition of a human task', () => {
  it.each<[JsonMap, string]>([
    [{ displayName: 7 }, 'displayName must be a text'],
    [{ autoClaim: 'maybe' }, 'autoClaim must be true or false'],
    [{ assignmentCompletionStrategy: 'LEAVE' }, 'assignmentCompletionStrategy must be one of'],
    [{ userFormTemplate: 'form' }, 'userFormTemplate must be an object'],
    [{ userFormTemplate: { name: 'f', version: 'new' } }, 'userFormTemplate.version must be'],
    [{ assignee: 'a' }, 'assignee must be an object with user and userType'],
    [{ assignee: { user: 'a' } }, 'assignee.userType must be one of EXTERNAL_USER'],
    [{ assignments: user }, 'assignments must be a list'],
    [{ assignments: ['a'] }, 'assignments[0] must be an object'],
    [{ assignments: Array(101).fill({ assignee: user }) }, 'assignments may have 100 entries'],
    [
      { assignments: [{ assignee: user }, { assignee: { ...user, userType: 'ALIEN' } }] },
      'assignments[1].assignee.userType must be one of EXTERNAL_USER',
    ],
    [{ assignments: [{ assignee: { ...user, user: 7 } }] }, 'assignments[0].assignee.user must be'],
    [{ assignments: [{ assignee: user, slaMinutes: -1 }] }, 'assignments[0].slaMinutes must be'],
    [{ assignments: [{ assignee: user, slaMinutes: 'soon' }] }, 'assignments[0].slaMinutes must'],
    [{ assignments: [{}] }, 'assignments[0].assignee is required'],
    [{ taskTriggers: {} }, 'taskTriggers must be a list'],
    [
      { taskTriggers: [{ triggerType: 'DONE', startWorkflowRequest }] },
      'taskTriggers[0].triggerType must be one of PENDING',
    ],
    [{ taskTriggers: [{ triggerType: 'COMPLETED' }] }, 'taskTriggers[0].startWorkflowRequest must'],
    [
      { taskTriggers: [{ triggerType: 'COMPLETED', startWorkflowRequest: {} }] },
      'taskTriggers[0].startWorkflowRequest.name must name a workflow',
    ],
  ])('%j is refused', (definition, text) => {
    const trouble = humanDefinitionTrouble({ __humanTaskDefinition: definition });
    expect(trouble).toContain(`__humanTaskDefinition.${text}`);
  });

  it.each<JsonMap>([
    {},
    { __humanTaskDefinition: null },
    { __humanTaskDefinition: '${workflow.input.definition}' },
    { assignee: 'a value of the form', displayName: 7 },
    { assignee: { name: 'a value of the form' } },
    {
      __humanTaskDefinition: {
        ...{ displayName: 'd', autoClaim: 'true', assignmentCompletionStrategy: 'TERMINATE' },
        userFormTemplate: { name: null, version: 0 },
        assignments: [
          { assignee: { userType: '${workflow.input.type}', user: 'a' }, slaMinutes: '10' },
          { assignee: { userType: 'EXTERNAL_USER', user: null } },
          '${workflow.input.last}',
        ],
        taskTriggers: [{ triggerType: 'COMPLETED', startWorkflowRequest }],
      },
    },
    { __humanTaskDefinition: { assignee: null, assignments: null, taskTriggers: null } },
  ])('%j is taken', (input) => {
    expect(humanDefinitionTrouble(input)).toBeUndefined();
  });

  it('names the shorthand of older clients too', () => {
    const trouble = humanDefinitionTrouble({ assignee: { userType: 'ALIEN', user: 'a' } });
    expect(trouble).toMatch(/^assignee.userType must be one of/);
  });
});
