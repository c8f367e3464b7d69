// Secrets and environment variables (contract-admin 7, 8; semantics 3.6, 3.7): who may do what with
// them, what workers get, and that their values stand nowhere else, the store's files included.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { SecuredServer, type Answer, type Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

const canary = 'CANARY-3f9a51d2-whole';
let secured: SecuredServer;
let admin: Session;
let stub: http.Server;
let received: http.IncomingHttpHeaders[];
let folder: string;
let keyFile: string;
const key = (id: string, byte: number): string =>
  `${id}:${Buffer.alloc(32, byte).toString('base64')}`;

beforeAll(async () => {
  folder = createFolder();
  keyFile = path.join(folder, 'keys');
  writeFileSync(keyFile, `${key('first', 1)}\n`);
  received = [];
  stub = http.createServer((request, response) => {
    received.push(request.headers);
    const echo = JSON.stringify({ echo: request.headers['x-secret'] });
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(echo);
  });
  await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
  secured = await SecuredServer.start({
    args: ['--outbound-allow-inside=true', '--log-level=trace', `--secrets-key-file=${keyFile}`],
  });
  ({ admin } = secured);
});
afterAll(async () => {
  await secured?.stop();
  await new Promise((resolve) => stub.close(resolve));
  removeFolder(folder);
});

const task = (name: string, over: object): object => ({
  name,
  taskReferenceName: name,
  type: 'SIMPLE',
  ...over,
});

async function define(name: string, tasks: readonly object[], over: object = {}): Promise<void> {
  const def = { name, version: 1, schemaVersion: 2, ownerEmail: 'a@x.org', tasks, ...over };
  expect((await admin.put('/api/metadata/workflow', [def])).status).toBe(200);
}

async function start(by: Session, name: string, input: object = {}): Promise<string> {
  const started = await by.post('/api/workflow', { name, version: 1, input });
  expect(started.status).toBe(200);
  return started.text;
}

async function ended(id: string): Promise<Answer['body']> {
  return await until(`the end of ${id}`, async () => {
    const { body } = await admin.get(`/api/workflow/${id}`);
    return body.status === 'RUNNING' ? undefined : body;
  });
}

async function poll(taskType: string): Promise<Answer['body']> {
  return await until(`a task of ${taskType}`, async () => {
    const { status, body } = await admin.get(`/api/tasks/poll/${taskType}?workerid=w`);
    return status === 200 ? body : undefined;
  });
}

