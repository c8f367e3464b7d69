// The task types that the server runs itself because they do I/O.
import { businessRuleTask } from './business-rule.js';
import { eventTask } from './event.js';
import { getSignedJwtTask } from './get-signed-jwt.js';
import { getWorkflowTask } from './get-workflow.js';
import { httpTask } from './http.js';
import { httpPollTask } from './http-poll.js';
import { kafkaPublishTask } from './kafka-publish.js';
import { queryProcessorTask } from './query-processor.js';
import type { SystemTaskType } from './system-task.js';
import { terminateWorkflowTask } from './terminate-workflow.js';
import { updateSecretTask } from './update-secret.js';
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
  businessRuleTask,
  queryProcessorTask,
  getSignedJwtTask,
  updateSecretTask,
];

/** By the type of configurations and records. */
export const systemTaskTypes: ReadonlyMap<string, SystemTaskType> = new Map(
  types.map((type) => [type.name, type]),
);
