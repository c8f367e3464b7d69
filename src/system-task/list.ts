// The task types that the server runs itself because they do I/O.
import { eventTask } from './event.js';
import { getWorkflowTask } from './get-workflow.js';
import { httpTask } from './http.js';
import { httpPollTask } from './http-poll.js';
import { kafkaPublishTask } from './kafka-publish.js';
import type { SystemTaskType } from './system-task.js';
import { terminateWorkflowTask } from './terminate-workflow.js';
import { updateTaskTask } from './update-task.js';
import { waitForWebhookTask } from './wait-for-webhook.js';

const types: readonly SystemTaskType[] = [
  httpTask,
  httpPollTask,
  eventTask,
  kafkaPublishTask,
  getWorkflowTask,
  updateTaskTask,
  terminateWorkflowTask,
  waitForWebhookTask,
];

/** By the type of configurations and records. */
export const systemTaskTypes: ReadonlyMap<string, SystemTaskType> = new Map(
  types.map((type) => [type.name, type]),
);
