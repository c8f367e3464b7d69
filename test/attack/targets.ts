// What paths, queries and bodies name resources by: each variable, parameter and field of the API
// description is either one of these, with what of the victim's it is attacked with, or one that
// names no resource. A new one that is in neither list fails a test by its name (attack.test.ts).
import { isText, type Endpoint, type Schema } from './description.js';

/** What is planted under an id of its own; `name` is that of everything else. */
export type PlantedId =
  | ('name' | 'userId' | 'workflowId' | 'taskId' | 'humanTaskId' | 'event' | 'tag' | 'model')
  | ('applicationId' | 'keyId' | 'sessionId' | 'invitationId' | 'webhookId' | 'outgoingWebhookId')
  | ('topic' | 'protoFile' | 'humanWorkflowId' | 'humanTaskRef')
  | ('fileId' | 'uploadId' | 'jobId' | 'payloadPath' | 'taskRefName');

export type Ids = Partial<Record<PlantedId, string>>;

/** By method and pattern, where a variable means another thing in each area. */
const byArea: readonly (readonly [where: RegExp, variable: string, planted: PlantedId])[] = [
  [/^\w+ \/api\/applications/, 'id', 'applicationId'],
  [/^\w+ \/api\/users/, 'id', 'userId'],
  [/^\w+ \/api\/groups/, 'id', 'name'],
  [/^\w+ \/api\/admin\/invitations/, 'id', 'invitationId'],
  [/^\w+ \/api\/metadata\/outgoing-webhook/, 'id', 'outgoingWebhookId'],
  [/^\w+ \/api\/metadata\/webhook/, 'id', 'webhookId'],
  [/^\w+ (\/api)?\/webhook/, 'id', 'webhookId'],
  [/^\w+ \/api\/auth\/authorization/, 'id', 'name'],
  [/^\w+ \/api\/human\/tasks/, 'taskId', 'humanTaskId'],
  [/^\w+ \/api\/human/, 'workflowId', 'humanWorkflowId'],
  [/^\w+ \/api\/human/, 'taskRefName', 'humanTaskRef'],
  [/^GET \/api\/human\/template/, 'humanTaskIdOrName', 'humanTaskId'],
  [/^DELETE \/api\/human\/template/, 'humanTaskIdOrName', 'name'],
  [/^GET \/api\/event/, 'nameOrEvent', 'event'],
  [/^DELETE \/api\/event/, 'nameOrEvent', 'name'],
  [/^\w+ \/api\/rights/, 'id', 'name'],
  [/^POST \/api\/workflow/, 'nameOrWorkflowId', 'name'],
  [/^\w+ \/api\/workflow/, 'nameOrWorkflowId', 'workflowId'],
];

const byVariable: Readonly<Record<string, PlantedId>> = {
  ...{ accessKeyId: 'keyId', applicationId: 'applicationId', correlationId: 'name' },
  ...{ email: 'userId', event: 'event', fileId: 'fileId', filename: 'protoFile', groupId: 'name' },
  ...{ humanTaskId: 'humanTaskId', jobId: 'jobId', key: 'name', keyId: 'keyId', model: 'name' },
  ...{ name: 'name', prompt: 'name', provider: 'name', queueName: 'name', role: 'name' },
  ...{ sessionId: 'sessionId', subjectId: 'userId', taskDefName: 'name', taskId: 'taskId' },
  ...{ taskName: 'name', taskRefName: 'taskRefName', taskReferenceName: 'taskRefName' },
  ...{ taskType: 'name', uploadId: 'uploadId', userId: 'userId', workflowId: 'workflowId' },
  // Kept apart from `name` in queries.
  ...{ caller: 'userId', object: 'name', path: 'payloadPath', requestId: 'name', from: 'name' },
  ...{ scheduleName: 'name', serviceName: 'name', tag: 'tag', tagKey: 'name', tagValue: 'name' },
  ...{ workflow: 'name', workflowName: 'name', models: 'model', domain: 'name' },
  ...{ isolationGroupId: 'name', idOrGroupId: 'name' },
  ...{ newName: 'name', topics: 'topic', newModel: 'name', deliveryId: 'name', apps: 'name' },
};

