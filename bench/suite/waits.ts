// The workflow of the workloads that wait: one worker task that nobody does by itself.
import type { ApiClient } from '../../testkit/api-client.js';

export const workflow = 'suite_waits';
export const taskType = `${workflow}_task`;

export async function registerWaits(client: ApiClient): Promise<void> {
  const ownerEmail = 'bench@downbeat.test';
  await client.registerTasks({ name: taskType, retryCount: 0, ownerEmail });
  await client.registerWorkflows({
    ...{ name: workflow, version: 1, ownerEmail },
    tasks: [{ name: taskType, taskReferenceName: 't', type: 'SIMPLE' }],
  });
}
