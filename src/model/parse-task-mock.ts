// A mock that a test gives to a test server (docs/test-server.md), declared once. It is strict,
// unlike other bodies of this API: a field that nobody reads would make a test pass for the wrong
// reason.
import { AppError } from './errors.js';
import type { Field } from './field.js';
import type { JsonMap } from './json.js';
import { isMap, RecordReader } from './record-reader.js';
import { readFields, schemaOf, type Values } from './record.js';
import * as schema from './schema.js';
import type { Schema } from './schema.js';

/** IN_PROGRESS: the attempt stays open until somebody reports or a timeout comes. */
export const mockStatuses = [
  'COMPLETED',
  'FAILED',
  'FAILED_WITH_TERMINAL_ERROR',
  'TIMED_OUT',
  'IN_PROGRESS',
] as const;
export type MockStatus = (typeof mockStatuses)[number];

/** A year and a day, as the longest move of the clock. */
const delayMsMax = 366 * 86_400_000;
const attemptsMax = 100;
const textCharsMax = 1000;

const outcomeFields = {
  status: given<MockStatus>(
    schema.oneOf(mockStatuses, 'How the attempt ends; IN_PROGRESS: it stays open'),
    statusOf,
    'COMPLETED',
  ),
  output: given<JsonMap>(schema.anyObject, mapOf, {}),
  reasonForIncompletion: optional(schema.text(), textOf),
  delayMs: given<number>(
    schema.integer('Milliseconds between its start and its end', { minimum: 0 }),
    (value, path) => wholeOf(value, path, [0, delayMsMax]),
    0,
  ),
};

/** How a mocked attempt ends. */
export type MockOutcome = Values<typeof outcomeFields>;

const selectorFields = {
  workflowName: optional(schema.text('Executions of this definition'), textOf),
  workflowId: optional(schema.text('This execution'), textOf),
  correlationId: optional(
    schema.text('Executions with this correlation id, and their sub-workflows'),
    textOf,
  ),
  // With the suffix of an iteration it means that iteration, without one all of them.
  taskReferenceName: optional(schema.text('Tasks with this reference name'), textOf),
  taskName: optional(schema.text('Tasks of this name'), textOf),
  taskType: optional(schema.text('Tasks of this type'), textOf),
  workflowVersion: optional(schema.integer('Of this version'), (value, path) =>
    wholeOf(value, path, [1, 2 ** 31]),
  ),
};
const taskFields = ['taskReferenceName', 'taskName', 'taskType'] as const;

/** Selects the tasks that a mock stands for: all that fit every field given. */
export type MockSelector = Values<typeof selectorFields>;

export interface TaskMockRequest extends MockSelector {
  /** Of the first attempt, the second, and so on; the last one repeats. Never empty. */
  readonly attempts: readonly MockOutcome[];
}

const attempts = schema.list(
  schemaOf<MockOutcome>('TestMockOutcome', outcomeFields, []),
  'Outcome of the first attempt, the second, and so on; the last one repeats',
);
const selectorSchema = schemaOf<MockSelector>('TestMockSelector', selectorFields, []);

export const taskMockRequestSchema = schema.extended('TestMockRequest', selectorSchema, {
  attempts,
  ...schemaOf('TestMockOutcome', outcomeFields, []).properties,
});

export const testMockSchema = schema.extended(
  'TestMock',
  selectorSchema,
  {
    id: schema.text(),
    attempts,
    uses: schema.integer('Attempts that it has given an outcome'),
  },
  ['id', 'attempts', 'uses'],
);
export type TestMock = schema.ValueOf<typeof testMockSchema>;

/** Types that hold the flow together; their record has no outcome that could be another one. */
const unmockable: ReadonlySet<string> = new Set([
  'FORK_JOIN',
  'FORK_JOIN_DYNAMIC',
  'FORK',
  'JOIN',
  'EXCLUSIVE_JOIN',
  'TERMINATE',
  'DYNAMIC',
]);

/** Throws AppError 'bad-request' that names the field and its rule. */
export function parseTaskMock(body: JsonMap): TaskMockRequest {
  const known = { ...selectorFields, attempts, ...outcomeFields };
  refuseUnknown(body, Object.keys(known), '');
  const selector = readFields(new RecordReader(body, ''), selectorFields);
  if (taskFields.every((name) => selector[name] === undefined)) {
    throw wrong(`one of ${quoted(taskFields)} must say which tasks the mock stands for`);
  }
  const { taskType } = selector;
  if (taskType !== undefined && unmockable.has(taskType)) {
    throw wrong(
      `'taskType' must not be ${taskType}: no mock can stand for a task of this type. Mock the tasks around it`,
    );
  }
  return { ...selector, attempts: attemptsOf(body) };
}

function attemptsOf(body: JsonMap): readonly MockOutcome[] {
  const { attempts: sent } = body;
  const beside = Object.keys(outcomeFields).filter((name) => body[name] !== undefined);
  if (sent === undefined) return [outcomeOf(body, '')];
  if (beside.length > 0) {
    throw wrong(`'${beside[0]}' must stand in 'attempts' when 'attempts' is given`);
  }
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > attemptsMax) {
    throw wrong(`'attempts' must be a list of 1 to ${attemptsMax} outcomes`);
  }
  return sent.map((each, index) => {
    const path = `attempts[${index}]`;
    if (!isMap(each)) throw wrong(`'${path}' must be an object`);
    refuseUnknown(each, Object.keys(outcomeFields), `${path}.`);
    return outcomeOf(each, path);
  });
}

function outcomeOf(sent: JsonMap, path: string): MockOutcome {
  return readFields(new RecordReader(sent, path), outcomeFields);
}

/** A field that is read as strictly as `read` does, also when it is null. */
function optional<T>(
  described: Schema,
  read: (value: unknown, path: string) => T,
): Field<T, 'optional'> {
  return {
    ...{ presence: 'optional', schema: described },
    read: (reader, name) =>
      reader.has(name) ? read(reader.raw(name), reader.pathOf(name)) : undefined,
  };
}

function given<T>(
  described: Schema,
  read: (value: unknown, path: string) => T,
  fallback: T,
): Field<T, 'always'> {
  const inner = optional(described, read);
  return {
    ...{ presence: 'always', schema: described },
    read: (reader, name) => inner.read(reader, name) ?? fallback,
  };
}

function statusOf(value: unknown, path: string): MockStatus {
  const known = mockStatuses.find((each) => each === value);
  if (known !== undefined) return known;
  throw wrong(`'${path}' must be one of ${mockStatuses.join(', ')}`);
}

function mapOf(value: unknown, path: string): JsonMap {
  if (isMap(value)) return value as JsonMap;
  throw wrong(`'${path}' must be an object`);
}

function refuseUnknown(fields: JsonMap, known: readonly string[], path: string): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw wrong(`'${path}${unknown}' is no field of a mock. Its fields are ${known.join(', ')}`);
}

function textOf(value: unknown, path: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= textCharsMax) return value;
  throw wrong(`'${path}' must be a text of 1 to ${textCharsMax} characters`);
}

function wholeOf(value: unknown, path: string, [least, most]: readonly [number, number]): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
    return value;
  }
  throw wrong(`'${path}' must be a whole number from ${least} to ${most}`);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

function wrong(rule: string): AppError {
  return new AppError('bad-request', rule);
}
