// Mocks of a test server: makes, lists and removes them. Other servers do not have these routes.
import {
  mockStatuses,
  parseTaskMock,
  type MockSelector,
  type TaskMockRequest,
} from '../model/parse-task-mock.js';
import { asJson, type Json } from '../model/json.js';
import { body, builtJson, endpoint, nothing, type Endpoint } from './endpoint.js';
import { administrators } from './execution-access.js';
import * as schema from '../model/schema.js';

export interface KeptMocks {
  add(request: TaskMockRequest): ShownMock;
  all(): readonly ShownMock[];
  /** Throws AppError 'not-found'. */
  remove(id: string): void;
  removeAll(): void;
}

interface ShownMock extends TaskMockRequest {
  readonly id: string;
  readonly uses: number;
}

const outcome = {
  status: schema.oneOf(mockStatuses, 'How the attempt ends; IN_PROGRESS: it stays open'),
  output: schema.anyObject,
  reasonForIncompletion: schema.text(),
  delayMs: schema.integer('Milliseconds between its start and its end', { minimum: 0 }),
};

const selector: Record<keyof MockSelector, schema.Schema> = {
  workflowName: schema.text('Executions of this definition'),
  workflowVersion: schema.integer('Of this version'),
  workflowId: schema.text('This execution'),
  correlationId: schema.text('Executions with this correlation id, and their sub-workflows'),
  taskReferenceName: schema.text('Tasks with this reference name'),
  taskName: schema.text('Tasks of this name'),
  taskType: schema.text('Tasks of this type'),
};

const attempts = schema.list(
  schema.object('TestMockOutcome', outcome),
  'Outcome of the first attempt, the second, and so on; the last one repeats',
);

const mockSchema = schema.object(
  'TestMock',
  {
    id: schema.text(),
    ...selector,
    attempts,
    uses: schema.integer('Attempts that it has given an outcome'),
  },
  ['id', 'attempts', 'uses'],
);

export function testMockRoutes(mocks: KeptMocks): Endpoint[] {
  const entry = { access: administrators } as const;
  return [
    endpoint({
      ...entry,
      method: 'POST',
      pattern: '/api/test/mocks',
      name: 'addTestMock',
      summary: 'Lets outcomes of the test stand in for tasks that are scheduled from now on.',
      body: body(schema.object('TestMockRequest', { ...selector, attempts, ...outcome })),
      reply: builtJson(mockSchema),
      errors: ['bad-request', 'conflict'],
      handle: (request) => shown(mocks.add(parseTaskMock(request.jsonMap()))),
    }),
    endpoint({
      ...entry,
      method: 'GET',
      pattern: '/api/test/mocks',
      name: 'listTestMocks',
      summary: 'Lists the mocks with the number of attempts that each has given an outcome.',
      reply: builtJson(schema.list(mockSchema)),
      handle: () => mocks.all().map(shown),
    }),
    endpoint({
      ...entry,
      method: 'DELETE',
      pattern: '/api/test/mocks',
      name: 'removeTestMocks',
      summary: 'Removes all mocks.',
      reply: nothing,
      handle: () => mocks.removeAll(),
    }),
    endpoint({
      ...entry,
      method: 'DELETE',
      pattern: '/api/test/mocks/:id',
      name: 'removeTestMock',
      summary: 'Removes one mock.',
      reply: nothing,
      errors: ['not-found'],
      handle: (request) => mocks.remove(request.param('id')),
    }),
  ];
}

function shown(mock: ShownMock): Json {
  return asJson({ ...mock, attempts: mock.attempts.map((each) => ({ ...each })) });
}