/** Fields of bodies that name resources. */
const byField: Readonly<Record<string, PlantedId>> = {
  ...{ api: 'name', apis: 'name', correlationId: 'name', correlationIds: 'name', email: 'userId' },
  ...{ definitionNames: 'name', displayNames: 'name', event: 'event', failureWorkflow: 'name' },
  ...{ externalInputPayloadStoragePath: 'payloadPath', groups: 'name', handlerName: 'name' },
  ...{ externalOutputPayloadStoragePath: 'payloadPath', id: 'name', ids: 'workflowId' },
  ...{ integrationName: 'name', integrations: 'model', key: 'name', keyId: 'keyId', model: 'name' },
  ...{ llmProvider: 'name', methodName: 'name', name: 'name', path: 'payloadPath', prompt: 'name' },
  ...{ reRunFromTaskId: 'taskId', reRunFromWorkflowId: 'workflowId', template: 'name' },
  ...{ receiverWorkflowNamesToVersions: 'name', secretKey: 'name', sink: 'event', user: 'userId' },
  ...{ subWorkflowId: 'workflowId', taskId: 'taskId', taskNames: 'name', value: 'name' },
  ...{ taskRefName: 'taskRefName', taskRefNames: 'taskRefName', workflowId: 'workflowId' },
  ...{ taskReferenceName: 'taskRefName', workflowIds: 'workflowId', workflowNames: 'name' },
  ...{ workflowInstanceId: 'workflowId', workflowStatusListenerSink: 'event' },
  ...{ workflowsToStart: 'name', actsAs: 'userId', createdBy: 'userId' },
  ...{ taskToDomain: 'name', dynamicTaskNameParam: 'name', executionNameSpace: 'name' },
  ...{ isolationGroupId: 'name', idempotencyKey: 'name', roles: 'name', permissions: 'name' },
  ...{ updatedBy: 'userId', ownerEmail: 'userId', ownerApp: 'name', workerId: 'name' },
};

/** What does not name a resource, with a value that is accepted where any text is not. */
const plainValues: Readonly<Record<string, unknown>> = {
  ...{ action: 'terminate', cronExpression: '0 0 0 1 1 ?', resourceType: 'WORKFLOW_DEF' },
  ...{ verifier: 'HEADER_BASED', sourcePlatform: 'Custom', url: 'https://attack.example.org' },
  ...{ serviceURI: 'https://attack.example.org', status: 'COMPLETED', userType: 'CONDUCTOR_USER' },
  ...{ category: 'AI_MODEL', contentType: 'text/plain', password: 'attacked password 1' },
  ...{ jsonSchema: { type: 'object' }, templateUI: {}, data: { type: 'object' } },
  ...{
    access: ['READ', 'EXECUTE', 'UPDATE'],
    secretValue: 'attacked with 16 bytes',
    searchType: 'ADMIN',
    input: {},
    query: '',
    outcome: '',
  },
  ...{
    events: ['WORKFLOW_STARTED'],
    frequency: 'daily',
    headers: { 'x-key': 'attacked' },
    operation: 'READ',
    version: '1',
  },
  ...{ payloadType: 'WORKFLOW_INPUT', queueType: 'kafka', partNumber: '1', subjectType: 'USER' },
  ...{
    method: 'x',
    freeText: '*',
    seconds: '60',
    count: '1',
    size: '10',
    window: 'HOUR',
    groupBy: 'status',
  },
};

/** Left out: schemas of what stands beside them, and lists of tasks inside tasks. */
const leftOut = new Set(
  `decisionCases defaultCase evaluatorType failureGroup forkTasks freeText fullTextQuery loopOver query
  taskDefinition workflowDefinition workflowDef`.split(/\s+/),
);

/** What the texts of a list mean that is a body by itself. */
const listed: readonly (readonly [where: RegExp, planted: PlantedId])[] = [
  [/^\w+ \/api\/human/, 'humanTaskId'],
  [/^\w+ \/api\/groups/, 'userId'],
  [/^\w+ \/api\/workflow\/bulk/, 'workflowId'],
  [/^\w+ \/api\/tasks/, 'taskId'],
];

/** Words for amounts, times, texts and switches: they name nothing that somebody owns. */
const plain = new Set(
  `accept actions activeOnly archiveWorkflow assignee assignees authMetadata autoIncrement baseType
  before by bytes cacheConfig caseExpression caseValueParam categoryLabel circuitBreakerConfig
  claimants classifier code complete complete_task condition config configuration
  contactInformation crc_token create cronSchedules cursor decisionCases defaultAccess evaluatorType defaultCase
  defaultExclusiveJoinTask description dynamicForkJoinTasksParam dynamicForkTasksInputParamName
  dynamicForkTasksParam endTime eventType exampleInput execution executionMetadata executionNamespace exp
  expiresInSeconds expression externalRef fail_task failureGroup fileName fingerprint forkTasks from
  fullTextQuery handler headerKey iconName idempotencyStrategy includeClosed includeOutput
  includePayloads includeTasks includeVariables inputKeys inputParameters inputQuery inputSchema
  inputTemplate inputType items iteration joinMode joinOn joinStatus keySecret kid kind limit log
  logs lookUpWindow loopCondition loopOver maskedFields message metadata methodType methods
  newPassword newVersion onStateChange op operationName options output outputData outputKeys outputMessage
  outputParameters outputSchema outputType overrideAssignment overwrite partETags paused pausedReason payload
  policy priority promptVariables rateLimitConfig rateLimitKey reason reasonForIncompletion
  requestContentType requestParams resourceType strictFields responseContentType responseFormat response_format
  resumeSubworkflowTasks retryIfRetriedByParent retryLogic returnStrategy runtimeMetadata schema
  scheduleEndTime scheduleStartTime scriptExpression searchType servers sig sort source start
  startTime startWorkflowRequest start_workflow states stopWords subWorkflowParam
  subWorkflowTestRequest subject tags target taskDefinition taskInput taskInputQuery taskInputs
  taskOutput taskOutputQuery taskRefToMockOutput taskResult tasks terminate_workflow
  terminationReason timeout timeoutMillis timeoutPolicy token tokenLimitPeriod topLevelOnly
  triggerFailureWorkflow type until update_workflow_variables useLatestDefinitions variables
  verbose waitForSeconds waitUntilTaskRef withTemplate workerid workflowDef workflowDefinition
  workflowInput workflowTags zoneId`.split(/\s+/),
);

