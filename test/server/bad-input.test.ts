// Random requests at every route of a started server: whatever comes in, the answer comes at once,
// is no 5xx and has the form that its status promises, and the server is healthy and works
// afterwards. The seed of a failure is printed by the test runner.
import fc from 'fast-check';
import { Agent, request as send } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allRoutes, type RouteParts } from '../../src/api/routes.js';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer, type RunningServer } from '../../testkit/server.js';

/** The number of requests follows from these. */
const budgetMs = 8_000;
const definitionBudgetMs = 6_000;
/** A poll may wait 5 s, a call that waits for an execution is given 1 s. */
const answerMs = 9_000;
const requestsAtOnce = 64;

let server: RunningServer;
let api: ApiClient;
let agent: Agent;
/** Ids that exist. */
let known: string[] = [];

beforeAll(async () => {
  server = await startServer();
  api = new ApiClient(server.url);
  agent = new Agent({ connections: requestsAtOnce, headersTimeout: answerMs });
  await api.registerTasks({ name: 'work', retryCount: 1, retryDelaySeconds: 0 });
  await api.registerWorkflows(
    { name: 'one', tasks: [{ name: 'work', taskReferenceName: 'a' }] },
    { name: 'waits', tasks: [{ name: 'w', taskReferenceName: 'w', type: 'WAIT' }] },
    {
      name: 'above',
      tasks: [
        {
          name: 's',
          taskReferenceName: 's',
          type: 'SUB_WORKFLOW',
          subWorkflowParam: { name: 'one', version: 1 },
        },
      ],
    },
  );
  for (const name of ['one', 'waits', 'above', 'one']) {
    const id = await api.start({ name, version: 1, input: { x: 1 } });
    known.push(id, ...(await api.workflow(id)).tasks.map((task) => task.taskId));
  }
  known = [...known, 'one', 'work', 'a', 'w', 's', 'COMPLETED', '1'];
});

afterAll(async () => {
  await agent.destroy();
  await api.close();
  await server.stop();
});

const routes = allRoutes({ metadata: {}, state: {} } as unknown as RouteParts);

/** Names of fields, so that random bodies get past the first check. */
const fields = [
  'name', 'version', 'tasks', 'taskReferenceName', 'type', 'inputParameters', 'workflowDef', 'input', 'priority',
  'correlationId', 'taskToDomain', 'idempotencyKey', 'idempotencyStrategy', 'workflowInstanceId', 'taskId', 'status',
  'outputData', 'logs', 'log', 'extendLease', 'callbackAfterSeconds', 'reasonForIncompletion', 'retryCount', 'retryLogic',
  'timeoutSeconds', 'responseTimeoutSeconds', 'decisionCases', 'defaultCase', 'forkTasks', 'joinOn', 'loopOver',
  'loopCondition', 'items', 'evaluatorType', 'expression', 'subWorkflowParam', 'workflowDefinition', 'inputTemplate',
  'outputParameters', 'variables', 'reRunFromTaskId', 'taskInput', 'taskOutput', 'workflowInput', 'taskReferenceName',
  'taskResult', 'correlationIds', 'workflowNames', 'taskRefToMockOutput', 'subWorkflowTestRequest', 'executionMetadata',
  'keyId', 'keySecret', 'dynamicTaskNameParam', 'dynamicForkTasksParam', 'dynamicForkTasksInputParamName', 'schemaVersion',
  'constructor', 'toString', 'valueOf', 'toJSON', '', '__N',
]; // prettier-ignore

const words = [
  'SIMPLE', 'SWITCH', 'FORK_JOIN', 'FORK_JOIN_DYNAMIC', 'JOIN', 'DO_WHILE', 'SUB_WORKFLOW', 'INLINE', 'WAIT', 'TERMINATE',
  'SET_VARIABLE', 'HTTP', 'JSON_JQ_TRANSFORM', 'DYNAMIC', 'EVENT', 'HUMAN', 'COMPLETED', 'FAILED', 'IN_PROGRESS',
  'RETURN_EXISTING', 'FAIL', 'javascript', 'value-param', '$.x', '${workflow.input.x}', '${', '$${a}', '1 seconds', '',
  '(((', '\u0000', '\ud800', '💥', 'true', '-1', '1e400', 'a'.repeat(3000),
]; // prettier-ignore

