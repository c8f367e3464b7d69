// Webhooks over the API (contract-admin 12). Signatures are made here from the platforms' own
// descriptions, with nothing of the server's code.
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { checkAnswers } from '../../../testkit/api-schemas.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import { until } from '../../../testkit/until.js';
import type { JsonObject } from '../../../testkit/wire.js';

const base = '/api/metadata/webhook';
let server: RunningServer;
let api: ApiClient;
let names = 0;

beforeAll(async () => {
  server = await startServer({
    args: ['--webhook-calls-per-second-max', '20', '--trusted-proxies', '127.0.0.1'],
  });
  api = new ApiClient(server.url);
  await checkAnswers(api);
  const inline = { name: 'v', taskReferenceName: 'v', type: 'SET_VARIABLE', inputParameters: {} };
  await api.registerWorkflows({ name: 'started', tasks: [inline] });
});
afterAll(async () => {
  await api.close();
  await server.stop();
});

const fresh = (): string => `hook_${++names}`;

const custom = (over: JsonObject = {}): JsonObject => ({
  name: fresh(),
  sourcePlatform: 'Custom',
  verifier: 'HEADER_BASED',
  headers: { 'X-Key': 'k1' },
  workflowsToStart: { started: 1 },
  ...over,
});

async function create(webhook: JsonObject): Promise<string> {
  const answer = await api.request('POST', base, webhook);
  expect(answer.text).not.toContain('message');
  return (answer.body as { id: string }).id;
}

interface Answer {
  status: number;
  text: string;
  type: string;
  retryAfter: string | null;
}

