// Schema of a task definition (contract-core 5.1).
import { anyObject, flag, integer, list, object, oneOf, text } from '../../model/schema.js';
import { retryLogics, taskTimeoutPolicies } from '../../model/parse-task-def.js';
import { tagSchema } from '../tag-routes.js';
import { auditFields, schemaDefSchema } from './audit-fields.js';

export const taskDefSchema = object(
  'TaskDef',
  {
    name: text('Task type that workers poll'),
    description: text('For people'),
    retryCount: integer('Automatic retries after a failure', { default: 3, minimum: 0 }),
    retryLogic: oneOf(retryLogics, 'How the delay grows from retry to retry'),
    retryDelaySeconds: integer('Delay before a retry', { default: 60 }),
    backoffScaleFactor: integer('Factor of LINEAR_BACKOFF', { default: 1, minimum: 1 }),
    maxRetryDelaySeconds: integer('Bound of the delay; 0 for none', { default: 0, minimum: 0 }),
    backoffJitterMs: integer('Random addition to the delay', { default: 0, minimum: 0 }),
    timeoutSeconds: integer('Longest run of one attempt; 0 for no bound', { default: 0 }),
    timeoutPolicy: oneOf(taskTimeoutPolicies, 'What follows when an attempt times out'),
    responseTimeoutSeconds: integer('Lease of a polled task; at least 1 for worker tasks', {
      default: 3600,
    }),
    pollTimeoutSeconds: integer('Longest wait for a poll', { minimum: 0 }),
    totalTimeoutSeconds: integer('Bound over all attempts; 0 for none', { default: 0, minimum: 0 }),
    concurrentExecLimit: integer('Most attempts that run at the same time; 0 for no limit'),
    rateLimitPerFrequency: integer('Most starts per window; 0 for no limit', { default: 0 }),
    rateLimitFrequencyInSeconds: integer('Length of the window', { default: 1 }),
    inputKeys: list(text(), 'Names of expected input, for people'),
    outputKeys: list(text(), 'Names of expected output, for people'),
    inputTemplate: { ...anyObject, description: 'Input where the task has none of that name' },
    isolationGroupId: text('Group of workers with a queue of its own'),
    executionNameSpace: text('Namespace of workers with a queue of its own'),
    ownerEmail: text('Mail address of the owner'),
    baseType: text('Parent type'),
    inputSchema: schemaDefSchema,
    outputSchema: schemaDefSchema,
    enforceSchema: flag('Whether the schemas are checked', { default: false }),
    taskStatusListenerEnabled: flag('Whether listeners are told of changes', { default: true }),
    runtimeMetadata: list(text(), 'Names of values that are attached to a polled task'),
    restricted: flag('Whether using it in a workflow needs EXECUTE on it'),
    tags: list(tagSchema, 'Tags of the name; shown with metadata=true'),
    overwriteTags: flag('Whether the given tags replace the old ones', { default: false }),
    ...auditFields,
  },
  ['name'],
);