describe('the routes of secrets', () => {
  it('keep one value per name, raw or as a JSON string', async () => {
    expect((await admin.put('/api/secrets/raw', 'plain "text"')).text).toBe('');
    const read = await admin.get('/api/secrets/raw');
    expect([read.text, read.headers.get('content-type')]).toEqual([
      'plain "text"',
      'text/plain;charset=UTF-8',
    ]);
    await admin.put('/api/secrets/raw', JSON.stringify('quoted\n'));
    expect((await admin.get('/api/secrets/raw')).text).toBe('quoted\n');
    await admin.put('/api/secrets/raw', '{"a":1}');
    expect((await admin.get('/api/secrets/raw')).text).toBe('{"a":1}');
    expect((await admin.get('/api/secrets/raw/exists')).body).toBe(true);
    expect((await admin.get('/api/secrets/none/exists')).body).toBe(false);
    expect(await admin.status('GET', '/api/secrets/none')).toBe(404);
    expect(await admin.status('PUT', '/api/secrets/raw', '""')).toBe(400);
    expect(await admin.status('PUT', '/api/secrets/a.b', 'x')).toBe(400);
    expect(await admin.status('PUT', '/api/secrets/big', 'x'.repeat(65_537))).toBe(400);
    expect((await admin.post('/api/secrets')).body).toContain('raw');
    expect((await admin.get('/api/secrets/clearLocalCache')).status).toBe(200);
    expect((await admin.get('/api/secrets/clearRedisCache')).status).toBe(200);
    expect((await admin.delete('/api/secrets/raw')).status).toBe(200);
    expect((await admin.delete('/api/secrets/raw')).status).toBe(200);
    expect(await admin.status('GET', '/api/secrets/raw')).toBe(404);
  });

  it('ask for the rights on each secret', async () => {
    const owner = await secured.user('keeper@x.org', ['USER']);
    const other = await secured.user('curious@x.org', ['USER']);
    const none = await secured.user('nothing@x.org', []);
    expect(await none.status('PUT', '/api/secrets/mine', 'v')).toBe(403);
    expect(await owner.status('PUT', '/api/secrets/mine', 'value')).toBe(200);
    expect(await owner.status('GET', '/api/secrets/mine')).toBe(200);
    expect(await other.status('GET', '/api/secrets/mine')).toBe(403);
    expect(await other.status('PUT', '/api/secrets/mine', 'stolen')).toBe(403);
    expect(await other.status('DELETE', '/api/secrets/mine')).toBe(403);
    expect(await other.status('GET', '/api/secrets/mine/exists')).toBe(403);
    expect((await other.get('/api/secrets')).body).toEqual([]);
    await secured.grant(other, 'SECRET', 'mine', ['READ']);
    expect((await other.get('/api/secrets/mine')).text).toBe('value');
    expect((await other.get('/api/secrets')).body).toEqual(['mine']);
    expect((await other.get('/api/secrets?access=READ&access=UPDATE')).body).toEqual([]);
    expect((await owner.get('/api/secrets?access=READ,UPDATE')).body).toEqual(['mine']);
    const tag = { key: 'team', value: 'keys' };
    expect(await owner.status('PUT', '/api/secrets/mine/tags', [tag])).toBe(200);
    expect((await owner.get('/api/secrets/mine/tags')).body).toEqual([tag]);
    expect((await owner.get('/api/secrets-v2')).body).toEqual([{ name: 'mine', tags: [tag] }]);
    expect(await admin.status('GET', '/api/secrets/unknown/tags')).toBe(404);
    await owner.delete('/api/secrets/mine');
    await admin.put('/api/secrets/mine', 'another');
    expect(await owner.status('GET', '/api/secrets/mine')).toBe(403);
  });
});

