// Mocks of a test server: makes, lists and removes them. Other servers do not have these routes.
import {
  parseTaskMock,
  taskMockRequestSchema,
  testMockSchema,
  type TaskMockRequest,
} from '../model/parse-task-mock.js';
import { asJson, type Json } from '../model/json.js';
import { body, builtJson, endpoint, nothing, type Endpoint } from './endpoint.js';
import { administrators } from './execution-access.js';
import { list } from '../model/schema.js';

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
      reply: builtJson(testMockSchema),
      errors: ['bad-request', 'conflict'],
      handle: (request) => shown(mocks.add(parseTaskMock(request.jsonMap()))),
    }),
    endpoint({
      ...entry,
      method: 'GET',
      pattern: '/api/test/mocks',
      name: 'listTestMocks',
      summary: 'Lists the mocks with the number of attempts that each has given an outcome.',
      reply: builtJson(list(testMockSchema)),
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
