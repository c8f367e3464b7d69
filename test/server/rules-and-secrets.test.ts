// BUSINESS_RULE, QUERY_PROCESSOR, GET_SIGNED_JWT and UPDATE_SECRET on a server with authentication
// on (semantics 4.23): what they give, what they refuse, and with whose rights they act.
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecuredServer, type Session } from '../../testkit/secured-server.js';
import { spreadsheet } from '../../plugins/rules/test/spreadsheet.js';

let secured: SecuredServer;
let admin: Session;
/** May start every workflow of this file and has no other right. */
let starter: Session;
let stub: http.Server;
let base: string;
/** Paths and queries that were asked for. */
const asked: string[] = [];

const rules = [
  'kind,price,discount,tags',
  'phone,!= 100,11%,"createList({""a"",""b""})"',
  'phone,< 100,13%,x',
  'Any,> 1000,20%,y',
].join('\n');
const files: Readonly<Record<string, string | Buffer>> = {
  '/rules.csv': rules,
  '/rules.xlsx': spreadsheet(rules.split('\n').map((row) => row.split(',').slice(0, 3))),
  '/other.txt': rules,
  '/rules.csv?poisoned': rules,
};

beforeAll(async () => {
  stub = http.createServer((request, response) => {
    asked.push(String(request.url));
    const file = files[String(request.url)];
    if (file !== undefined) return response.end(file);
    if (!request.url?.startsWith('/api/v1/query_range')) return response.writeHead(404).end();
    const answer = { status: 'success', data: { resultType: 'matrix', result: [] } };
    return response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
  secured = await SecuredServer.start({
    args: ['--outbound-allow-inside=true', `--metrics-server-url=${base}/`],
  });
  ({ admin } = secured);
  starter = await secured.application('starter');
  await secured.grant(starter, 'WORKFLOW_DEF', '*', ['EXECUTE']);
});
afterAll(async () => {
  await secured?.stop();
  await new Promise((resolve) => stub.close(resolve));
});

interface Run {
  readonly workflowId: string;
  readonly status: string;
  readonly reason: string | undefined;
  readonly output: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

let names = 0;

/** Runs one task of the type to its end. */
async function run(
  type: string,
  inputParameters: object,
  by: Session = admin,
  input: object = {},
): Promise<Run> {
  const name = `${type.toLowerCase()}_${++names}`;
  const task = { name, taskReferenceName: 'one', type, inputParameters };
  const def = { name, version: 1, ownerEmail: 'a@x.org', tasks: [task] };
  expect((await admin.put('/api/metadata/workflow', [def])).status).toBe(200);
  const started = await by.post(`/api/workflow/execute/${name}/1`, { name, version: 1, input });
  const { workflowId } = started.body;
  const execution = (await admin.get(`/api/workflow/${workflowId}`)).body;
  const [{ status, reasonForIncompletion: reason, outputData: output }] = execution.tasks;
  return { workflowId, status, reason, output };
}

describe('BUSINESS_RULE', () => {
  const asking = (file: string, more: object = {}): object => ({
    ruleFileLocation: base + file,
    executionStrategy: 'FIRE_ALL',
    inputColumns: { kind: 'phone', price: '5', unknown: 1 },
    outputColumns: ['discount', 'tags'],
    ...more,
  });

  it('lets later rules overwrite earlier ones, and shows all that fired', async () => {
    const { status, output } = await run('BUSINESS_RULE', asking('/rules.csv'));
    expect(status).toBe('COMPLETED');
    expect(output).toEqual({
      result: { discount: '13%', tags: 'x' },
      matchedRows: [
        { discount: '11%', tags: ['a', 'b'] },
        { discount: '13%', tags: 'x' },
      ],
    });
  });

  it('fires the first rule only where that is asked for', async () => {
    const first = await run(
      'BUSINESS_RULE',
      asking('/rules.csv', { executionStrategy: 'FIRE_FIRST' }),
    );
    expect(first.output.result).toEqual({ discount: '11%', tags: ['a', 'b'] });
    const none = asking('/rules.csv', { inputColumns: { kind: 'x', price: 1 } });
    expect((await run('BUSINESS_RULE', none)).output).toEqual({ result: {}, matchedRows: [] });
  });

  it('reads spreadsheets, and keeps a file for the time that is asked for', async () => {
    const before = asked.length;
    const kept = asking('/rules.xlsx', { outputColumns: ['discount'] });
    expect((await run('BUSINESS_RULE', kept)).output.result).toEqual({ discount: '13%' });
    await run('BUSINESS_RULE', kept);
    expect(asked.slice(before)).toEqual(['/rules.xlsx']);
    const fresh = asking('/rules.csv?fresh', { cacheTimeoutMinutes: 0 });
    await run('BUSINESS_RULE', fresh);
    await run('BUSINESS_RULE', fresh);
    expect(asked.slice(before + 1)).toEqual(['/rules.csv?fresh', '/rules.csv?fresh']);
  });

  it('gives nobody a file that is older than he asks for, whoever had it kept', async () => {
    const before = asked.length;
    const file = '/rules.csv?poisoned';
    await run('BUSINESS_RULE', asking(file, { cacheTimeoutMinutes: 1e9 }));
    await run('BUSINESS_RULE', asking(file));
    await run('BUSINESS_RULE', asking(file, { cacheTimeoutMinutes: 0 }));
    expect(asked.slice(before)).toEqual([file, file]);
  });

  it.each([
    ['a missing file', { ruleFileLocation: '/none.csv' }, /answered with status 404/],
    ['no rule file', { ruleFileLocation: '/other.txt' }, /content type says csv or xlsx/],
    ['no strategy', { executionStrategy: 'SOME' }, /FIRE_FIRST or FIRE_ALL/],
    ['no inputs', { inputColumns: 'x' }, /inputColumns must be a map/],
  ])('fails with %s', async (_what, more: object, why) => {
    const file = 'ruleFileLocation' in more ? String(more.ruleFileLocation) : '/rules.csv';
    const outcome = await run(
      'BUSINESS_RULE',
      asking(file, { ...more, ruleFileLocation: base + file }),
    );
    expect(outcome).toMatchObject({ status: 'FAILED', reason: expect.stringMatching(why) });
  });
});

describe('QUERY_PROCESSOR', () => {
  it('finds executions by name, status, time and text', async () => {
    const { workflowId } = await run('NOOP', {});
    const name = `noop_${names}`;
    const query = { queryType: 'CONDUCTOR_API', workflowNames: name, statuses: ['COMPLETED'] };
    const found = await run('QUERY_PROCESSOR', { ...query, startTimeFrom: 5, endTimeTo: '0' });
    expect(found.output.result).toMatchObject({
      ...{ totalHits: 1, count: 1, workflows: [{ workflowId, status: 'COMPLETED' }] },
      workflowsUrl: expect.stringContaining(`/executions?query=workflowType+IN`),
    });
    const none = await run('QUERY_PROCESSOR', { ...query, startTimeTo: 5 });
    expect(none.output.result).toMatchObject({ totalHits: 0, workflows: [] });
  });

  it('shows nothing that its starter may not read', async () => {
    const { output } = await run('QUERY_PROCESSOR', { queryType: 'CONDUCTOR_API' }, starter);
    const ids = output.result.workflows.map((each: { createdBy?: string }) => each.createdBy);
    expect(ids.every((id: string | undefined) => id === starter.subject)).toBe(true);
    const all = await run('QUERY_PROCESSOR', { queryType: 'CONDUCTOR_API' });
    expect(all.output.result.totalHits).toBeGreaterThan(output.result.totalHits);
  });

  it('asks the server of metrics', async () => {
    const before = asked.length;
    const { output } = await run('QUERY_PROCESSOR', {
      ...{ queryType: 'METRICS', metricsQuery: 'up{a="b"}', metricsStart: 1, metricsEnd: 0 },
      metricsStep: 10,
    });
    expect(output.result).toMatchObject({ status: 'success', data: { resultType: 'matrix' } });
    const { searchParams } = new URL(String(asked[before]), base);
    expect([searchParams.get('query'), searchParams.get('step')]).toEqual(['up{a="b"}', '10']);
    const length = Number(searchParams.get('end')) - Number(searchParams.get('start'));
    expect(length).toBeCloseTo(60);
  });

  it('fails without a kind of query', async () => {
    expect((await run('QUERY_PROCESSOR', {})).reason).toMatch(/CONDUCTOR_API or METRICS/);
  });
});

describe('GET_SIGNED_JWT', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const claims = {
    ...{ subject: 'me', issuer: 'us', audience: 'https://x.org/token', privateKeyId: 'k1' },
    ...{ ttlInSeconds: 60, scopes: ['a', 'b'], privateKey: '${workflow.secrets.jwt_key}' },
  };

  it('signs a token that others can check, and shows it to nobody', async () => {
    expect((await admin.put('/api/secrets/jwt_key', privateKey)).status).toBe(200);
    const task = { name: 'j', taskReferenceName: 'j', type: 'GET_SIGNED_JWT' };
    const use = { name: 'use_token', taskReferenceName: 'u', type: 'SIMPLE' };
    const def = {
      ...{ name: 'token_flow', version: 1, ownerEmail: 'a@x.org' },
      tasks: [
        { ...task, inputParameters: claims },
        { ...use, inputParameters: { _secrets: { token: '${j.output._secrets.token}' } } },
      ],
    };
    await admin.put('/api/metadata/workflow', [def]);
    const id = (await admin.post('/api/workflow', { name: 'token_flow', version: 1 })).text;
    const polled = await admin.get('/api/tasks/poll/batch/use_token?timeout=5000');
    const { token } = polled.body[0].inputData._secrets;
    const [header, body, signature] = token.split('.');
    const signed = Buffer.from(`${header}.${body}`);
    const key = createPublicKey(publicKey);
    expect(verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url'))).toBe(true);
    const read = (part: string): any => JSON.parse(Buffer.from(part, 'base64url').toString()); // eslint-disable-line @typescript-eslint/no-explicit-any
    expect(read(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
    const { iat, exp, ...rest } = read(body);
    expect(rest).toEqual({ iss: 'us', sub: 'me', aud: 'https://x.org/token', scope: 'a b' });
    expect(exp - iat).toBe(60);
    const shown = (await admin.get(`/api/workflow/${id}`)).text;
    expect(shown).not.toContain(token);
    expect(shown).not.toContain('PRIVATE KEY');
  });

  it.each([
    ['a missing input', { subject: null }, 'Missing input subject'],
    ['another algorithm', { algorithm: 'HS256' }, 'algorithm must be RS256'],
    ['no time', { ttlInSeconds: 0 }, 'ttlInSeconds must be a number from 1 to 316224000'],
    ['no end', { ttlInSeconds: 'Infinity' }, 'ttlInSeconds must be a number from 1 to 316224000'],
    ['no key', { privateKey: 'x' }, 'privateKey is no RSA key in PKCS#8 form'],
  ])('fails with %s', async (_what, more, reason) => {
    const outcome = await run('GET_SIGNED_JWT', { ...claims, ...more });
    expect(outcome).toMatchObject({ status: 'FAILED', reason });
  });
});

describe('UPDATE_SECRET', () => {
  const write = (secretKey: string, secretValue: unknown): object => ({
    _secrets: { secretKey, secretValue },
  });

  it('creates and replaces, and shows no value', async () => {
    for (const value of ['first value', 'second value']) {
      const task = write('written', '${workflow.input._secrets.given}');
      const input = { _secrets: { given: value } };
      const { status, workflowId } = await run('UPDATE_SECRET', task, admin, input);
      expect(status).toBe('COMPLETED');
      expect((await admin.get('/api/secrets/written')).text).toBe(value);
      expect((await admin.get(`/api/workflow/${workflowId}`)).text).not.toContain(value);
    }
  });

  it('fails for good when its starter may not write the secret', async () => {
    await admin.put('/api/secrets/guarded', 'untouched');
    const outcome = await run('UPDATE_SECRET', write('guarded', 'x'), starter);
    expect(outcome).toMatchObject({ status: 'FAILED_WITH_TERMINAL_ERROR' });
    expect((await admin.get('/api/secrets/guarded')).text).toBe('untouched');
    await secured.grant(starter, 'SECRET_NAME', 'guarded', ['UPDATE']);
    const written = await run('UPDATE_SECRET', write('guarded', 'x'), starter);
    expect(written.status).toBe('COMPLETED');
    const { body: entries, text } = await admin.get(
      '/api/admin/audit?object=guarded&action=putSecret&count=2',
    );
    expect(entries).toMatchObject([
      { action: 'putSecret', objects: ['guarded', written.workflowId], status: 200 },
      { action: 'putSecret', objects: ['guarded', outcome.workflowId], status: 403 },
    ]);
    expect(entries[0].caller).toBe(starter.subject);
    expect(text).not.toContain('"x"');
  });

  it.each([
    ['no name', {}, 'Missing input _secrets.secretKey'],
    ['no value', { _secrets: { secretKey: 'a' } }, 'Missing input _secrets.secretValue'],
    ['a name that is none', write('a b', 'x'), expect.stringMatching(/the name may hold/)],
  ])('ends the workflow with %s', async (_what, input, reason) => {
    const outcome = await run('UPDATE_SECRET', input);
    expect(outcome).toMatchObject({ status: 'FAILED_WITH_TERMINAL_ERROR', reason });
  });
});