describe('the value of a secret', () => {
  const inside = 'CANARY-8b1c77e0-inside';

  it('is handed out, and stands nowhere else', async () => {
    await admin.put('/api/secrets/canary', canary);
    await admin.put('/api/secrets/nested', JSON.stringify({ user: 'bob', password: inside }));
    const uri = `http://127.0.0.1:${(stub.address() as AddressInfo).port}/`;
    const http_request = {
      uri,
      method: 'GET',
      headers: { 'X-Secret': '${workflow.secrets.canary}' },
    };
    await define('planted', [
      task('planted_work', {
        inputParameters: {
          whole: '${workflow.secrets.canary}',
          part: 'as ${workflow.secrets.nested.password}.',
          passed: '${workflow.input.passed}',
        },
      }),
      task('call', { type: 'HTTP', inputParameters: { http_request } }),
    ]);
    const id = await start(admin, 'planted', { passed: '${workflow.secrets.canary}' });
    const polled = await poll('planted_work');
    expect(polled.inputData).toMatchObject({
      whole: canary,
      part: `as ${inside}.`,
    });
    await admin.post(`/api/tasks/${polled.taskId}/log`, `logged ${canary}`);
    await admin.post('/api/tasks', {
      workflowInstanceId: id,
      taskId: polled.taskId,
      status: 'COMPLETED',
      outputData: { told: `it is ${canary}`, [inside]: [inside] },
      logs: [{ log: `told ${inside}`, createdTime: 1 }],
    });
    const workflow = await ended(id);
    expect(workflow.status).toBe('COMPLETED');
    expect(received.at(-1)?.['x-secret']).toBe(canary);
    expect(workflow.tasks[0].outputData).toEqual({ told: 'it is ***', '***': ['***'] });
    expect(workflow.tasks[1].outputData.response.body).toEqual({ echo: '***' });

    // A failure whose reason tells it.
    const failedId = await start(admin, 'planted');
    const again = await poll('planted_work');
    await admin.post('/api/tasks', {
      workflowInstanceId: failedId,
      taskId: again.taskId,
      status: 'FAILED_WITH_TERMINAL_ERROR',
      reasonForIncompletion: `bad password ${canary}`,
    });
    expect((await ended(failedId)).reasonForIncompletion).toContain('bad password ***');

    const shown = await Promise.all(
      [
        `/api/workflow/${id}`,
        `/api/workflow/${failedId}`,
        `/api/tasks/${polled.taskId}`,
        `/api/tasks/${polled.taskId}/log`,
        '/api/workflow/search?size=100',
        '/api/workflow/search-v2?size=100',
        '/api/tasks/search?size=100',
        '/api/tasks/search-v2?size=100',
        '/api/metadata/workflow',
        '/api/secrets',
        '/api/secrets-v2',
        '/metrics',
      ].map((route) => admin.get(route)),
    );
    for (const answer of shown) {
      expect(answer.status).toBe(200);
      expect(answer.text).not.toMatch(/CANARY/);
    }
    const found = await admin.get(`/api/workflow/search?freeText=${canary}`);
    expect(found.body.totalHits).toBe(0);
    const refused = await admin.put('/api/secrets/canary.dot', canary);
    expect(refused.text).not.toContain(canary);
    expect(secured.server.output).not.toMatch(/CANARY/);
    expect(filesWith(secured.server.dataDir, 'CANARY')).toEqual([]);
    // The search would see it: a name that is there is found.
    expect(filesWith(secured.server.dataDir, 'planted_work').length).toBeGreaterThan(0);
  });

  it('stands in no other execution that a task reports to or ends', async () => {
    await admin.put('/api/secrets/handed_on', 'CANARY-4411-handed-on');
    const value = '${workflow.secrets.handed_on}';
    const waits = ['first', 'second'].map((name) => task(name, { type: 'WAIT' }));
    await define('handed_to', waits);
    const workflowId = await start(admin, 'handed_to');
    const report = { workflowId, taskRefName: 'first', taskStatus: 'COMPLETED' };
    const reporting = { ...report, taskOutput: { value } };
    const ending = { workflowId, terminationReason: `over ${value}` };
    await define('handing_on', [
      task('report', { type: 'UPDATE_TASK', inputParameters: reporting }),
      task('end', { type: 'TERMINATE_WORKFLOW', inputParameters: ending }),
    ]);
    expect((await ended(await start(admin, 'handing_on'))).status).toBe('COMPLETED');
    const target = await ended(workflowId);
    expect(target.tasks[0].outputData).toEqual({ value });
    expect(target.reasonForIncompletion).toBe(`over ${value}`);
    expect(filesWith(secured.server.dataDir, 'CANARY-4411')).toEqual([]);
  });

  it('stands not in the log of the server when a run fails in a way that nobody expects', async () => {
    await admin.put('/api/secrets/unexpected', 'CANARY-5512-unexpected');
    const address = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
    const mcpServer = `${address}/\${workflow.secrets.unexpected}`;
    await define('unexpected', [
      task('list', { type: 'LIST_MCP_TOOLS', inputParameters: { mcpServer } }),
    ]);
    const { reasonForIncompletion } = await ended(await start(admin, 'unexpected'));
    expect(reasonForIncompletion).toContain(`${address}/*** failed`);
    const logged = await until('a line of the log', () =>
      Promise.resolve(/.*127\.0\.0\.1:\d+\/\*\*\* failed.*/.exec(secured.server.output)?.[0]),
    );
    expect(logged).toContain('"stack":"Error: ');
    expect(secured.server.output).not.toContain('CANARY-5512');
  });

  it('is found out by nobody who writes into the log of a task of his own', async () => {
    await admin.put('/api/secrets/pin', JSON.stringify({ pin: 4711, word: 'payment' }));
    const user = await secured.user('guessing@x.org', ['USER']);
    const workflowDef = { name: 'guessing', tasks: [task('guess', {})] };
    const { text: id } = await user.post('/api/workflow', { name: 'guessing', workflowDef });
    const [{ taskId }] = (await user.get(`/api/workflow/${id}`)).body.tasks;
    const guesses = 'a payment, 4710 4711 4712';
    await user.post(`/api/tasks/${taskId}/log`, guesses);
    const log = 'reported: 4711';
    const status = 'IN_PROGRESS';
    await user.post('/api/tasks', { workflowInstanceId: id, taskId, status, logs: [{ log }] });
    const { body } = await user.get(`/api/tasks/${taskId}/log`);
    expect((body as { log: string }[]).map((entry) => entry.log)).toEqual([guesses, log]);
  });

  it('is attached to polls where the definition of the task asks for it', async () => {
    const value = 'CANARY-77d1c0aa-attached';
    await admin.put('/api/secrets/attached', value);
    await admin.put('/api/environment/region', 'north');
    const names = ['attached', 'region'];
    await admin.post('/api/metadata/taskdefs', [{ name: 'with_values', runtimeMetadata: names }]);
    await define('attaching', [task('with_values', {}), task('with_values', secondOf)]);
    const values = { attached: value, region: 'north' };

    const id = await start(admin, 'attaching');
    const first = await poll('with_values');
    expect(first.runtimeMetadata).toEqual(values);
    const report = { workflowInstanceId: id, taskId: first.taskId, status: 'COMPLETED' };
    const outputData = { leaked: `it is ${value}` };
    const next = await admin.post('/api/tasks/update-v2?workerid=w', { ...report, outputData });
    expect(next.body.runtimeMetadata).toEqual(values);
    const shown = (await admin.get(`/api/workflow/${id}`)).text;
    expect(shown).not.toContain('CANARY');
    expect(shown).not.toContain('"runtimeMetadata":{"attached"');
    expect((await admin.get(`/api/tasks/${first.taskId}`)).text).not.toContain('CANARY');
    expect(filesWith(secured.server.dataDir, value)).toEqual([]);

    const user = await secured.user('attacher@x.org', ['USER']);
    await secured.grant(user, 'WORKFLOW_DEF', 'attaching', ['READ', 'EXECUTE']);
    const refused = await ended(await start(user, 'attaching'));
    expect(refused.reasonForIncompletion).toContain('no READ access on attached');
    await admin.put('/api/metadata/taskdefs', {
      name: 'with_values',
      runtimeMetadata: ['nobody_knows'],
    });
    const unknown = await ended(await start(admin, 'attaching'));
    expect(unknown.reasonForIncompletion).toContain('names nobody_knows, which does not exist');
  });

  const secondOf = { taskReferenceName: 'second' };

  it('is missed by name', async () => {
    for (const [name, over] of [
      ['missing_work', { inputParameters: { v: 'a ${workflow.secrets.no_such} b' } }],
      ['missing_http', { type: 'HTTP', inputParameters: { http_request: requestWith('no_such') } }],
      ['missing_inline', { type: 'INLINE', inputParameters: inlineWith('no_such') }],
    ] as const) {
      await define(name, [task(name, over)]);
      const workflow = await ended(await start(admin, name));
      expect([workflow.status, workflow.reasonForIncompletion]).toEqual([
        'FAILED',
        expect.stringContaining('no_such'),
      ]);
    }
  });

  it('is not filled in where a stranger has sent the name', async () => {
    await admin.put('/api/secrets/wanted', canary);
    const stolen = '${workflow.secrets.wanted}';
    const send = { ...requestWith('none'), uri: stubUri(), headers: {}, body: '${workflow.input}' };
    const sends = task('send', { type: 'HTTP', inputParameters: { http_request: send } });
    await define('sends', [sends]);

    const headers = { 'x-key': 'k' };
    const hook = {
      ...{ name: 'open_hook', sourcePlatform: 'Custom', verifier: 'HEADER_BASED', headers },
      workflowsToStart: { sends: 1 },
    };
    const { id } = (await admin.post('/api/metadata/webhook', hook)).body;
    await fetch(`${secured.url}/webhook/${id}`, {
      ...{ method: 'POST', body: JSON.stringify({ text: stolen }) },
      headers: { ...headers, 'content-type': 'application/json' },
    });
    const [call] = await until('the call', async () => {
      const { body } = await admin.get(`/api/metadata/webhook/${id}`);
      const calls = body.webhookExecutionHistory;
      return calls.length > 0 ? calls : undefined;
    });
    expect([call.workflowIds, JSON.stringify(call.reasons)]).toEqual([
      [],
      expect.stringContaining('names the secret wanted'),
    ]);

    const takes = task('takes', { inputParameters: { v: '${reports.output.text}' } });
    await define('echoes', [task('reports', {}), takes]);
    const echoing = await start(admin, 'echoes');
    const { taskId } = await poll('reports');
    const report = { workflowInstanceId: echoing, taskId, status: 'COMPLETED' };
    await admin.post('/api/tasks', { ...report, outputData: { text: stolen } });
    const refused = await ended(echoing);
    expect(refused.reasonForIncompletion).toContain('names the secret wanted');
  });

  const stubUri = (): string => `http://127.0.0.1:${(stub.address() as AddressInfo).port}/`;
  const requestWith = (name: string): object => ({
    uri: 'http://127.0.0.1:1/',
    method: 'GET',
    headers: { Authorization: `Bearer \${workflow.secrets.${name}}` },
  });
  const inlineWith = (name: string): object => ({
    evaluatorType: 'javascript',
    expression: '1',
    x: `\${workflow.secrets.${name}}`,
  });

  it('is for executions whose starter may read it', async () => {
    await admin.put('/api/secrets/locked', canary);
    await define('locked_flow', [
      task('locked_work', { inputParameters: { v: '${workflow.secrets.locked}' } }),
    ]);
    const user = await secured.user('starter@x.org', ['USER']);
    await secured.grant(user, 'WORKFLOW_DEF', 'locked_flow', ['READ', 'EXECUTE']);
    const refused = await ended(await start(user, 'locked_flow'));
    expect(refused.status).toBe('FAILED');
    expect(refused.reasonForIncompletion).toContain('starter@x.org has no READ access');
    // Neither may the input bring its name.
    await define('open_flow', [
      task('open_work', { inputParameters: { v: '${workflow.input.v}' } }),
    ]);
    await secured.grant(user, 'WORKFLOW_DEF', 'open_flow', ['READ', 'EXECUTE']);
    const smuggled = await ended(
      await start(user, 'open_flow', { v: '${workflow.secrets.locked}' }),
    );
    expect(smuggled.status).toBe('FAILED');
    await secured.grant(user, 'SECRET_NAME', 'locked', ['READ']);
    await start(user, 'locked_flow');
    expect((await poll('locked_work')).inputData.v).toBe(canary);
  });
});

