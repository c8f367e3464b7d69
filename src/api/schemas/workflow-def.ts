// Schemas of a workflow definition and of its tasks (contract-core 6.1, 6.2, 6.3).
import {
  anyObject,
  anything,
  flag,
  integer,
  list,
  mapOf,
  nullable,
  object,
  oneOf,
  text,
  time,
  type Schema,
} from '../../model/schema.js';
import { idempotencyStrategies } from '../../model/parse-workflow-def.js';
import { tagSchema } from '../tag-routes.js';
import { auditFields, schemaDefSchema } from './audit-fields.js';
import { taskDefSchema } from './task-def.js';

const rateLimitConfigSchema = object('RateLimitConfig', {
  rateLimitKey: text('Key whose executions are counted; may hold expressions'),
  concurrentExecLimit: integer('Most executions per key at the same time'),
  policy: oneOf(['QUEUE', 'REJECT'], 'What happens to a start beyond the limit'),
});

const cacheConfigSchema = object('CacheConfig', {
  key: text('Key of the result; may hold expressions'),
  ttlInSecond: integer('How long a result is used'),
});

const stateChangeEventSchema = object('StateChangeEvent', {
  type: text('Type of the event'),
  payload: anyObject,
});

const subWorkflowParamsSchema = object('SubWorkflowParams', {
  name: text('Name of the definition'),
  version: integer('Version; absent or 0 for the latest'),
  taskToDomain: mapOf(text(), 'Domains of its tasks'),
  /** A definition, or an expression that gives one. */
  get workflowDefinition(): Schema {
    return { anyOf: [text('An expression ${...}'), workflowDefSchema] };
  },
  idempotencyKey: text('Key of the start'),
  idempotencyStrategy: oneOf(idempotencyStrategies, 'What an execution with that key means'),
  priority: { ...anything, description: 'A number from 0 to 99 or an expression' },
});

/** Members that hold workflow tasks are getters: the schema refers to itself. */
export const workflowTaskSchema: Schema = object(
  'WorkflowTask',
  {
    name: text('Name of the task definition'),
    taskReferenceName: text('Name within the workflow'),
    type: text('Task type', { default: 'SIMPLE' }),
    description: text('For people'),
    inputParameters: { ...anyObject, description: 'Input; texts may hold expressions' },
    dynamicTaskNameParam: text('DYNAMIC: input parameter with the name of the task to run'),
    caseValueParam: text('DECISION: input parameter that chooses the case'),
    caseExpression: text('DECISION: script that chooses the case'),
    scriptExpression: text('LAMBDA: script'),
    evaluatorType: text('Language of `expression`'),
    expression: text('Expression of SWITCH and INLINE'),
    get decisionCases(): Schema {
      return mapOf(list(workflowTaskSchema), 'Branches by case');
    },
    get defaultCase(): Schema {
      return list(workflowTaskSchema, 'Branch when no case fits');
    },
    get forkTasks(): Schema {
      return list(list(workflowTaskSchema), 'Branches of FORK_JOIN');
    },
    dynamicForkJoinTasksParam: text('FORK_JOIN_DYNAMIC: input parameter with tasks and input'),
    dynamicForkTasksParam: text('FORK_JOIN_DYNAMIC: input parameter with the tasks'),
    dynamicForkTasksInputParamName: text('FORK_JOIN_DYNAMIC: input parameter with their input'),
    joinOn: list(text(), 'JOIN: reference names that it waits for'),
    joinStatus: text('JOIN: script that decides when it is complete'),
    joinMode: oneOf(['SYNC', 'ASYNC'], 'JOIN: when it is evaluated'),
    defaultExclusiveJoinTask: list(text(), 'EXCLUSIVE_JOIN: whose output counts by default'),
    loopCondition: text('DO_WHILE: condition for one more iteration'),
    get loopOver(): Schema {
      return list(workflowTaskSchema, 'DO_WHILE: tasks of one iteration');
    },
    items: { ...anything, description: 'DO_WHILE: list to iterate over, or an expression' },
    subWorkflowParam: subWorkflowParamsSchema,
    sink: text('EVENT: where the event goes'),
    startDelay: integer('Seconds before it can be polled', { default: 0 }),
    optional: flag('Whether the workflow goes on when it fails', { default: false }),
    permissive: flag('Whether its branch goes on when it fails', { default: false }),
    asyncComplete: flag('Whether it is completed from outside', { default: false }),
    rateLimited: flag('Whether the rate limit of its definition counts'),
    retryCount: integer('Automatic retries, in place of those of its definition'),
    get taskDefinition(): Schema {
      return nullable(taskDefSchema);
    },
    onStateChange: mapOf(list(stateChangeEventSchema), 'Events by state changes'),
    cacheConfig: cacheConfigSchema,
    metadata: anyObject,
  },
  ['name', 'taskReferenceName'],
);

export const workflowDefSchema = object(
  'WorkflowDef',
  {
    name: text('Name'),
    version: integer('Version', { default: 1, minimum: 1 }),
    description: text('For people'),
    tasks: list(workflowTaskSchema, 'Tasks in order'),
    inputParameters: list(text(), 'Names of expected input, for people'),
    outputParameters: { ...anyObject, description: 'Output; texts may hold expressions' },
    failureWorkflow: text('Workflow that is started when this one fails'),
    failureWorkflowVersion: integer('Version of the failure workflow; absent for the latest'),
    schemaVersion: integer('Always 2', { default: 2 }),
    restartable: flag('Whether a completed execution can be restarted', { default: true }),
    workflowStatusListenerEnabled: flag('Whether listeners are told of ends', { default: false }),
    workflowStatusListenerSink: text('Where events of status changes go'),
    ownerEmail: text('Mail address of the owner'),
    timeoutPolicy: oneOf(['TIME_OUT_WF', 'ALERT_ONLY'], 'What follows when it times out'),
    timeoutSeconds: integer('Longest run; 0 for no bound', { default: 0 }),
    variables: { ...anyObject, description: 'Variables at the start' },
    inputTemplate: { ...anyObject, description: 'Input where a start has none of that name' },
    rateLimitConfig: rateLimitConfigSchema,
    inputSchema: schemaDefSchema,
    outputSchema: schemaDefSchema,
    enforceSchema: flag('Whether the schemas are checked', { default: true }),
    metadata: anyObject,
    maskedFields: list(text(), 'Names of fields whose values are not shown'),
    cacheConfig: cacheConfigSchema,
    tags: list(tagSchema, 'Tags of the name; shown with metadata=true'),
    overwriteTags: flag('Whether the given tags replace the old ones', { default: false }),
    ...auditFields,
  },
  ['name', 'tasks'],
);

export const workflowDefSummarySchema = object(
  'WorkflowDefSummary',
  {
    name: text('Name'),
    version: integer('Version'),
    createTime: time(),
    updateTime: time('Epoch milliseconds; 0 until it is updated'),
  },
  ['name', 'version', 'createTime', 'updateTime'],
);
