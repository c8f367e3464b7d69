// Tasks for people.
import { it } from 'vitest';
import { done, shown, started } from './steps.js';

const base = '/api/human/tasks';
const boss = { userType: 'CONDUCTOR_USER', user: 'boss@x.org' };

const asked = (): ReturnType<typeof started> =>
  started('HUMAN', {
    inputParameters: {
      __humanTaskDefinition: {
        displayName: 'Check the invoice',
        assignments: [{ assignee: boss, slaMinutes: 0 }],
        userFormTemplate: { name: 'invoice' },
        taskTriggers: [{ triggerType: 'ASSIGNED', startWorkflowRequest: { name: 'flow' } }],
      },
    },
  });

export function humanReplies(): void {
  it('come from tasks for people', async () => {
    const jsonSchema = { type: 'object' };
    const templateUI = { type: 'VerticalLayout', elements: [] };
    await done('POST', '/api/human/template', { name: 'invoice', jsonSchema, templateUI });
    const { taskId } = await asked();
    const task = `${base}/${taskId}`;
    await shown(
      task,
      `${task}?withTemplate=true`,
      `${task}/conductorTask`,
      `/api/human/template/${taskId}`,
      `${base}/getTaskDisplayNames?searchType=ADMIN`,
      `${base}/backPopulateFullTextIndex`,
    );
    await done('POST', `${base}/search`, { searchType: 'ADMIN' });
    await done('POST', `${task}/claim?overrideAssignment=true`);
    await done('POST', `${task}/release`);
    await done('POST', `${task}/externalUser/guest?overrideAssignment=true`);
    await done('POST', `${task}/release`);
    await done('POST', `${task}/reassign`, [{ assignee: boss, slaMinutes: 0 }]);
    await done('POST', `${task}/update?complete=true`, { checked: true });
    await done('DELETE', `${base}/delete/${taskId}`);
  });

  it('come from results that are reported in other ways', async () => {
    const { taskId } = await asked();
    await done('PUT', `${base}/${taskId}/update?complete=true`, { checked: true });
    await done('DELETE', `${base}/delete`, [taskId]);
    for (const method of ['POST', 'PUT'] as const) {
      const { workflowId } = await asked();
      const query = `workflowId=${workflowId}&taskRefName=a&complete=true`;
      await done(method, `${base}/update/taskRef?${query}`, { checked: true });
    }
    const skipped = await asked();
    await done('POST', `${base}/${skipped.taskId}/skip?reason=unneeded`);
  });
}
