// Parsing of workflow definitions and task configurations from outside input (contract-core 6.1 to
// 6.3). Rules about values are in validate-workflow-def.ts.
import { atOnce, mapInSteps, type Steps } from '../std/slices.js';
import { markAbsentText } from './absent-texts.js';
import type { Json } from './json.js';
import {
  parseCacheConfig,
  parseRateLimitConfig,
  parseSchemaDef,
  parseStateChangeEvent,
  readAuditFields,
} from './parse-shared-records.js';
import { readTaskDef } from './parse-task-def.js';
import { RecordReader, isMap, parseList, present, refused } from './record-reader.js';
import { checkShape } from './shape-limits.js';
import { validationFailed } from './validation.js';
import type {
  IdempotencyStrategy,
  SubWorkflowParams,
  WorkflowDef,
  WorkflowTask,
} from './workflow-def.js';

export const idempotencyStrategies: readonly IdempotencyStrategy[] = [
  'FAIL',
  'RETURN_EXISTING',
  'FAIL_ON_RUNNING',
];

/**
 * A workflow definition with all defaults filled in. Missing required texts are empty ones, so that
 * validation can report all of them. Throws AppError 'bad-request' that names `path` and the field
 * that cannot be read.
 * In steps: a definition may have thousands of tasks.
 */
export function* parsingWorkflowDef(input: unknown, path: string): Steps<WorkflowDef> {
  checkShape(input, path);
  return yield* readingWorkflowDef(input, path);
}

/**
 * Body of PUT /workflow. Throws AppError 'bad-request', for null in place of a definition
 * 'validation'.
 */
export function* parsingWorkflowDefs(input: unknown, path: string): Steps<WorkflowDef[]> {
  checkShape(input, path);
  if (!Array.isArray(input)) throw refused(path, 'must be a list');
  return yield* mapInSteps(input as unknown[], (item, index) => {
    const at = `${path}[${index}]`;
    if (item !== null) return readingWorkflowDef(item, at);
    const rule = { path: `updateWorkflowDef.arg0${at}`, message: 'WorkflowDef cannot be null' };
    throw validationFailed([rule]);
  });
}

/** One task configuration, such as a member of a dynamic fork. Throws AppError 'bad-request'. */
export function parseWorkflowTask(input: unknown, path: string): WorkflowTask {
  checkShape(input, path);
  return readWorkflowTask(input, path);
}

/** At once, for input whose shape has been checked. */
export function readWorkflowDef(input: unknown, path: string): WorkflowDef {
  return atOnce(readingWorkflowDef(input, path));
}

function* readingWorkflowDef(input: unknown, path: string): Steps<WorkflowDef> {
  const reader = new RecordReader(input, path);
  const name = reader.text('name');
  const def: WorkflowDef = {
    name: name ?? '',
    version: reader.integer('version', 1),
    tasks: yield* reader.listing('tasks', readWorkflowTask),
    inputParameters: reader.texts('inputParameters'),
    outputParameters: reader.map('outputParameters'),
    schemaVersion: reader.integer('schemaVersion', 2),
    restartable: reader.flag('restartable', true),
    workflowStatusListenerEnabled: reader.flag('workflowStatusListenerEnabled', false),
    timeoutPolicy: reader.choice('timeoutPolicy', ['TIME_OUT_WF', 'ALERT_ONLY']) ?? 'ALERT_ONLY',
    timeoutSeconds: reader.long('timeoutSeconds', 0),
    variables: reader.map('variables'),
    inputTemplate: reader.map('inputTemplate'),
    enforceSchema: reader.flag('enforceSchema', true),
    metadata: reader.map('metadata'),
    maskedFields: reader.texts('maskedFields'),
    ...present({
      description: reader.text('description'),
      failureWorkflow: reader.text('failureWorkflow'),
      failureWorkflowVersion: reader.optionalInteger('failureWorkflowVersion'),
      workflowStatusListenerSink: reader.text('workflowStatusListenerSink'),
      ownerEmail: reader.text('ownerEmail'),
      rateLimitConfig: reader.record('rateLimitConfig', parseRateLimitConfig),
      inputSchema: reader.record('inputSchema', parseSchemaDef),
      outputSchema: reader.record('outputSchema', parseSchemaDef),
      cacheConfig: reader.record('cacheConfig', parseCacheConfig),
    }),
    ...readAuditFields(reader),
  };
  if (name === undefined) markAbsentText(def, 'name');
  return def;
}