describe('the key that seals secrets', () => {
  it('seals those of webhooks and brokers, which stand in no file', async () => {
    const hook = {
      ...{ name: 'h', sourcePlatform: 'Custom', secretValue: `${canary}-1`, headerKey: 'X-Sig' },
      ...{ verifier: 'SIGNATURE_BASED', workflowsToStart: { any: 1 } },
    };
    const outgoing = {
      ...{ name: 'sealed_out', url: 'http://127.0.0.1:1/', events: ['WORKFLOW_STARTED'] },
      ...{ secretValue: `${canary}-2-long-enough`, headers: { 'X-Proof': `${canary}-3` } },
    };
    const broker = {
      ...{ type: 'kafka', category: 'MESSAGE_BROKER', enabled: true, description: 'd' },
      configuration: { endpoint: 'sealed_broker:9092', user: 'u', password: `${canary}-4` },
    };
    for (const [path, body] of [
      ['/api/metadata/webhook', hook],
      ['/api/metadata/outgoing-webhook', outgoing],
      ['/api/integrations/provider/sealed', broker],
    ] as const) {
      const { status, text } = await admin.post(path, body);
      expect([path, status, text]).toEqual([path, 200, expect.any(String)]);
    }
    const { dataDir } = secured.server;
    await until('what is no secret of them', () =>
      ['sealed_out', 'sealed_broker'].every((name) => filesWith(dataDir, name).length > 0),
    );
    expect(filesWith(dataDir, 'CANARY')).toEqual([]);
    expect(filesWith(dataDir, 's1.first.').length).toBeGreaterThan(0);
  });

  it('can be replaced while the server runs', async () => {
    await admin.put('/api/secrets/rotated', 'lasting value');
    const sealedWith = (id: string): boolean =>
      filesWith(secured.server.dataDir, `s1.${id}.`).length > 0;
    expect(sealedWith('first')).toBe(true);
    expect(sealedWith('second')).toBe(false);
    writeFileSync(keyFile, `${key('second', 2)}\n${key('first', 1)}\n`);
    await secured.server.kill('SIGTERM');
    await secured.server.restart();
    await until('the secret sealed anew', () => sealedWith('second'));
    writeFileSync(keyFile, `${key('second', 2)}\n`);
    await secured.server.kill('SIGTERM');
    await secured.server.restart();
    expect((await admin.get('/api/secrets/rotated')).text).toBe('lasting value');
    // What else was sealed with the old key can be opened too: the list shows masks of it.
    const { status, text } = await admin.get('/api/integrations/provider/sealed');
    expect([status, text]).toEqual([200, expect.stringContaining('***')]);
    expect(await admin.status('GET', '/api/metadata/webhook')).toBe(200);
  });
});

