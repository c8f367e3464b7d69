// Parsing of task definitions from outside input (contract-core 5.1). Rules about values are in
// validate-task-def.ts.
import { markAbsentText } from './absent-texts.js';
import { parseSchemaDef, readAuditFields } from './parse-shared-records.js';
import { RecordReader, parseList, present } from './record-reader.js';
import { checkShape } from './shape-limits.js';
import type { RetryLogic, TaskDef, TaskTimeoutPolicy } from './task-def.js';

export const retryLogics: readonly RetryLogic[] = [
  'FIXED',
  'EXPONENTIAL_BACKOFF',
  'LINEAR_BACKOFF',
];
export const taskTimeoutPolicies: readonly TaskTimeoutPolicy[] = [
  'RETRY',
  'TIME_OUT_WF',
  'ALERT_ONLY',
];

const responseTimeoutSecondsDefault = 3600;

/**
 * A task definition with all defaults filled in. A missing name is an empty one, so that validation
 * can report it beside the others. Throws AppError 'bad-request' that names `path` and the field
 * that cannot be read.
 */
export function parseTaskDef(input: unknown, path: string): TaskDef {
  checkShape(input, path);
  return readTaskDef(input, path);
}

/** Body of POST /taskdefs. Throws AppError 'bad-request'. */
export function parseTaskDefs(input: unknown, path: string): TaskDef[] {
  checkShape(input, path);
  return parseList(input, path, readTaskDef);
}

/** As `parseTaskDef`, for input whose shape has been checked. */
export function readTaskDef(input: unknown, path: string): TaskDef {
  const reader = new RecordReader(input, path);
  const name = reader.text('name');
  const timeoutSeconds = reader.long('timeoutSeconds', 0);
  const def: TaskDef = {
    name: name ?? '',
    retryCount: reader.integer('retryCount', 3),
    retryLogic: reader.choice('retryLogic', retryLogics) ?? 'FIXED',
    retryDelaySeconds: reader.integer('retryDelaySeconds', 60),
    backoffScaleFactor: reader.optionalInteger('backoffScaleFactor') ?? 1,
    maxRetryDelaySeconds: reader.integer('maxRetryDelaySeconds', 0),
    backoffJitterMs: reader.integer('backoffJitterMs', 0),
    timeoutSeconds,
    timeoutPolicy: reader.choice('timeoutPolicy', taskTimeoutPolicies) ?? 'TIME_OUT_WF',
    responseTimeoutSeconds: reader.long(
      'responseTimeoutSeconds',
      defaultResponseTimeout(timeoutSeconds),
    ),
    totalTimeoutSeconds: reader.long('totalTimeoutSeconds', 0),
    rateLimitPerFrequency: reader.optionalInteger('rateLimitPerFrequency') ?? 0,
    rateLimitFrequencyInSeconds: reader.optionalInteger('rateLimitFrequencyInSeconds') ?? 1,
    inputKeys: reader.texts('inputKeys'),
    outputKeys: reader.texts('outputKeys'),
    inputTemplate: reader.map('inputTemplate'),
    enforceSchema: reader.flag('enforceSchema', false),
    taskStatusListenerEnabled: reader.flag('taskStatusListenerEnabled', true),
    runtimeMetadata: reader.texts('runtimeMetadata'),
    ...present({
      description: reader.text('description'),
      pollTimeoutSeconds: reader.optionalInteger('pollTimeoutSeconds'),
      concurrentExecLimit: reader.optionalInteger('concurrentExecLimit'),
      isolationGroupId: reader.text('isolationGroupId'),
      executionNameSpace: reader.text('executionNameSpace'),
      ownerEmail: reader.text('ownerEmail'),
      baseType: reader.text('baseType'),
      restricted: reader.optionalFlag('restricted'),
      inputSchema: reader.record('inputSchema', parseSchemaDef),
      outputSchema: reader.record('outputSchema', parseSchemaDef),
    }),
    ...readAuditFields(reader),
  };
  if (name === undefined) markAbsentText(def, 'name');
  return def;
}

/**
 * Contract-core 5.2: a definition that only sets a short timeout must not break the cross-field
 * rule.
 */
function defaultResponseTimeout(timeoutSeconds: number): number {
  return timeoutSeconds > 0 && timeoutSeconds < responseTimeoutSecondsDefault
    ? timeoutSeconds
    : responseTimeoutSecondsDefault;
}

/** The definition of a worker task that is not registered (semantics 0.4.2). */
export function adHocTaskDef(name: string, isWorkerTask: boolean): TaskDef {
  const def = readTaskDef({ name }, 'taskDefinition');
  return isWorkerTask ? def : { ...def, retryCount: 0, responseTimeoutSeconds: 0 };
}