async function call(
  id: string,
  body: string | undefined,
  headers: Record<string, string> = {},
  more: { query?: string; method?: string; prefix?: string } = {},
): Promise<Answer> {
  const { query = '', method = 'POST', prefix = '/webhook/' } = more;
  const response = await fetch(`${server.url}${prefix}${id}${query}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return {
    status: response.status,
    text: await response.text(),
    type: response.headers.get('content-type') ?? '',
    retryAfter: response.headers.get('retry-after'),
  };
}

interface Entry {
  eventId: string;
  matched: boolean;
  workflowIds: string[];
  payload: string;
  timeStamp: number;
}

async function history(id: string, atLeast = 1): Promise<Entry[]> {
  return await until('the history', async () => {
    const { body } = await api.request('GET', `${base}/${id}`);
    const entries = (body as { webhookExecutionHistory: Entry[] }).webhookExecutionHistory;
    return entries.length >= atLeast ? entries : undefined;
  });
}

const hmacHex = (key: string | Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex');
const hmacBase64 = (key: string | Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64');
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

describe('a webhook definition', () => {
  it('is stored with its secret masked in all answers but the first', async () => {
    const webhook = custom({
      id: 'chosen-id',
      name: 'git',
      sourcePlatform: 'Github',
      verifier: 'SIGNATURE_BASED',
      headers: undefined,
      headerKey: 'X-Hub-Signature-256',
      secretValue: 'top-secret',
      urlVerified: true,
      receiverWorkflowNamesToVersions: { r: 1 },
      tags: [{ key: 'team', value: 'ops' }],
    });
    const created = await api.request('POST', base, webhook);
    const shown = {
      id: 'chosen-id',
      name: 'git',
      sourcePlatform: 'Github',
      verifier: 'SIGNATURE_BASED',
      headerKey: 'X-Hub-Signature-256',
      urlVerified: false,
      createdBy: '',
      workflowsToStart: { started: 1 },
      receiverWorkflowNamesToVersions: { r: 1 },
      tags: [{ key: 'team', value: 'ops' }],
      webhookExecutionHistory: [],
    };
    expect(created.status).toBe(200);
    expect({ ...shown, ...(created.body as object) }).toEqual({
      ...shown,
      tags: (created.body as { tags: unknown }).tags,
      secretValue: 'top-secret',
    });
    const masked = { ...shown, secretValue: '***' };
    expect((await api.request('GET', `${base}/chosen-id`)).body).toEqual(masked);
    const list = (await api.request('GET', base)).body as JsonObject[];
    expect(list.find(({ id }) => id === 'chosen-id')).toEqual(masked);
    const again = await api.request('POST', base, webhook);
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('chosen-id')]);
  });

  it('keeps its secret when it is updated with the mask, by either route', async () => {
    const webhook = custom({
      verifier: 'SIGNATURE_BASED',
      headerKey: 'X-Sig',
      headers: undefined,
      secretValue: 's1',
    });
    const id = await create(webhook);
    const signed = async (secret: string, body: string): Promise<number> =>
      (await call(id, body, { 'X-Sig': `sha256=${hmacHex(secret, body)}` })).status;
    expect(await signed('s1', '{"n":1}')).toBe(200);
    const masked = { ...webhook, secretValue: '***', name: 'renamed' };
    const updated = await api.request('PUT', `${base}/${id}`, { ...masked, id: 'ignored' });
    expect(updated.body).toMatchObject({
      id,
      name: 'renamed',
      secretValue: '***',
      urlVerified: true,
    });
    expect(await signed('s1', '{"n":2}')).toBe(200);
    await api.request('PUT', base, { ...webhook, id, secretValue: 's2' });
    expect(await signed('s1', '{"n":3}')).toBe(401);
    expect(await signed('s2', '{"n":3}')).toBe(200);
    expect((await api.request('PUT', `${base}/none`, webhook)).status).toBe(404);
    expect((await api.request('PUT', base, webhook)).status).toBe(400);
  });

  it('is deleted with its history', async () => {
    const id = await create(custom());
    await call(id, '{}', { 'x-key': 'k1' });
    await history(id);
    const gone = await api.request('DELETE', `${base}/${id}`);
    expect([gone.status, gone.contentType, gone.text]).toEqual([200, '', '']);
    expect((await api.request('DELETE', `${base}/${id}`)).status).toBe(404);
    expect((await api.request('GET', `${base}/${id}`)).status).toBe(404);
    expect((await call(id, '{}', { 'x-key': 'k1' })).status).toBe(200);
  });

  it('has tags', async () => {
    const id = await create(custom());
    const tags = [{ key: 'a', value: 'b' }];
    await api.request('PUT', `${base}/${id}/tags`, tags);
    expect((await api.request('GET', `${base}/${id}/tags`)).body).toEqual(tags);
    const query = '/api/metadata/tags/resources?tagKey=a&tagValue=b&resourceType=WEBHOOK';
    const { name } = (await api.request('GET', `${base}/${id}`)).body as { name: string };
    expect((await api.request('GET', query)).body).toEqual([{ id, displayName: name }]);
    await api.request('DELETE', `${base}/${id}/tags`, tags);
    expect((await api.request('GET', `${base}/${id}/tags`)).body).toEqual([]);
    expect((await api.request('PUT', `${base}/none/tags`, tags)).status).toBe(404);
  });

  it.each([
    ['name', { name: undefined }],
    ['sourcePlatform', { sourcePlatform: '' }],
    ['verifier', { verifier: undefined }],
    ['verifier', { verifier: 'TRUST_ME' }],
    ['headers', { headers: {} }],
    ['headers', { headers: undefined }],
    ['headerKey', { verifier: 'SIGNATURE_BASED', secretValue: 's' }],
    ['headerKey', { verifier: 'HMAC_BASED', secretValue: 's' }],
    ['headerKey', { verifier: 'TWITTER', secretValue: 's' }],
    ['workflowsToStart', { workflowsToStart: undefined }],
    ['workflowsToStart', { workflowsToStart: [] }],
    ['idempotencyStrategy', { workflowsToStart: { idempotencyStrategy: 'MAYBE' } }],
    ['idempotencyKey', { workflowsToStart: { idempotencyKey: 7 } }],
    ['receiverWorkflowNamesToVersions.w', { receiverWorkflowNamesToVersions: { w: 'x' } }],
    ['evaluatorType', { expression: '1', evaluatorType: 'cobol' }],
    ['expression', { expression: 'return { workflowsToStart: {} }' }],
    ['id', { id: 'a/b' }],
    ['tags', { tags: 'x' }],
  ])('with a wrong field is refused by naming %s', async (field, over: JsonObject) => {
    const answer = await api.request('POST', base, custom(over));
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(field) as string]);
  });
});

describe('a call', () => {
  const body = JSON.stringify({ type: 'paid', order: { id: 17 } });

  it.each([
    [
      'SIGNATURE_BASED',
      { headerKey: 'X-Hub-Signature-256', secretValue: 'gs' },
      () => ({ 'x-hub-signature-256': `sha256=${hmacHex('gs', body)}` }),
      [
        { 'x-hub-signature-256': hmacHex('gs', body) },
        { 'x-hub-signature-256': `sha256=${hmacHex('gs', body).toUpperCase()}` },
        { 'x-hub-signature-256': `sha256=${hmacHex('other', body)}` },
        {},
      ],
    ],
    [
      'HMAC_BASED',
      { headerKey: 'Authorization', secretValue: Buffer.from('teams').toString('base64') },
      () => ({ authorization: `HMAC ${hmacBase64('teams', body)}` }),
      [{ authorization: `HMAC ${hmacBase64('team', body)}` }, { authorization: 'HMAC' }, {}],
    ],
    [
      'SLACK_BASED',
      { secretValue: 'slack' },
      () => {
        const t = String(nowSeconds());
        return {
          'x-slack-signature': `v0=${hmacHex('slack', `v0:${t}:${body}`)}`,
          'x-slack-request-timestamp': t,
        };
      },
      [
        {
          'x-slack-signature': `v0=${hmacHex('slack', `v0:${nowSeconds() - 400}:${body}`)}`,
          'x-slack-request-timestamp': String(nowSeconds() - 400),
        },
        {
          'x-slack-signature': `v0=${hmacHex('slack', `v0:x:${body}`)}`,
          'x-slack-request-timestamp': 'x',
        },
        {},
      ],
    ],
    [
      'STRIPE',
      { headerKey: 'Stripe-Signature', secretValue: 'whsec' },
      () => {
        const t = nowSeconds();
        const right = hmacHex('whsec', `${t}.${body}`);
        return { 'stripe-signature': `t=${t},v1=${'0'.repeat(64)},v1=${right},v0=old` };
      },
      [
        {
          'stripe-signature': `t=${nowSeconds() - 400},v1=${hmacHex('whsec', `${nowSeconds() - 400}.${body}`)}`,
        },
        { 'stripe-signature': `v1=${hmacHex('whsec', `${nowSeconds()}.${body}`)}` },
        {
          'stripe-signature': `t=${nowSeconds()},v1=${hmacHex('wrong', `${nowSeconds()}.${body}`)}`,
        },
        {},
      ],
    ],
    [
      'TWITTER',
      { headerKey: 'X-Twitter-Webhooks-Signature', secretValue: 'consumer' },
      () => ({ 'x-twitter-webhooks-signature': `sha256=${hmacBase64('consumer', body)}` }),
      [{ 'x-twitter-webhooks-signature': `sha256=${hmacHex('consumer', body)}` }, {}],
    ],
    [
      'HEADER_BASED',
      { headers: { 'X-One': 'a', 'X-Two': 'b' } },
      () => ({ 'x-one': 'a', 'x-two': 'b' }),
      [{ 'x-one': 'a' }, { 'x-one': 'a', 'x-two': 'B' }, { 'x-one': 'a, a', 'x-two': 'b' }, {}],
    ],
  ] as [string, JsonObject, () => Record<string, string>, Record<string, string>[]][])(
    'verified by %s starts what it names; another one is refused',
    async (verifier, fields, right, wrong) => {
      const id = await create(custom({ headers: undefined, verifier, ...fields }));
      for (const headers of wrong) {
        const refused = await call(id, body, headers);
        expect(refused.status).toBe(401);
        for (const secret of Object.values(fields).filter((each) => typeof each === 'string')) {
          expect(refused.text).not.toContain(secret);
        }
      }
      expect((await api.request('GET', `${base}/${id}`)).body).toMatchObject({
        urlVerified: false,
      });
      const taken = await call(id, body, right(), { prefix: '/api/webhook/' });
      expect([taken.status, taken.text, taken.type]).toEqual([200, '', '']);
      const entries = await history(id, wrong.length + 1);
      expect(entries.map(({ matched }) => matched)).toEqual([true, ...wrong.map(() => false)]);
      const [entry] = entries as [Entry];
      const execution = await api.workflow(entry.workflowIds[0] as string);
      expect(execution).toMatchObject({
        workflowName: 'started',
        input: JSON.parse(body) as object,
      });
      const { event } = execution as unknown as { event: string };
      expect(event).toMatch(new RegExp(`^hook_\\d+:${entry.eventId}$`));
      const payload = JSON.parse(entry.payload) as JsonObject;
      expect(payload).toMatchObject({ webhookId: id, id: entry.eventId, body, requestParams: {} });
      expect((await api.request('GET', `${base}/${id}`)).body).toMatchObject({ urlVerified: true });
    },
  );

  it('verified by SENDGRID is checked against the public key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const events = JSON.stringify([{ event: 'delivered' }]);
    const sign = (text: string): Record<string, string> => ({
      'x-twilio-email-event-webhook-timestamp': '1700000000',
      'x-twilio-email-event-webhook-signature': createSign('sha256')
        .update(`1700000000${text}`)
        .sign(privateKey, 'base64'),
    });
    for (const fields of [{ secretKey: key }, { secretValue: key }]) {
      const id = await create(custom({ headers: undefined, verifier: 'SENDGRID', ...fields }));
      expect((await call(id, events, sign('[]'))).status).toBe(401);
      expect((await call(id, events)).status).toBe(401);
      expect((await call(id, events, sign(events))).status).toBe(200);
      const [entry] = await history(id, 3);
      const execution = await api.workflow((entry as Entry).workflowIds[0] as string);
      expect(execution.input).toEqual({ request: [{ event: 'delivered' }] });
    }
  });

  it('is verified with a secret of the server where the webhook names one', async () => {
    await api.request('PUT', '/api/secrets/hookSecret', 'top secret');
    const made = { verifier: 'SIGNATURE_BASED', headerKey: 'X-Signed', headers: null };
    const known = await create(custom({ ...made, secretValue: '${workflow.secrets.hookSecret}' }));
    const unknown = await create(custom({ ...made, secretValue: 'a${workflow.secrets.none}' }));
    const signed = (key: string): Record<string, string> => ({
      'x-signed': `sha256=${createHmac('sha256', key).update('{}').digest('hex')}`,
    });
    expect((await call(known, '{}', signed('${workflow.secrets.hookSecret}'))).status).toBe(401);
    expect((await call(known, '{}', signed('top secret'))).status).toBe(200);
    expect((await call(unknown, '{}', signed('a'))).status).toBe(401);
  });

  it('answers challenges and does nothing else', async () => {
    const slack = await create(custom({ headers: undefined, verifier: 'SLACK_BASED' }));
    const asked = await call(slack, JSON.stringify({ challenge: 'say-this' }));
    expect([asked.status, asked.text, asked.type]).toEqual([
      200,
      'say-this',
      'text/plain;charset=UTF-8',
    ]);
    expect((await api.request('GET', `${base}/${slack}`)).body).toMatchObject({
      urlVerified: true,
      webhookExecutionHistory: [],
    });
    expect((await call(slack, '{}')).status).toBe(401);
    const fields = { verifier: 'TWITTER', headerKey: 'X-Twitter-Webhooks-Signature' };
    const twitter = await create(custom({ headers: undefined, ...fields, secretValue: 'cs' }));
    const crc = await call(twitter, undefined, {}, { method: 'GET', query: '?crc_token=tok' });
    expect([crc.status, crc.type]).toEqual([200, 'application/json']);
    expect(JSON.parse(crc.text)).toEqual({ response_token: `sha256=${hmacBase64('cs', 'tok')}` });
    expect((await api.request('GET', `${base}/${twitter}`)).body).toMatchObject({
      urlVerified: true,
    });
  });

  it('by GET is an event of its query parameters, verified as well', async () => {
    const id = await create(custom());
    const query = '?a=1&b=2&b=3';
    expect((await call(id, undefined, {}, { method: 'GET', query })).status).toBe(401);
    const headers = { 'x-key': 'k1' };
    expect((await call(id, undefined, headers, { method: 'GET', query })).status).toBe(200);
    const [entry] = await history(id, 2);
    const execution = await api.workflow((entry as Entry).workflowIds[0] as string);
    expect(execution.input).toEqual({ a: '1', b: ['2', '3'] });
  });

  it('is counted by what became of it', async () => {
    const counted = async (): Promise<Record<string, number>> => {
      const { text } = await api.ask('GET', '/metrics');
      const lines = text.matchAll(/^downbeat_webhook_calls_total\{outcome="(\w+)"\} (\d+)$/gm);
      return Object.fromEntries([...lines].map(([, name, n]) => [name, Number(n)]));
    };
    const id = await create(custom());
    const before = await counted();
    for (const key of ['k1', 'wrong', 'k1', 'k2']) await call(id, '{}', { 'x-key': key });
    await call('nobody-has-it', '{}');
    const after = await counted();
    const more = (name: string): number => (after[name] ?? 0) - (before[name] ?? 0);
    expect(['taken', 'refused', 'unknown'].map(more)).toEqual([2, 2, 1]);
  });

  it('cannot be repeated with its signature, whatever the platform', async () => {
    const fields = { verifier: 'SIGNATURE_BASED', headerKey: 'x-sig', secretValue: 's' };
    const id = await create(custom({ headers: undefined, ...fields }));
    const headers = { 'x-sig': `sha256=${hmacHex('s', '{}')}` };
    expect((await call(id, '{}', headers)).status).toBe(200);
    expect((await call(id, '{}', headers)).status).toBe(401);
    expect((await history(id, 2)).map(({ matched }) => matched).sort()).toEqual([false, true]);
    // HEADER_BASED signs nothing: equal calls are events of their own.
    const plain = await create(custom());
    for (let i = 0; i < 2; i += 1) {
      expect((await call(plain, '{}', { 'x-key': 'k1' })).status).toBe(200);
    }
    expect((await history(plain, 2)).map(({ matched }) => matched)).toEqual([true, true]);
  });

  it.each([
    ['application/json', '[1,2]', { request: [1, 2] }],
    ['application/json', '"text"', { request: 'text' }],
    ['application/json', '{"n":12345678901234567890}', undefined],
    ['text/plain', 'hello', { request: 'hello' }],
    [
      'application/x-www-form-urlencoded',
      'text=%2Fhi&user=u&user=v',
      { text: '/hi', user: ['u', 'v'] },
    ],
    ['application/json', '', {}],
  ])('of type %s with the body %j gives its payload', async (type, text, input) => {
    const id = await create(custom());
    const headers = { 'x-key': 'k1', 'content-type': type };
    expect((await call(id, text === '' ? undefined : text, headers)).status).toBe(200);
    const [entry] = await history(id);
    const path = `/api/workflow/${(entry as Entry).workflowIds[0]}`;
    const execution = await api.request('GET', path);
    if (input === undefined) expect(execution.text).toContain('"n":12345678901234567890');
    else expect((execution.body as { input: object }).input).toEqual(input);
  });

  it('takes query parameters over members of the body', async () => {
    const id = await create(custom());
    await call(id, '{"a":1,"b":2}', { 'x-key': 'k1' }, { query: '?a=query' });
    const [entry] = await history(id);
    const execution = await api.workflow((entry as Entry).workflowIds[0] as string);
    expect(execution.input).toEqual({ a: 'query', b: 2 });
  });

  it('for an unknown webhook is taken without a word', async () => {
    for (const method of ['GET', 'POST']) {
      const answer = await call('nobody', undefined, {}, { method });
      expect([answer.status, answer.text]).toEqual([200, '']);
    }
  });

  it('starts one execution per idempotency key', async () => {
    const keyed = (idempotencyStrategy: string): JsonObject =>
      custom({
        workflowsToStart: {
          started: 1,
          missing_workflow: 1,
          idempotencyKey: `${names}-\${workflow.input.order.id}-\${workflow.input.type}`,
          idempotencyStrategy,
        },
      });
    for (const [strategy, second] of [
      ['RETURN_EXISTING', true],
      ['FAIL', false],
      ['FAIL_ON_RUNNING', true],
    ] as const) {
      const id = await create(keyed(strategy));
      await call(id, body, { 'x-key': 'k1' });
      const [one] = (await history(id)) as [Entry];
      await api.untilEnd(one.workflowIds[0] as string);
      await call(id, body, { 'x-key': 'k1' });
      const [two] = (await history(id, 2)) as [Entry];
      expect(one).toMatchObject({ matched: true });
      expect(one.workflowIds).toHaveLength(1);
      expect(two.matched).toBe(second);
      if (strategy === 'RETURN_EXISTING') expect(two.workflowIds).toEqual(one.workflowIds);
    }
  });

  it('goes where the expression says', async () => {
    const expression = `(function () {
      return { workflowsToStart: $.body.go ? { started: 1 } : {} };
    })()`;
    const id = await create(custom({ workflowsToStart: undefined, expression }));
    await call(id, '{"go":true}', { 'x-key': 'k1' });
    expect((await history(id))[0]).toMatchObject({ matched: true });
    await call(id, '{"go":false}', { 'x-key': 'k1' });
    expect((await history(id, 2))[0]).toMatchObject({ matched: false });
  });

  it('shows the newest ten only, and no header that proves who calls', async () => {
    const id = await create(custom({ headers: { 'X-Key': 'hidden' } }));
    for (let i = 0; i < 12; i += 1) {
      await call(id, `{"i":${i}}`, { 'x-key': 'hidden', authorization: 'Bearer hidden' });
    }
    const entries = await until('the last event', async () => {
      const newest = await history(id, 10);
      return newest.some(({ payload }) => payload.includes('\\"i\\":11')) ? newest : undefined;
    });
    expect(entries).toHaveLength(10);
    expect(JSON.stringify(entries)).not.toContain('hidden');
  });

  it('is taken beside a flood of calls with a wrong secret', async () => {
    const id = await create(custom());
    const wrong = await Promise.all(
      Array.from({ length: 400 }, () => call(id, '{}', { 'x-key': 'wrong' })),
    );
    const statuses = wrong.map(({ status }) => status);
    expect([...new Set(statuses)].sort()).toEqual([401, 429]);
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(200);
    // The platform comes from elsewhere; here everybody has one address, which proves the order.
    const elsewhere = { 'x-key': 'k1', 'x-forwarded-for': '192.0.2.7' };
    expect((await call(id, '{}', elsewhere)).status).toBe(200);
  });

  it('is refused with 429 in a flood', async () => {
    const id = await create(custom());
    const answers = await Promise.all(
      Array.from({ length: 400 }, () => call(id, '{}', { 'x-key': 'k1' })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(50);
    expect(refused[0]?.retryAfter).toBe('1');
    expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true);
  });
});
