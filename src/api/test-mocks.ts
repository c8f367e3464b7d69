// Mocks of a test server: makes, lists and removes them. Other servers do not have these routes.
import {
  parseTaskMock,
  taskMockRequestSchema,
  testMockSchema,
  type TaskMockRequest,
  type TestMock,
} from '../model/parse-task-mock.js';
import { body, endpoint, nothing, type Endpoint } from './endpoint.js';
import { administrators } from './execution-access.js';
import { list } from '../model/schema.js';

export interface KeptMocks {
  add(request: TaskMockRequest): TestMock;
  all(): readonly TestMock[];
  /** Throws AppError 'not-found'. */
  remove(id: string): void;
  removeAll(): void;
}

export function testMockRoutes(mocks: KeptMocks): Endpoint[] {
  const entry = { access: administrators } as const;
  return [
    endpoint({
      ...entry,
      method: 'POST',
      pattern: '/api/test/mocks',
      name: 'addTestMock',
      summary: 'Lets outcomes of the test stand in for tasks that are scheduled from now on.',
      body: body(taskMockRequestSchema),
      reply: testMockSchema,
      errors: ['bad-request', 'conflict'],
      handle: (request) => mocks.add(parseTaskMock(request.jsonMap())),
    }),
    endpoint({
      ...entry,
      method: 'GET',
      pattern: '/api/test/mocks',
      name: 'listTestMocks',
      summary: 'Lists the mocks with the number of attempts that each has given an outcome.',
      reply: list(testMockSchema),
      handle: () => mocks.all(),
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