const scalar: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1, 1, 0.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308),
  fc.constantFrom(...words),
  fc.constantFrom(...words).map((word) => `${word}!`),
  fc.nat({ max: 20 }).map((n) => known[n % known.length]),
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...fields), tie('value'), { maxKeys: 6 }),
  ),
}));

const caseKeys = fc.constantFrom('a', 'null', 'true', '1');
const named = {
  name: fc.constantFrom('work', 't', 'one'),
  taskReferenceName: fc.constant('r'),
  optional: fc.boolean(),
  permissive: fc.boolean(),
  retryCount: fc.constantFrom(0, 1, -1),
};
const parameters = fc.dictionary(
  fc.constantFrom('x', 'n', 'items', '_items', 'keepLastN', 'asyncComplete', 'duration', 'joinOn'),
  fc.oneof(value, fc.constantFrom('${workflow.input}', '${workflow.input.x}', '${r0.output}', '${workflow.variables..x}')),
  { maxKeys: 3 },
); // prettier-ignore
const wordsFor = fc.constantFrom(
  '$.x',
  '.x',
  '1+',
  'while(true){break}',
  '[1,2][',
  '${workflow.input.x}',
);

const plainTask = fc.oneof(
  fc.record({ ...named, type: fc.constantFrom('SIMPLE', 'SIMPLE', 'HUMAN', 'NOOP', 'MINE'), inputParameters: parameters }),
  fc.record({ ...named, type: fc.constantFrom('SET_VARIABLE', 'WAIT', 'EVENT', 'START_WORKFLOW'), inputParameters: parameters, sink: fc.constant('conductor') }),
  fc.record({
    ...named,
    type: fc.constantFrom('INLINE', 'JSON_JQ_TRANSFORM', 'LAMBDA'),
    inputParameters: fc.record({ expression: wordsFor, queryExpression: wordsFor, scriptExpression: wordsFor, evaluatorType: fc.constantFrom('javascript', 'value-param'), x: value }),
  }),
  fc.record({
    ...named,
    optional: fc.constant(false),
    type: fc.constant('TERMINATE'),
    inputParameters: fc.record({ terminationStatus: fc.constantFrom('COMPLETED', 'FAILED'), workflowOutput: value, terminationReason: value }),
  }),
  fc.record({ ...named, type: fc.constant('DYNAMIC'), dynamicTaskNameParam: fc.constant('x'), inputParameters: parameters }),
  fc.record({ ...named, type: fc.constant('FORK_JOIN_DYNAMIC'), dynamicForkTasksParam: fc.constant('x'), dynamicForkTasksInputParamName: fc.constant('n'), inputParameters: parameters }),
); // prettier-ignore

/** Definitions that are nearly right, so that strange ones are also carried out. */
const { list } = fc.letrec<{ task: unknown; list: unknown[] }>((tie) => ({
  list: fc.array(tie('task'), { minLength: 1, maxLength: 2 }) as fc.Arbitrary<unknown[]>,
  task: fc.oneof(
    { maxDepth: 3 },
    plainTask,
    fc.record({
      ...named,
      type: fc.constant('SWITCH'),
      evaluatorType: fc.constantFrom('javascript', 'value-param', 'value-param', 'nothing'),
      expression: fc.constantFrom('x', '$.x', 'null.a', '$.x.y.z'),
      inputParameters: parameters,
      decisionCases: fc.dictionary(caseKeys, tie('list'), { minKeys: 1, maxKeys: 2 }),
      defaultCase: tie('list'),
    }),
    fc.record({
      ...named,
      type: fc.constant('DO_WHILE'),
      loopCondition: fc.constantFrom('false', '$.x', 'null.a', '$.n > 3', 'throw 1'),
      inputParameters: parameters,
      loopOver: tie('list'),
    }),
    fc.record({ ...named, type: fc.constant('FORK_JOIN'), forkTasks: fc.tuple(tie('list')) }),
    fc.record({
      ...named,
      type: fc.constant('SUB_WORKFLOW'),
      inputParameters: parameters,
      subWorkflowParam: fc.oneof(
        fc.constantFrom({ name: 'one' }, { name: 'none', version: 1 }, { name: '${workflow.input.x}', version: 0 }),
        tie('list').map((tasks) => ({ name: 'c', workflowDefinition: { name: 'c', tasks: renamed(tasks) } })),
      ),
    }),
  ),
})); // prettier-ignore

