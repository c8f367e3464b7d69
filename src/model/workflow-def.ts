// Workflow definition and task configuration (contract-core 6.1, 6.2), declared once: types, the
// fields that parse-workflow-def.ts reads with all defaults filled in, and the description of the
// API. Wire names throughout; what is absent on the wire is an absent property.
import { atOnce, type Steps } from '../std/slices.js';
import { markAbsentText } from './absent-texts.js';
import { auditFields, schemaDef } from './audit-fields.js';
import {
  anyMap,
  checkedText,
  choice,
  flag,
  integer,
  map,
  part,
  primitiveInteger,
  primitiveLong,
  text,
  texts,
  type Field,
} from './field.js';
import type { Json } from './json.js';
import { readTaskDef } from './parse-task-def.js';
import { readFields, record, schemaOf, type Mutable, type Values } from './record.js';
import { RecordReader, isMap, parseList, refused } from './record-reader.js';
import * as schema from './schema.js';
import type { Schema, ValueOf } from './schema.js';
import { tagMembers, taskDefSchema, type TaskDef } from './task-def.js';

/** Contract-core 4.6. */
export const rateLimitConfig = record('RateLimitConfig', {
  concurrentExecLimit: primitiveInteger({
    ...{ about: 'Most executions per key at the same time', default: 0 },
  }),
  policy: choice(['QUEUE', 'REJECT'], {
    ...{ about: 'What happens to a start beyond the limit', default: 'QUEUE' },
  }),
  rateLimitKey: text({ about: 'Key whose executions are counted; may hold expressions' }),
});
export type RateLimitConfig = ReturnType<typeof rateLimitConfig.parse>;

const cacheConfig = record('CacheConfig', {
  ttlInSecond: primitiveInteger({ about: 'How long a result is used', default: 0 }),
  key: text({ about: 'Key of the result; may hold expressions' }),
});

/** States of a task that `onStateChange` may name (semantics 2.14.4). */
export const stateHooks = [
  'onScheduled',
  'onStart',
  'onSuccess',
  'onFailed',
  'onCancelled',
] as const;
export type StateHook = (typeof stateHooks)[number];

const stateChangeEvent = record('StateChangeEvent', {
  type: text({ about: 'Type of the event' }),
  payload: anyMap(),
});
export type StateChangeEvent = ReturnType<typeof stateChangeEvent.parse>;

export const idempotencyStrategies = ['FAIL', 'RETURN_EXISTING', 'FAIL_ON_RUNNING'] as const;
export type IdempotencyStrategy = (typeof idempotencyStrategies)[number];

const subWorkflowFields = {
  /**
   * Absent only when `workflowDefinition` is an object: then name and version are that object's.
   */
  name: text({ about: 'Name of the definition' }),
  /** Absent: latest when the parent starts; 0: latest when the task starts (semantics 0.4). */
  version: integer({ about: 'Version; absent or 0 for the latest' }),
  taskToDomain: optional(schema.mapOf(schema.text(), 'Domains of its tasks'), (reader, name) =>
    reader.has(name) ? reader.textMap(name) : undefined,
  ),
  /** A definition, or an expression text `${...}`. */
  workflowDefinition: {
    presence: 'optional',
    read: readInlineDefinition,
    get schema(): Schema {
      return { anyOf: [schema.text('An expression ${...}'), workflowDefSchema] };
    },
  } satisfies Field<WorkflowDef | string, 'optional'>,
  idempotencyKey: text({ about: 'Key of the start' }),
  idempotencyStrategy: choice(idempotencyStrategies, {
    about: 'What an execution with that key means',
  }),
  priority: optional(anything('A number from 0 to 99 or an expression'), readPriority),
};

export interface SubWorkflowParams extends Values<typeof subWorkflowFields> {}

