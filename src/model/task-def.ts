// Task definition (contract-core 5.1), declared once: type, parser with defaults, and the
// description of the API. Rules about values are in validate-task-def.ts.
import { auditFields, schemaDef } from './audit-fields.js';
import {
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
import { schemaOf, type Values } from './record.js';
import * as schema from './schema.js';
import { tagSchema } from './tag.js';

const retryLogics = ['FIXED', 'EXPONENTIAL_BACKOFF', 'LINEAR_BACKOFF'] as const;
const timeoutPolicies = ['RETRY', 'TIME_OUT_WF', 'ALERT_ONLY'] as const;
const atLeastZero = { minimum: 0 };

const timeoutSeconds = primitiveLong({
  about: 'Longest run of one attempt; 0 for no bound',
  default: 0,
});

const responseTimeoutSecondsDefault = 3600;

/**
 * Contract-core 5.2: a definition that only sets a short timeout must not break the rule that the
 * lease ends before it.
 */
const responseTimeoutSeconds: Field<number, 'always'> = {
  presence: 'always',
  schema: schema.integer('Lease of a polled task; at least 1 for worker tasks', {
    default: responseTimeoutSecondsDefault,
  }),
  read(reader, name) {
    const longest = reader.long('timeoutSeconds', 0);
    const isShort = longest > 0 && longest < responseTimeoutSecondsDefault;
    return reader.long(name, isShort ? longest : responseTimeoutSecondsDefault);
  },
};

export const taskDefFields = {
  name: checkedText('Task type that workers poll'),
  retryCount: primitiveInteger({
    ...{ about: 'Automatic retries after a failure', default: 3, told: atLeastZero },
  }),
  retryLogic: choice(retryLogics, {
    ...{ about: 'How the delay grows from retry to retry', default: 'FIXED' },
  }),
  retryDelaySeconds: primitiveInteger({ about: 'Delay before a retry', default: 60 }),
  backoffScaleFactor: integer({
    ...{ about: 'Factor of LINEAR_BACKOFF', default: 1, told: { default: 1, minimum: 1 } },
  }),
  maxRetryDelaySeconds: primitiveInteger({
    ...{ about: 'Bound of the delay; 0 for none', default: 0, told: atLeastZero },
  }),
  backoffJitterMs: primitiveInteger({
    ...{ about: 'Random addition to the delay', default: 0, told: atLeastZero },
  }),
  timeoutSeconds,
  timeoutPolicy: choice(timeoutPolicies, {
    ...{ about: 'What follows when an attempt times out', default: 'TIME_OUT_WF' },
  }),
  responseTimeoutSeconds,
  totalTimeoutSeconds: primitiveLong({
    ...{ about: 'Bound over all attempts; 0 for none', default: 0, told: atLeastZero },
  }),
  /** Both must be above 0 to limit anything. */
  rateLimitPerFrequency: integer({
    ...{ about: 'Most starts per window; 0 for no limit', default: 0, told: { default: 0 } },
  }),
  rateLimitFrequencyInSeconds: integer({
    ...{ about: 'Length of the window', default: 1, told: { default: 1 } },
  }),
  inputKeys: texts({ about: 'Names of expected input, for people' }),
  outputKeys: texts({ about: 'Names of expected output, for people' }),
  inputTemplate: map('Input where the task has none of that name'),
  enforceSchema: flag({ about: 'Whether the schemas are checked', default: false }),
  taskStatusListenerEnabled: flag({
    about: 'Whether listeners are told of changes',
    default: true,
  }),
  runtimeMetadata: texts({ about: 'Names of values that are attached to a polled task' }),
  description: text({ about: 'For people' }),
  pollTimeoutSeconds: integer({ about: 'Longest wait for a poll', told: atLeastZero }),
  /** Absent or <= 0: no limit. */
  concurrentExecLimit: integer({
    about: 'Most attempts that run at the same time; 0 for no limit',
  }),
  isolationGroupId: text({ about: 'Group of workers with a queue of its own' }),
  executionNameSpace: text({ about: 'Namespace of workers with a queue of its own' }),
  ownerEmail: text({ about: 'Mail address of the owner' }),
  baseType: text({ about: 'Parent type' }),
  restricted: flag({ about: 'Whether using it in a workflow needs EXECUTE on it' }),
  inputSchema: part(schemaDef),
  outputSchema: part(schemaDef),
  ...auditFields,
};

export interface TaskDef extends Values<typeof taskDefFields> {}

/** Members of the wire that belong to the name, not to the definition. */
export const tagMembers = {
  tags: schema.list(tagSchema, 'Tags of the name; shown with metadata=true'),
  overwriteTags: schema.flag('Whether the given tags replace the old ones', { default: false }),
};

export const taskDefSchema = schema.extended(
  'TaskDef',
  schemaOf<TaskDef>('TaskDef', taskDefFields, ['required']),
  tagMembers,
);
