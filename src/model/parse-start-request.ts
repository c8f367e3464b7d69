// Requests that start or simulate an execution (contract-core 8.1, 14.2), declared once: type,
// parser, and the description of the API.
import { markAbsentText } from './absent-texts.js';
import { AppError } from './errors.js';
import {
  checkedText,
  choice,
  filledText,
  integer,
  long,
  map,
  mapOf,
  part,
  primitiveInteger,
  text,
  textMap,
} from './field.js';
import { reportedStatuses } from './parse-task-result.js';
import { RecordReader, parseList } from './record-reader.js';
import { readFields, record, schemaOf, type Values } from './record.js';
import { list, type Schema, type Shape } from './schema.js';
import { checkShape } from './shape-limits.js';
import { idempotencyStrategies, readWorkflowDef, workflowDefSchema } from './workflow-def.js';

export const priorityMax = 99;

/** The name is that of the inline definition when it was not sent. */
const startFields = {
  name: checkedText('Name of the definition'),
  version: integer({ about: 'Version; absent for the latest' }),
  correlationId: text({ about: 'Correlation id' }),
  input: map(),
  taskToDomain: textMap('Domains by task type; `*` for all types'),
  // Name and version of the execution come from it.
  workflowDef: part({ schema: workflowDefSchema, parse: readWorkflowDef }),
  externalInputPayloadStoragePath: text({
    about: 'Where a large input is kept, in place of an input',
  }),
  priority: primitiveInteger({
    ...{ about: 'Priority', default: 0, told: { minimum: 0, maximum: priorityMax } },
  }),
  createdBy: text({ about: 'Counts while authentication is off' }),
  // An empty key is no key (contract-core 8.3).
  idempotencyKey: filledText({ about: 'Starts with one key are one start' }),
  idempotencyStrategy: choice(idempotencyStrategies, {
    about: 'What an execution with that key means',
  }),
};

/** The name is empty without any: validation refuses that. */
export type StartWorkflowRequest = Values<typeof startFields>;

export const startWorkflowRequestSchema = schemaOf<StartWorkflowRequest>(
  'StartWorkflowRequest',
  startFields,
  ['required'],
);

/** The output of one attempt or iteration in a test run. */
const taskMock = record('TaskMock', {
  status: choice(reportedStatuses, { about: 'How the attempt ends', default: 'COMPLETED' }),
  output: map(),
  executionTime: long({ about: 'Milliseconds', default: 0 }),
  queueWaitTime: long({ about: 'Milliseconds', default: 0 }),
});
export type TaskMock = ReturnType<typeof taskMock.parse>;

const taskMocks: Shape<readonly TaskMock[]> = {
  schema: list(taskMock.schema),
  parse: (value, path = '') =>
    value === null ? [] : parseList(value, path, (mock, at) => taskMock.parse(mock, at)),
};

const mockFields = {
  taskRefToMockOutput: mapOf(taskMocks, 'Mocked attempts by reference name'),
};

export interface WorkflowTestRequest extends StartWorkflowRequest, Values<typeof mockFields> {
  readonly subWorkflowTestRequest: { readonly [ref: string]: WorkflowTestRequest };
}

const testFields = {
  ...{ ...startFields, ...mockFields },
  subWorkflowTestRequest: mapOf<WorkflowTestRequest>(
    {
      get schema(): Schema {
        return workflowTestRequestSchema;
      },
      parse: readTestRequest,
    },
    'Mocks of children by reference name',
  ),
};

export const workflowTestRequestSchema: Schema<WorkflowTestRequest> = schemaOf(
  'WorkflowTestRequest',
  testFields,
  ['required'],
);

/**
 * Throws AppError 'bad-request' that names the field that cannot be read. Values are checked by
 * `validateStartRequest`.
 */
export function parseStartWorkflowRequest(input: unknown, path: string): StartWorkflowRequest {
  checkShape(input, path);
  return readStartRequest(new RecordReader(input, path));
}

/** As `parseStartWorkflowRequest`, with the mocks of a test run. */
export function parseWorkflowTestRequest(input: unknown, path: string): WorkflowTestRequest {
  checkShape(input, path);
  return readTestRequest(input, path);
}

function readStartRequest(reader: RecordReader): StartWorkflowRequest {
  return named(readFields(reader, startFields), reader);
}

function readTestRequest(input: unknown, path = ''): WorkflowTestRequest {
  const reader = new RecordReader(input, path);
  const test = named(readFields(reader, testFields), reader);
  if (test.name === '') markAbsentText(test, 'name');
  return test;
}

/**
 * With the name of the inline definition where none was sent: a builder of the Go SDK sends its
 * definition and no name beside it. Throws AppError 'bad-request' for an input of null.
 */
function named<T extends StartWorkflowRequest>(request: T, reader: RecordReader): T {
  const isNull = reader.has('input') && reader.raw('input') === undefined;
  if (isNull && request.externalInputPayloadStoragePath === undefined) {
    throw new AppError('bad-request', 'NULL input passed when starting workflow');
  }
  const result = { ...request, name: request.name || request.workflowDef?.name || '' };
  if (result.name === '' && reader.raw('name') === undefined) markAbsentText(result, 'name');
  return result;
}