/** Members that hold workflow tasks have getters: the schema refers to itself. */
const workflowTaskFields = {
  name: checkedText('Name of the task definition'),
  taskReferenceName: checkedText('Name within the workflow'),
  inputParameters: map('Input; texts may hold expressions'),
  /** Any text: an unknown type is a worker task polled under that text (contract-core 3). */
  type: {
    ...{ presence: 'always', schema: schema.text('Task type', { default: 'SIMPLE' }) },
    read: (reader) => reader.text('type') ?? reader.text('workflowTaskType') ?? 'SIMPLE',
  } satisfies Field<string, 'always'>,
  decisionCases: tasksField<{ [caseValue: string]: WorkflowTask[] }>(
    (reader, name) => reader.mapOf(name, readTaskList),
    (tasks) => schema.mapOf(schema.list(tasks), 'Branches by case'),
  ),
  defaultCase: taskList('Branch when no case fits'),
  forkTasks: tasksField<WorkflowTask[][]>(
    (reader, name) => reader.list(name, readTaskList),
    (tasks) => schema.list(schema.list(tasks), 'Branches of FORK_JOIN'),
  ),
  joinOn: references('JOIN: reference names that it waits for'),
  defaultExclusiveJoinTask: references('EXCLUSIVE_JOIN: whose output counts by default'),
  loopOver: taskList('DO_WHILE: tasks of one iteration'),
  startDelay: primitiveInteger({ about: 'Seconds before it can be polled', default: 0 }),
  optional: flag({ about: 'Whether the workflow goes on when it fails', default: false }),
  permissive: flag({ about: 'Whether its branch goes on when it fails', default: false }),
  asyncComplete: flag({ about: 'Whether it is completed from outside', default: false }),
  onStateChange: {
    presence: 'always',
    schema: schema.mapOf(schema.list(stateChangeEvent.schema), 'Events by state changes'),
    read: (reader, name) => reader.mapOf(name, readStateChanges),
  } satisfies Field<{ [hooks: string]: StateChangeEvent[] }, 'always'>,
  metadata: map(),
  description: text({ about: 'For people' }),
  dynamicTaskNameParam: text({
    about: 'DYNAMIC: input parameter with the name of the task to run',
  }),
  caseValueParam: text({ about: 'DECISION: input parameter that chooses the case' }),
  caseExpression: text({ about: 'DECISION: script that chooses the case' }),
  scriptExpression: text({ about: 'LAMBDA: script' }),
  evaluatorType: text({ about: 'Language of `expression`' }),
  expression: text({ about: 'Expression of SWITCH and INLINE' }),
  dynamicForkJoinTasksParam: text({
    about: 'FORK_JOIN_DYNAMIC: input parameter with tasks and input',
  }),
  dynamicForkTasksParam: text({ about: 'FORK_JOIN_DYNAMIC: input parameter with the tasks' }),
  dynamicForkTasksInputParamName: text({
    about: 'FORK_JOIN_DYNAMIC: input parameter with their input',
  }),
  joinStatus: text({ about: 'JOIN: script that decides when it is complete' }),
  joinMode: choice(['SYNC', 'ASYNC'], { about: 'JOIN: when it is evaluated' }),
  loopCondition: text({ about: 'DO_WHILE: condition for one more iteration' }),
  items: optional(anything('DO_WHILE: list to iterate over, or an expression'), (reader, name) =>
    reader.json(name),
  ),
  subWorkflowParam: optional(schemaOf('SubWorkflowParams', subWorkflowFields, []), readSubWorkflow),
  sink: text({ about: 'EVENT: where the event goes' }),
  rateLimited: flag({ about: 'Whether the rate limit of its definition counts' }),
  retryCount: integer({ about: 'Automatic retries, in place of those of its definition' }),
  /**
   * As given on write; in an execution's snapshot the registered or ad-hoc definition (semantics
   * 0.4).
   */
  taskDefinition: optional<TaskDef>(schema.nullable(taskDefSchema), readEmbeddedTaskDef),
  cacheConfig: part(cacheConfig),
};

/** Task configuration inside a workflow definition. */
export interface WorkflowTask extends Mutable<Values<typeof workflowTaskFields>> {}

const namedFields = {
  name: checkedText('Name'),
  version: primitiveInteger({ about: 'Version', default: 1, told: { minimum: 1 } }),
};

const otherFields = {
  inputParameters: texts({ about: 'Names of expected input, for people' }),
  outputParameters: map('Output; texts may hold expressions'),
  schemaVersion: primitiveInteger({ about: 'Always 2', default: 2 }),
  restartable: flag({ about: 'Whether a completed execution can be restarted', default: true }),
  workflowStatusListenerEnabled: flag({
    ...{ about: 'Whether listeners are told of ends', default: false },
  }),
  timeoutPolicy: choice(['TIME_OUT_WF', 'ALERT_ONLY'], {
    ...{ about: 'What follows when it times out', default: 'ALERT_ONLY' },
  }),
  /** Seconds. */
  timeoutSeconds: primitiveLong({ about: 'Longest run; 0 for no bound', default: 0 }),
  variables: map('Variables at the start'),
  inputTemplate: map('Input where a start has none of that name'),
  enforceSchema: flag({ about: 'Whether the schemas are checked', default: true }),
  metadata: map(),
  maskedFields: texts({ about: 'Names of fields whose values are not shown' }),
  description: text({ about: 'For people' }),
  failureWorkflow: text({ about: 'Workflow that is started when this one fails' }),
  failureWorkflowVersion: integer({
    about: 'Version of the failure workflow; absent for the latest',
  }),
  workflowStatusListenerSink: text({ about: 'Where events of status changes go' }),
  ownerEmail: text({ about: 'Mail address of the owner' }),
  rateLimitConfig: part(rateLimitConfig),
  inputSchema: part(schemaDef),
  outputSchema: part(schemaDef),
  cacheConfig: part(cacheConfig),
  ...auditFields,
};