/** Every configuration gets a reference of its own; a FORK gets its JOIN. */
function renamed(tasks: unknown[], counter = { n: 0 }): unknown[] {
  const isTask = (each: unknown): each is { type: string } =>
    typeof each === 'object' && each !== null && 'taskReferenceName' in each;
  return tasks.flatMap((each) => {
    if (!isTask(each)) return [each];
    const taskReferenceName = `r${counter.n++}`;
    const nested = Object.entries(each).map(([name, of]) => {
      if (name === 'decisionCases') {
        const cases = Object.entries(of as unknown as { [key: string]: unknown[] });
        return [name, Object.fromEntries(cases.map(([key, one]) => [key, renamed(one, counter)]))];
      }
      if (name === 'forkTasks') {
        return [name, (of as unknown as unknown[][]).map((one) => renamed(one, counter))];
      }
      return [name, Array.isArray(of) ? renamed(of as unknown[], counter) : of];
    });
    const one = { ...Object.fromEntries(nested), taskReferenceName } as { forkTasks?: unknown[][] };
    if (each.type !== 'FORK_JOIN') return [one];
    const joinOn = (one.forkTasks ?? []).map(
      (branch) => (branch.at(-1) as { taskReferenceName: string }).taskReferenceName,
    );
    const join = { name: 'j', taskReferenceName: `r${counter.n++}`, type: 'JOIN', joinOn };
    return [one, join];
  });
}

const start = fc.record({
  name: fc.constantFrom('one', 'waits', 'fuzz'),
  input: fc.dictionary(fc.constantFrom('x', 'n'), value, { maxKeys: 2 }),
  workflowDef: fc.record({
    name: fc.constant('fuzz'),
    tasks: list.map((tasks) => renamed(tasks)),
    outputParameters: fc.dictionary(fc.constantFrom('o'), value, { maxKeys: 1 }),
    timeoutSeconds: fc.constantFrom(0, 0, 1, -1),
  }),
  taskRefToMockOutput: fc.dictionary(
    fc.constantFrom('r0', 'r1', 'r2'),
    fc.array(fc.record({ status: fc.constantFrom('COMPLETED', 'FAILED'), output: parameters })),
    { maxKeys: 3 },
  ),
});

const body: fc.Arbitrary<string | undefined> = fc.oneof(
  { weight: 6, arbitrary: value.map((each) => JSON.stringify(each)) },
  { weight: 3, arbitrary: fc.array(value, { maxLength: 2 }).map((each) => JSON.stringify(each)) },
  { weight: 4, arbitrary: start.map((each) => JSON.stringify(each)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      undefined, '', 'null', '{', '[[[[', '"', '{"a":1}{"b":2}', '\u0000', '{"__proto__":1}', '{"a":1,"a":2}', '123', 'plain',
      '['.repeat(200), '{"a":'.repeat(100), `[${'1,'.repeat(5000)}1]`,
    ),
  },
); // prettier-ignore

const segment = fc.oneof(
  fc.nat({ max: 60 }).map((n) => known[n % known.length] as string),
  fc.constantFrom(...words.filter((word) => word !== '' && word !== '\ud800')),
);

const query = fc.dictionary(
  fc.constantFrom(
    'version', 'priority', 'count', 'start', 'size', 'sort', 'freeText', 'query', 'status', 'taskType', 'overwrite',
    'includeTasks', 'reason', 'domain', 'workerid', 'returnStrategy', 'waitUntilTaskRef', 'startTime', 'endTime', 'path',
    'operation', 'payloadType', 'archiveWorkflow', 'resumeSubworkflowTasks', 'requestId', 'classifier', 'topLevelOnly',
  ),
  fc.oneof(segment, fc.constantFrom('', '0', '1', '-1', '5', 'abc', '((', "status = 'RUNNING'", 'startTime > 0 AND', 'a:DESC|b')),
  { maxKeys: 4 },
); // prettier-ignore

interface Shot {
  route: number;
  segments: string[];
  query: { [name: string]: string };
  body: string | undefined;
  type: string;
}