/** What stands in a path or query in place of a variable. */
export function valueOf(ids: Ids, endpoint: Endpoint, variable: string): string {
  const planted = plantedOf(endpoint, variable);
  if (planted !== undefined) return ids[planted] ?? '';
  if (variable === 'type') return 'WORKFLOW_DEF';
  return String(plainValues[variable] ?? '1');
}

function plantedOf({ method, pattern }: Endpoint, variable: string): PlantedId | undefined {
  const where = `${method} ${pattern}`;
  const area = byArea.find(([start, name]) => name === variable && start.test(where));
  return area?.[2] ?? (variable === 'id' ? undefined : byVariable[variable]);
}

/**
 * A body with the victim's ids in every field that names a resource, in the shape that the endpoint
 * declares: one that would be carried out, if the caller had the right.
 */
export function bodyFor(ids: Ids, { method, pattern, body = {} }: Endpoint): unknown {
  if (body.type !== 'array' || body.items?.properties !== undefined) return filled(ids, body, 0);
  const where = `${method} ${pattern}`;
  return [ids[listed.find(([area]) => area.test(where))?.[1] ?? 'name']];
}

function filled(ids: Ids, schema: Schema, depth: number): unknown {
  if (schema.type === 'array') return [filled(ids, schema.items ?? {}, depth)];
  const { properties = {}, required = [] } = schema;
  const body: Record<string, unknown> = {};
  for (const [field, form] of Object.entries(properties)) {
    const value = fieldValue(ids, field, form, depth, required.includes(field));
    if (value !== undefined) body[field] = value;
  }
  return body;
}

/** How deep a body goes: definitions hold tasks, which hold tasks. */
const depthMax = 3;

function fieldValue(
  ids: Ids,
  field: string,
  form: Schema,
  depth: number,
  isRequired: boolean,
): unknown {
  if (leftOut.has(field)) return undefined;
  if (/^start_?workflow/i.test(field)) return { name: ids.name, version: 1, input: {} };
  if (form.properties !== undefined || form.items?.properties !== undefined) {
    return depth < depthMax ? filled(ids, form, depth + 1) : undefined;
  }
  const planted = byField[field];
  if (planted !== undefined) return inForm(form, ids[planted] ?? '');
  if (field === 'action' && form.enum !== undefined) return form.enum[0];
  if (plainValues[field] !== undefined) return plainValues[field];
  if (field === 'type') return form.enum?.[0] ?? 'SIMPLE';
  if (!isRequired) return undefined;
  if (form.enum !== undefined) return form.enum[0];
  if (form.type === 'array') return [];
  if (form.type === 'object') return {};
  if (form.type === 'boolean') return true;
  return form.type === 'string' ? 'attacked' : 1;
}

function inForm({ type }: Schema, text: string): unknown {
  if (type === 'array') return [text];
  if (type === 'object') return { [text]: 1 };
  return text;
}

/** Names in the API description that stand in neither list, each with an endpoint that has it. */
export function unknownNames(endpoints: readonly Endpoint[]): string[] {
  const unknown = new Set<string>();
  const note = (what: string, known: boolean): void => void (known || unknown.add(what));
  for (const endpoint of endpoints) {
    const { name, pattern, query, body } = endpoint;
    for (const [, variable = ''] of pattern.matchAll(/\{(\w+)\}/g)) {
      const known = plantedOf(endpoint, variable);
      note(`path variable ${variable} of ${name}`, known !== undefined || isPlain(variable));
    }
    for (const { name: parameter, isText } of query) {
      const isKnown = plantedOf(endpoint, parameter) !== undefined || isPlain(parameter);
      note(`query parameter ${parameter} of ${name}`, !isText || isKnown);
    }
    for (const field of textFields(body, 0)) {
      note(`field ${field} in the body of ${name}`, byField[field] !== undefined || isPlain(field));
    }
  }
  return [...unknown];
}

function isPlain(name: string): boolean {
  return plain.has(name) || plainValues[name] !== undefined;
}

function* textFields(schema: Schema | undefined, depth: number): Iterable<string> {
  if (schema === undefined || depth > 2 * depthMax) return;
  yield* textFields(schema.items, depth);
  for (const [field, form] of Object.entries(schema.properties ?? {})) {
    if (isText(form)) yield field;
    yield* textFields(form, depth + 1);
  }
}