export interface WorkflowDef
  extends Mutable<Values<typeof namedFields>>, Mutable<Values<typeof otherFields>> {
  tasks: WorkflowTask[];
}

export const workflowTaskSchema: Schema = schemaOf('WorkflowTask', workflowTaskFields, [
  'required',
]);

export const workflowDefSchema = schema.extended(
  'WorkflowDef',
  schemaOf<WorkflowDef>('WorkflowDef', { ...namedFields, ...otherFields }, ['required']),
  { tasks: schema.list(workflowTaskSchema, 'Tasks in order'), ...tagMembers },
  ['tasks'],
);

/** Contract-core 4.6. */
export const workflowDefSummarySchema = schema.object(
  'WorkflowDefSummary',
  {
    name: schema.text('Name'),
    version: schema.integer('Version'),
    createTime: schema.time(),
    updateTime: schema.time('Epoch milliseconds; 0 until it is updated'),
  },
  ['name', 'version', 'createTime', 'updateTime'],
);
export type WorkflowDefSummary = ValueOf<typeof workflowDefSummarySchema>;

/** In steps: a definition may have thousands of tasks. */
export function* readingWorkflowDef(input: unknown, path: string): Steps<WorkflowDef> {
  const reader = new RecordReader(input, path);
  const named = readFields(reader, namedFields);
  const tasks = yield* reader.listing('tasks', readWorkflowTask);
  const def = { ...named, tasks, ...readFields(reader, otherFields) };
  if (reader.raw('name') === undefined) markAbsentText(def, 'name');
  return def;
}

/** At once, for input whose shape has been checked. */
export function readWorkflowDef(input: unknown, path: string): WorkflowDef {
  return atOnce(readingWorkflowDef(input, path));
}

export function readWorkflowTask(input: unknown, path: string): WorkflowTask {
  const reader = new RecordReader(input, path);
  const task = readFields(reader, workflowTaskFields);
  if (reader.has('decisionCases') && reader.raw('decisionCases') === undefined) {
    markAbsentText(task, 'decisionCases');
  }
  for (const name of ['name', 'taskReferenceName'] as const) {
    if (reader.raw(name) === undefined) markAbsentText(task, name);
  }
  return task;
}

/** A field that holds workflow tasks; `describe` makes its schema of theirs. */
function tasksField<T>(
  read: (reader: RecordReader, name: string) => T,
  describe: (tasks: Schema) => Schema,
): Field<T, 'always'> {
  return {
    ...{ presence: 'always', read },
    get schema() {
      return describe(workflowTaskSchema);
    },
  };
}

function taskList(about: string): Field<WorkflowTask[], 'always'> {
  return tasksField(
    (reader, name) => reader.list(name, readWorkflowTask),
    (tasks) => schema.list(tasks, about),
  );
}

function references(about: string): Field<string[], 'always'> {
  return { ...texts({ about }), read: (reader, name) => reader.texts(name) };
}

function optional<T>(
  described: Schema,
  read: (reader: RecordReader, name: string) => T | undefined,
): Field<T, 'optional'> {
  return { presence: 'optional', schema: described, read };
}

function anything(description: string): Schema {
  return { ...schema.anything, description };
}

function readTaskList(value: unknown, path: string): WorkflowTask[] {
  return value === null ? [] : parseList(value, path, readWorkflowTask);
}

function readStateChanges(value: unknown, path: string): StateChangeEvent[] {
  return value === null ? [] : parseList(value, path, stateChangeEvent.parse);
}

/**
 * An embedded definition without a name takes the one of its configuration: queues and limits go by
 * name.
 */
function readEmbeddedTaskDef(reader: RecordReader, name: string): TaskDef | undefined {
  const def = reader.record(name, readTaskDef);
  return def?.name === '' ? { ...def, name: reader.text('name') ?? '' } : def;
}

function readSubWorkflow(reader: RecordReader, field: string): SubWorkflowParams | undefined {
  return reader.record(field, (input, path) => {
    const params = readFields(new RecordReader(input, path), subWorkflowFields);
    const { workflowDefinition: inline } = params;
    if (typeof inline !== 'object') return params;
    return { ...params, name: inline.name, version: inline.version };
  });
}

function readInlineDefinition(
  reader: RecordReader,
  name: string,
): WorkflowDef | string | undefined {
  return reader.record<WorkflowDef | string>(name, (value, path) => {
    if (isMap(value)) return readWorkflowDef(value, path);
    if (typeof value === 'string' && value.startsWith('${') && value.endsWith('}')) return value;
    throw refused(path, 'is a string, but not a valid DSL string');
  });
}

function readPriority(reader: RecordReader, name: string): Json | undefined {
  const value = reader.json(name);
  if (value === undefined || typeof value === 'string' || typeof value === 'number') return value;
  throw refused(reader.pathOf(name), 'must be a number or an expression');
}