const shot: fc.Arbitrary<Shot> = fc.record({
  route: fc.nat({ max: routes.length - 1 }),
  segments: fc.array(segment, { minLength: 4, maxLength: 4 }),
  query,
  body,
  type: fc.constantFrom('application/json', 'text/plain', 'application/json; charset=utf-8', 'x'),
});

/** Calls that wait for something do so shortly. */
const shortWait = { waitForSeconds: '1', timeoutMillis: '200', timeout: '50' };

function pathOf({ route, segments, query: asked }: Shot): string {
  let next = 0;
  const pattern = (routes[route] as { pattern: string }).pattern;
  const path = pattern.replace(/:\w+/g, () =>
    encodeURIComponent(segments[next++ % segments.length] as string),
  );
  const parameters = Object.entries({ ...asked, ...shortWait });
  const texts = parameters.map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
  return `${path}?${texts.join('&')}`;
}

interface Fired {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body: string | undefined;
}

/** What is wrong with the answer; undefined when nothing is. */
async function troubleOf(shot: Shot): Promise<string | undefined> {
  const { method } = routes[shot.route] as Pick<Fired, 'method'>;
  const sent = method === 'GET' ? undefined : shot.body;
  return (await fireAt({ method, path: pathOf(shot), body: sent }, shot.type)).trouble;
}

async function fireAt(
  { method, path, body: sent }: Fired,
  contentType: string,
): Promise<{ status: number; trouble?: string }> {
  const response = await send(server.url + path, {
    method,
    dispatcher: agent,
    headers: {
      ...(sent === undefined ? {} : { 'content-type': contentType }),
      waitforseconds: '1',
    },
    body: sent ?? null,
  });
  const text = await response.body.text();
  const type = String(response.headers['content-type'] ?? '');
  const what = `${method} ${path.slice(0, 300)} ${String(sent).slice(0, 1000)} answered ${response.statusCode} ${type}: ${text.slice(0, 500)}`;
  const status = response.statusCode;
  if (status >= 500) return { status, trouble: what };
  if (text === '' ? type !== '' && status < 400 : type === '') return { status, trouble: what };
  if (type === 'application/json') {
    const json = JSON.parse(text) as { status?: number };
    if (status >= 400 && json.status !== status) return { status, trouble: what };
  }
  return { status };
}

/** Requests that are answered well, by path. */
async function answered(method: 'POST' | 'GET', path: string, body?: unknown): Promise<number> {
  const route = { method, path, body: body === undefined ? undefined : JSON.stringify(body) };
  const response = await fireAt(route, 'application/json');
  expect(response.trouble).toBeUndefined();
  return response.status;
}

describe('random requests', () => {
  it('never bring forth a 5xx, a hang or a form that nobody expects', async () => {
    const shots = fc.array(shot, { minLength: requestsAtOnce, maxLength: requestsAtOnce });
    await fc.assert(
      fc.asyncProperty(shots, async (fired) => {
        const troubles = await Promise.all(fired.map(troubleOf));
        expect(troubles.filter((each) => each !== undefined)).toEqual([]);
      }),
      { numRuns: 1_000, interruptAfterTimeLimit: budgetMs, endOnFailure: true },
    );
    await expectToWork();
  });

  it('start, test and validate every definition, or it is said what is wrong with it', async () => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.array(start, { minLength: 8, maxLength: 8 }), async (starts) => {
        await Promise.all(
          starts.map(async (each) => {
            seen.add(await answered('POST', '/api/workflow', each));
            await answered('POST', '/api/workflow/test', each);
            await answered('POST', '/api/metadata/workflow/validate', each.workflowDef);
          }),
        );
      }),
      { numRuns: 1_000, interruptAfterTimeLimit: definitionBudgetMs, endOnFailure: true },
    );
    expect([...seen].sort()).toEqual([200, 400]);
    await answered('GET', '/api/workflow/search-v2?size=500');
    await expectToWork();
  });
});

/** The server is healthy and carries an execution through. */
async function expectToWork(): Promise<void> {
  expect((await api.ask('GET', '/health')).body).toMatchObject({ healthy: true });
  const id = await api.start({ name: 'waits', version: 1, input: {} });
  const wait = await api.untilTask(id, 'w', 'IN_PROGRESS');
  await api.update({ workflowInstanceId: id, taskId: wait.taskId, status: 'COMPLETED' });
  expect((await api.untilEnd(id)).status).toBe('COMPLETED');
}