describe('masked fields', () => {
  it('are shown to workers only', async () => {
    await define(
      'masking',
      [
        task('masked_work', {
          inputParameters: {
            _secrets: { token: 'T0KEN' },
            pin: '${workflow.input.pin}',
            open: 1,
          },
        }),
      ],
      { maskedFields: ['pin'] },
    );
    const id = await start(admin, 'masking', { pin: '1234', deep: { _masked: { a: ['x'] } } });
    const polled = await poll('masked_work');
    expect(polled.inputData).toEqual({ _secrets: { token: 'T0KEN' }, pin: '1234', open: 1 });
    const { body } = await admin.get(`/api/workflow/${id}`);
    expect(body.input).toEqual({ pin: '***', deep: { _masked: { a: ['***'] } } });
    expect(body.tasks[0].inputData).toEqual({ _secrets: { token: '***' }, pin: '***', open: 1 });
    expect((await admin.get(`/api/tasks/${polled.taskId}`)).body.inputData.pin).toBe('***');
    const searched = await admin.get(`/api/workflow/search?query=workflowId=${id}`);
    expect(searched.body.results).toHaveLength(1);
    expect(searched.text).not.toContain('1234');
  });
});

describe('environment variables', () => {
  it('are kept, tagged and read in expressions', async () => {
    await admin.put('/api/environment/region', 'north');
    await admin.put('/api/environment/limits', JSON.stringify('{"daily": 5}'));
    expect((await admin.get('/api/environment/region')).text).toBe('north');
    const tag = { key: 'kind', value: 'place' };
    await admin.put('/api/environment/region/tags', [tag]);
    expect((await admin.get('/api/environment')).body).toEqual([
      { name: 'limits', value: '{"daily": 5}', tags: [] },
      { name: 'region', value: 'north', tags: [tag] },
    ]);
    await admin.put('/api/environment/not_there/tags', [tag]);
    expect((await admin.get('/api/environment/not_there/tags')).body).toEqual([tag]);
    await define('env_flow', [
      task('set', {
        type: 'SET_VARIABLE',
        inputParameters: {
          whole: '${workflow.env.region}',
          field: '${workflow.env.limits.daily}',
          dollar: '${workflow.env.limits.$.daily}',
          object: '${workflow.env.limits.$}',
          unknown: '${workflow.env.none}',
        },
      }),
    ]);
    expect((await ended(await start(admin, 'env_flow'))).variables).toEqual({
      whole: 'north',
      field: 5,
      dollar: 5,
      object: { daily: 5 },
      unknown: null,
    });
    expect((await admin.delete('/api/environment/region')).text).toBe('north');
    expect(await admin.status('GET', '/api/environment/region')).toBe(404);
    expect(await admin.status('DELETE', '/api/environment/region')).toBe(404);
  });

  it('are written by administrators and metadata managers', async () => {
    const manager = await secured.user('meta@x.org', ['METADATA_MANAGER']);
    const user = await secured.user('plain@x.org', ['USER']);
    expect(await user.status('PUT', '/api/environment/a', 'x')).toBe(403);
    expect(await manager.status('PUT', '/api/environment/a', 'x')).toBe(200);
    expect(await user.status('GET', '/api/environment/a')).toBe(403);
    expect((await user.get('/api/environment')).body).toEqual([]);
  });
});

/** Files below a folder that hold the text. */
function filesWith(root: string, text: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(root, name))
    .filter((name) => statSync(name, { throwIfNoEntry: false })?.isFile() === true)
    .filter((name) => readFileSync(name).includes(text));
}