function readWorkflowTask(input: unknown, path: string): WorkflowTask {
  const reader = new RecordReader(input, path);
  const name = reader.text('name');
  const ref = reader.text('taskReferenceName');
  const task: WorkflowTask = {
    name: name ?? '',
    taskReferenceName: ref ?? '',
    inputParameters: reader.map('inputParameters'),
    type: reader.text('type') ?? reader.text('workflowTaskType') ?? 'SIMPLE',
    decisionCases: reader.mapOf('decisionCases', readTaskList),
    defaultCase: reader.list('defaultCase', readWorkflowTask),
    forkTasks: reader.list('forkTasks', readTaskList),
    joinOn: reader.texts('joinOn'),
    defaultExclusiveJoinTask: reader.texts('defaultExclusiveJoinTask'),
    loopOver: reader.list('loopOver', readWorkflowTask),
    startDelay: reader.integer('startDelay', 0),
    optional: reader.flag('optional', false),
    permissive: reader.flag('permissive', false),
    asyncComplete: reader.flag('asyncComplete', false),
    onStateChange: reader.mapOf('onStateChange', readStateChanges),
    metadata: reader.map('metadata'),
    ...present({
      description: reader.text('description'),
      dynamicTaskNameParam: reader.text('dynamicTaskNameParam'),
      caseValueParam: reader.text('caseValueParam'),
      caseExpression: reader.text('caseExpression'),
      scriptExpression: reader.text('scriptExpression'),
      evaluatorType: reader.text('evaluatorType'),
      expression: reader.text('expression'),
      dynamicForkJoinTasksParam: reader.text('dynamicForkJoinTasksParam'),
      dynamicForkTasksParam: reader.text('dynamicForkTasksParam'),
      dynamicForkTasksInputParamName: reader.text('dynamicForkTasksInputParamName'),
      joinStatus: reader.text('joinStatus'),
      joinMode: reader.choice('joinMode', ['SYNC', 'ASYNC']),
      loopCondition: reader.text('loopCondition'),
      items: reader.json('items'),
      subWorkflowParam: reader.record('subWorkflowParam', readSubWorkflowParams),
      sink: reader.text('sink'),
      rateLimited: reader.optionalFlag('rateLimited'),
      retryCount: reader.optionalInteger('retryCount'),
      taskDefinition: reader.record('taskDefinition', (value, at) =>
        readEmbeddedTaskDef(value, at, name ?? ''),
      ),
      cacheConfig: reader.record('cacheConfig', parseCacheConfig),
    }),
  };
  if (reader.has('decisionCases') && reader.raw('decisionCases') === undefined) {
    markAbsentText(task, 'decisionCases');
  }
  if (name === undefined) markAbsentText(task, 'name');
  if (ref === undefined) markAbsentText(task, 'taskReferenceName');
  return task;
}

function readTaskList(value: unknown, path: string): WorkflowTask[] {
  return value === null ? [] : parseList(value, path, readWorkflowTask);
}

function readStateChanges(
  value: unknown,
  path: string,
): ReturnType<typeof parseStateChangeEvent>[] {
  return value === null ? [] : parseList(value, path, parseStateChangeEvent);
}

/**
 * An embedded definition without a name takes the one of its configuration: queues and limits go by
 * name.
 */
function readEmbeddedTaskDef(
  value: unknown,
  path: string,
  taskName: string,
): ReturnType<typeof readTaskDef> {
  const def = readTaskDef(value, path);
  return def.name === '' ? { ...def, name: taskName } : def;
}

function readSubWorkflowParams(input: unknown, path: string): SubWorkflowParams {
  const reader = new RecordReader(input, path);
  const definition = readInlineDefinition(reader);
  const params: SubWorkflowParams = present({
    name: reader.text('name'),
    version: reader.optionalInteger('version'),
    taskToDomain: reader.has('taskToDomain') ? reader.textMap('taskToDomain') : undefined,
    workflowDefinition: definition,
    idempotencyKey: reader.text('idempotencyKey'),
    idempotencyStrategy: reader.choice('idempotencyStrategy', idempotencyStrategies),
    priority: readPriority(reader),
  });
  if (typeof definition === 'object') {
    params.name = definition.name;
    params.version = definition.version;
  }
  return params;
}

function readInlineDefinition(reader: RecordReader): WorkflowDef | string | undefined {
  const value = reader.raw('workflowDefinition');
  if (value === undefined) return undefined;
  const path = reader.pathOf('workflowDefinition');
  if (isMap(value)) return readWorkflowDef(value, path);
  if (typeof value === 'string' && value.startsWith('${') && value.endsWith('}')) return value;
  throw refused(path, 'is a string, but not a valid DSL string');
}

function readPriority(reader: RecordReader): Json | undefined {
  const value = reader.json('priority');
  if (value === undefined || typeof value === 'string' || typeof value === 'number') return value;
  throw refused(reader.pathOf('priority'), 'must be a number or an expression');
}
