// Values that are nested too deeply (invariants S10): wherever one is made, the execution that
// makes it ends with a reason, a request that brings it is refused, and nobody else notices.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import type { JsonObject, WireWorkflow } from '../../testkit/wire.js';

let server: RunningServer;
let api: ApiClient;
beforeAll(async () => {
  // A busy machine may take long for a script.
  server = await startServer({ args: ['--script-time-ms-max=30000'] });
  api = new ApiClient(server.url, { requestTimeoutMs: 50_000 });
});
afterAll(async () => {
  await api.close();
  await server.stop();
});

const levels = 10_000;
const deepText = (many = levels): string => '['.repeat(many) + ']'.repeat(many);
const deepScript = `var v = 1; for (var i = 0; i < ${levels}; i++) v = [v]; v`;
const smallScript = `var v = 1; for (var i = 0; i < 700; i++) v = [v]; v`;

function task(ref: string, type: string, more: JsonObject): JsonObject {
  return { name: ref, taskReferenceName: ref, type, ...more };
}

async function define(name: string, tasks: JsonObject[], more: JsonObject = {}): Promise<void> {
  await api.registerWorkflows({ name, version: 1, ownerEmail: 'a@x.org', tasks, ...more } as never);
}

const inline = (expression: string, ref = 'deep'): JsonObject =>
  task(ref, 'INLINE', { inputParameters: { evaluatorType: 'javascript', expression } });

const jq = (queryExpression: string): JsonObject =>
  task('deep', 'JSON_JQ_TRANSFORM', { inputParameters: { queryExpression } });

/** Doubles the depth with every turn: no single task nests much. */
const nesting: readonly JsonObject[] = [
  task('loop', 'DO_WHILE', {
    loopCondition: '$.loop.iteration < 700',
    inputParameters: { keepLastN: 2 },
    loopOver: [
      task('wrap', 'SET_VARIABLE', {
        inputParameters: { v: { inside: '${workflow.variables.v}' } },
      }),
    ],
  }),
];

const makers: { readonly [maker: string]: readonly JsonObject[] } = {
  'a script': [inline(deepScript)],
  'a small script': [inline(smallScript)],
  'a script that parses': [inline('JSON.parse("[".repeat(3000) + "]".repeat(3000))')],
  'a jq program': [jq(`reduce range(${levels}) as $i (null; [.])`)],
  'a small jq program': [jq('reduce range(800) as $i (null; [.])')],
  'a jq program that parses': [jq(`("[" * ${levels}) + ("]" * ${levels}) | fromjson`)],
  'a variable that each turn of a loop wraps': nesting,
};

async function endOf(name: string): Promise<WireWorkflow> {
  return await api.untilEnd(await api.start({ name, version: 1 } as never), { timeoutMs: 50_000 });
}

/** Others start, work and are read as ever. */
async function othersWork(): Promise<void> {
  await define('others', [task('plain', 'INLINE', { inputParameters: { expression: '1' } })]);
  for (let n = 0; n < 20; n++) expect((await endOf('others')).status).toBe('COMPLETED');
}

describe('a value that is nested too deeply', () => {
  it.each(Object.entries(makers))(
    'of %s ends its execution with the reason',
    async (maker, tasks) => {
      const name = `deep_${maker.replaceAll(' ', '_')}`;
      await define(name, [...tasks]);
      const ended = await endOf(name);
      expect(ended.status).toBe('FAILED');
      const reasons = [
        ended.reasonForIncompletion,
        ...ended.tasks.map((t) => t.reasonForIncompletion),
      ];
      expect(reasons.join(' ')).toMatch(/nested deeper than 500 levels|memory/);
      await othersWork();
    },
  );

  it('in the input of a start is refused', async () => {
    await define('taker', [inline('1')]);
    for (const path of ['/api/workflow', '/api/workflow/taker']) {
      const body = path.endsWith('taker')
        ? `{"a":${deepText()}}`
        : `{"name":"taker","input":{"a":${deepText()}}}`;
      const answer = await send(path, body);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('nested deeper');
    }
    await othersWork();
  });

  it('in the output of a worker is refused', async () => {
    await define('worked', [task('deep_work', 'SIMPLE', {})]);
    const id = await api.start({ name: 'worked', version: 1 } as never);
    const [polled] = await api.poll('deep_work', { timeoutMs: 5000 });
    const body = `{"workflowInstanceId":"${id}","taskId":"${polled?.taskId}","status":"COMPLETED","outputData":{"a":${deepText()}}}`;
    const answer = await send('/api/tasks', body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('nested deeper');
    await othersWork();
  });

  it('in a call of a webhook is refused, and none is tried again', async () => {
    await define('hooked', [inline('1')]);
    await api.ask('POST', '/api/metadata/webhook', {
      ...{ id: 'deep', name: 'deep', sourcePlatform: 'Custom', verifier: 'HEADER_BASED' },
      ...{ headers: { 'x-key': 'k' }, workflowsToStart: { hooked: 1 } },
    });
    const answer = await send('/webhook/deep', `{"a":${deepText()}}`, { 'x-key': 'k' });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('nested deeper');
    await othersWork();
    expect(server.output).not.toContain('RangeError');
  });
});

async function send(
  path: string,
  body: string,
  headers: { [name: string]: string } = {},
): Promise<{ status: number; text: string }> {
  const response = await fetch(server.url + path, {
    ...{ method: 'POST', body },
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: response.status, text: await response.text() };
}
