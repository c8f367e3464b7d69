// LLM_TEXT_COMPLETE, LLM_CHAT_COMPLETE and LLM_GENERATE_EMBEDDINGS against a provider on loopback.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  answerJson,
  answerStream,
  answerText,
  silence,
  vectorOf,
} from '../../support/model-server.js';
import { until } from '../../../testkit/until.js';
import { apiKey, TaskBench } from './task-bench.js';

const model = { llmProvider: 'ai', model: 'm' };

let bench: TaskBench;
beforeAll(async () => {
  bench = await TaskBench.start(['--model-silence-ms-max=2500']);
});
afterAll(() => bench?.stop());
afterEach(() => {
  bench.provider.next.length = 0;
});

describe('LLM_CHAT_COMPLETE', () => {
  it('puts a streamed answer together and tells its tokens', async () => {
    bench.provider.next.push(answerText('Good morning to you'));
    const output = await bench.output('LLM_CHAT_COMPLETE', {
      ...model,
      instructions: 'Be kind',
      messages: [
        { role: 'human', message: 'Hello' },
        { role: 'assistant', message: 'Hi' },
        { role: 'user', message: 'What is this?', media: ['http://x/y.png'] },
      ],
      ...{ temperature: 0.5, topP: 0.9, stopWords: ['END'], maxTokens: 30 },
    });
    expect(output).toEqual({
      result: 'Good morning to you',
      finishReason: 'STOP',
      ...{ tokenUsed: 11, promptTokens: 7, completionTokens: 4 },
    });
    const { headers, body, path } = bench.provider.last;
    expect(path).toBe('/v1/chat/completions');
    expect(headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(headers['idempotency-key']).toMatch(/:0:/);
    expect(body).toMatchObject({
      ...{ model: 'm', stream: true, temperature: 0.5, top_p: 0.9, stop: ['END'] },
      ...{ max_completion_tokens: 30, stream_options: { include_usage: true } },
    });
    expect(body.messages).toEqual([
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'http://x/y.png' } },
        ],
      },
    ]);
  });

  it('understands an answer in one piece', async () => {
    const choices = [{ message: { content: 'whole' }, finish_reason: 'length' }];
    bench.provider.next.push(answerJson({ choices, usage: { total_tokens: 3 } }));
    expect(await bench.output('LLM_CHAT_COMPLETE', { ...model, userInput: 'x' })).toMatchObject({
      ...{ result: 'whole', finishReason: 'LENGTH', tokenUsed: 3 },
    });
  });

  it('hands the calls of tools to the workflow and their results back to the model', async () => {
    const part = (call: object): object => ({ choices: [{ delta: { tool_calls: [call] } }] });
    bench.provider.next.push(
      answerStream([
        part({ index: 0, id: 'call_1', function: { name: 'weather', arguments: '{"ci' } }),
        part({ index: 1, id: 'call_2', function: { name: 'time', arguments: '' } }),
        part({ index: 0, function: { arguments: 'ty":"Bern"}' } }),
        { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
      ]),
    );
    const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
    const tools = [
      { name: 'weather', type: 'HTTP', description: 'tells it', inputSchema },
      { name: 'time' },
    ];
    const output = await bench.output('LLM_CHAT_COMPLETE', { ...model, userInput: 'x', tools });
    const toolCalls = [
      {
        taskReferenceName: 'call_1',
        name: 'weather',
        type: 'HTTP',
        inputParameters: { city: 'Bern' },
      },
      { taskReferenceName: 'call_2', name: 'time', type: 'SIMPLE', inputParameters: {} },
    ];
    expect(output).toMatchObject({ finishReason: 'TOOL_CALLS', toolCalls });
    expect(bench.provider.last.body.tools[0]).toEqual({
      type: 'function',
      function: { name: 'weather', description: 'tells it', parameters: inputSchema },
    });
    const [first] = toolCalls;
    await bench.output('LLM_CHAT_COMPLETE', {
      ...model,
      messages: [
        { role: 'user', message: 'x' },
        { role: 'tool_call', toolCalls: [first] },
        { role: 'tool', toolCalls: [{ ...first, output: { degrees: 3 } }] },
      ],
    });
    expect(bench.provider.last.body.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'weather', arguments: '{"city":"Bern"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '{"degrees":3}' },
    ]);
  });

  it('gives JSON where it is asked for, checked by the schema of the output', async () => {
    const outputSchema = { type: 'object', required: ['a'] };
    const asked = { ...model, userInput: 'x' };
    bench.provider.next.push(answerText('```json\n{"a": 1}\n```'));
    const output = await bench.output('LLM_CHAT_COMPLETE', { ...asked, jsonOutput: true });
    expect(output['result']).toEqual({ a: 1 });
    expect(bench.provider.last.body.response_format).toEqual({ type: 'json_object' });
    bench.provider.next.push(answerText('{"b": 1}'));
    const wrong = await bench.run('LLM_CHAT_COMPLETE', { ...asked, outputSchema });
    expect([wrong.status, wrong.reasonForIncompletion]).toEqual([
      'FAILED',
      expect.stringMatching(/does not match outputSchema: .*'a'/),
    ]);
    bench.provider.next.push(answerText('no'));
    const broken = await bench.run('LLM_CHAT_COMPLETE', { ...asked, jsonOutput: 'true' });
    expect(broken.reasonForIncompletion).toMatch(/is not JSON: no/);
  });

  it.each([
    [{ messages: ['x'] }, /messages\[0\] must be an object/],
    [{ messages: [{ role: 'king', message: 'x' }] }, /messages\[0\]\.role must be one of user/],
    [{}, /One of instructions, messages and userInput is required/],
    [{ userInput: 'x', webSearch: true }, /webSearch is not offered/],
    [{ userInput: 'x', tools: [{}] }, /tools\[0\]\.name is required/],
    [{ userInput: 'x', model: 'other' }, /No such integration: ai:other/],
    [{ userInput: 'x', llmProvider: '' }, /llmProvider is required/],
    [
      { userInput: 'x', temperature: '${workflow.input.none}${workflow.input.none}x' },
      /temperature/,
    ],
  ])('fails without a retry for %j', async (input, reason) => {
    const asked = bench.provider.asked.length;
    expect(await bench.refusal('LLM_CHAT_COMPLETE', { ...model, ...input })).toMatch(reason);
    expect(bench.provider.asked.length).toBe(asked);
  });
});

describe('LLM_TEXT_COMPLETE', () => {
  it('fills the variables of a registered prompt and takes its settings', async () => {
    const prompts = [
      {
        ...{ name: 'greet', template: 'Greet ${name} as {{x}} on ${day}', version: 1 },
        ...{ temperature: 0.25, stopWords: ['STOP'] },
      },
      { name: 'greet', template: 'Second', version: 2 },
    ];
    await bench.api.ask('POST', '/api/prompts', prompts);
    const input = { ...model, promptName: 'greet', promptVersion: 1 };
    const promptVariables = { name: 'Ada', day: { no: 4 } };
    const output = await bench.output('LLM_TEXT_COMPLETE', { ...input, promptVariables });
    expect(output['result']).toBe('echo: "Greet Ada as {{x}} on {\\"no\\":4}"');
    expect(bench.provider.last.body).toMatchObject({ temperature: 0.25, stop: ['STOP'] });
    const newest = await bench.output('LLM_TEXT_COMPLETE', { ...model, promptName: 'greet' });
    expect(newest['result']).toBe('echo: "Second"');
    expect(
      await bench.refusal('LLM_TEXT_COMPLETE', { ...input, promptVariables: { day: 1 } }),
    ).toBe('promptVariables lack name, which the prompt greet names');
    expect(await bench.refusal('LLM_TEXT_COMPLETE', { ...model, promptName: 'none' })).toMatch(
      /Prompt 'none' not found/,
    );
    const inputSchema = { type: 'object', properties: { day: { type: 'number' } } };
    expect(
      await bench.refusal('LLM_TEXT_COMPLETE', { ...input, promptVariables, inputSchema }),
    ).toMatch(/promptVariables do not match inputSchema: \/day must be number/);
  });

  it('asks a busy provider again after the time that it names', async () => {
    const busy = answerJson({ error: { message: 'slow down' } }, 429, { 'Retry-After': '0.05' });
    const asked = bench.provider.asked.length;
    bench.provider.next.push(busy, busy);
    const output = await bench.output('LLM_TEXT_COMPLETE', { ...model, prompt: 'again' });
    expect(output['result']).toBe('echo: "again"');
    const all = bench.provider.asked.slice(asked);
    expect(new Set(all.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(all.length).toBe(3);
  });

  it('is retried by its definition when the provider fails, and keeps the key to itself', async () => {
    await bench.api.registerTasks({ name: 't', retryCount: 1, retryDelaySeconds: 0 } as never);
    const later = answerJson({ error: { message: `bad day, ${apiKey}` } }, 429, {
      'Retry-After': '86400',
    });
    bench.provider.next.push(later, answerStream([{ error: { message: 'overloaded' } }]));
    const attempts = await bench.runAll('LLM_TEXT_COMPLETE', { ...model, prompt: 'x' });
    expect(
      attempts.map(({ status, reasonForIncompletion }) => [status, reasonForIncompletion]),
    ).toEqual([
      ['FAILED', 'ai answered 429 Too Many Requests: bad day, ***'],
      ['FAILED', 'ai failed: overloaded'],
    ]);
    bench.provider.next.push(answerStream([{ choices: [{ delta: { content: 'a' } }] }], true));
    const [broken, second] = await bench.runAll('LLM_TEXT_COMPLETE', { ...model, prompt: 'x' });
    expect(broken?.reasonForIncompletion).toBe('The answer of ai broke off');
    expect(second?.status).toBe('COMPLETED');
    await bench.api.ask('DELETE', '/api/metadata/taskdefs/t');
  });

  it('gives a provider up that is silent for too long, and one that refuses', async () => {
    bench.provider.next.push(silence);
    const late = await bench.run('LLM_TEXT_COMPLETE', { ...model, prompt: 'x' });
    expect([late.status, late.reasonForIncompletion]).toEqual([
      'FAILED',
      expect.stringMatching(/Read timed out after 2500 ms/),
    ]);
    bench.provider.next.push(answerJson({ error: { message: 'no such key' } }, 401));
    expect(await bench.refusal('LLM_TEXT_COMPLETE', { ...model, prompt: 'x' })).toBe(
      'ai answered 401 Unauthorized: no such key',
    );
  });

  it('lets go of the provider when its execution ends', async () => {
    let isClosed = false;
    bench.provider.next.push((response) => {
      response.flushHeaders();
      response.on('close', () => (isClosed = true));
    });
    const asked = bench.provider.asked.length;
    const id = await bench.startTask('LLM_TEXT_COMPLETE', { ...model, prompt: 'x' });
    await until('the provider is asked', () => bench.provider.asked.length > asked);
    await bench.api.terminate(id);
    await until('the request ends', () => isClosed);
  });

  it('says why while it runs', async () => {
    bench.provider.next.push(silence);
    const id = await bench.startTask('LLM_TEXT_COMPLETE', { ...model, prompt: 'x' });
    const why = await bench.api.ask('GET', `/api/workflow/${id}/why`);
    expect(why.text).toMatch(/LLM_TEXT_COMPLETE\) is being carried out by the server/);
    await bench.api.terminate(id);
  });
});

describe('a provider', () => {
  it.each([
    [
      'anthropic',
      { api_key: 'k', endpoint: 'http://x' },
      /type anthropic, whose protocol this server/,
    ],
    ['openai', {}, /has no api_key in its configuration/],
    ['ollama', {}, /has no endpoint in its configuration/],
    ['ollama', { endpoint: 'file:///etc' }, /is no web address/],
  ])(
    'of the type %s configured by %j fails the task by name',
    async (type, configuration, reason) => {
      const name = `p${JSON.stringify(configuration).length}${type}`;
      await bench.saveProvider(name, { type, configuration });
      await bench.saveModel(name, 'm');
      const input = { llmProvider: name, model: 'm', prompt: 'x' };
      expect(await bench.refusal('LLM_TEXT_COMPLETE', input)).toMatch(reason);
    },
  );

  it.each([
    ['azure_openai', '', '/openai/v1/chat/completions', { 'api-key': 'kkkk' }],
    ['ollama', '', '/v1/chat/completions', { authorization: 'Bearer kkkk' }],
    ['mistral', '/api/v2/', '/api/v2/chat/completions', { authorization: 'Bearer kkkk' }],
  ])('of the type %s is called as it is used to', async (type, path, called, headers) => {
    const endpoint = bench.provider.endpoint + path;
    await bench.saveProvider(type, { type, configuration: { api_key: 'kkkk', endpoint } });
    await bench.saveModel(type, 'm');
    await bench.output('LLM_TEXT_COMPLETE', { llmProvider: type, model: 'm', prompt: 'x' });
    expect(bench.provider.last.path).toBe(called);
    expect(bench.provider.last.headers).toMatchObject(headers);
  });

  it('that is switched off is not called', async () => {
    await bench.saveModel('ai', 'off', { enabled: false });
    const input = { llmProvider: 'ai', model: 'off', prompt: 'x' };
    expect(await bench.refusal('LLM_TEXT_COMPLETE', input)).toMatch(/ai:off is not enabled/);
    await bench.saveProvider('vectors', { category: 'VECTOR_DB' });
    await bench.saveModel('vectors', 'm');
    expect(
      await bench.refusal('LLM_TEXT_COMPLETE', { ...input, llmProvider: 'vectors', model: 'm' }),
    ).toMatch(/of the category VECTOR_DB, not AI_MODEL/);
  });

  it('counts the tokens of its models, and stops at their limit', async () => {
    await bench.saveModel('ai', 'counted', { maxTokens: 20, frequency: 'monthly' });
    const input = { llmProvider: 'ai', model: 'counted', prompt: 'one two three four' };
    const used = async (): Promise<unknown> =>
      (await bench.api.ask('GET', '/api/integrations/provider/ai/integration/counted/metrics'))
        .body;
    const output = await bench.output('LLM_TEXT_COMPLETE', input);
    expect(await used()).toBe(output['tokenUsed']);
    await bench.output('LLM_TEXT_COMPLETE', input);
    const refused = await bench.run('LLM_TEXT_COMPLETE', input);
    expect([refused.status, refused.reasonForIncompletion]).toEqual([
      'FAILED',
      expect.stringMatching(/^ai:counted has used \d+ of 20 tokens this month$/),
    ]);
  });
});

describe('LLM_GENERATE_EMBEDDINGS', () => {
  it('gives the vector of a text', async () => {
    const input = { ...model, text: 'abba', dimensions: 3 };
    expect(await bench.output('LLM_GENERATE_EMBEDDINGS', input)).toEqual({
      result: vectorOf('abba', 3),
    });
    expect(bench.provider.last.body).toMatchObject({ model: 'm', input: ['abba'], dimensions: 3 });
    bench.provider.next.push(answerJson({ data: [] }));
    const none = await bench.run('LLM_GENERATE_EMBEDDINGS', input);
    expect(none.reasonForIncompletion).toMatch(/answered without 1 embeddings/);
  });
});

describe('POST /api/prompts/test', () => {
  const trial = { ...model, prompt: 'Hi ${name}', promptVariables: { name: 'Ada' } };
  const test = (body: object): ReturnType<TaskBench['api']['request']> =>
    bench.api.request('POST', '/api/prompts/test', body);

  it("answers the model's text", async () => {
    const answer = await test({ ...trial, temperature: 1, maxTokens: 0, stopWords: ['a'] });
    expect([answer.status, answer.text]).toEqual([200, 'echo: "Hi Ada"']);
    expect(answer.contentType).toMatch(/^text\/plain/);
  });

  it.each([
    [{ prompt: '' }, 400, /prompt is required/],
    [{ topP: 2 }, 400, /topP may be 1 at most/],
    [{ maxTokens: -1 }, 400, /maxTokens must be 0 or more/],
    [{ llmProvider: 'none' }, 404, /No such integration provider: none/],
    [{ model: 'none' }, 404, /No such integration: ai:none/],
    [{ response_format: 'xml' }, 400, /response_format must be one of/],
  ])('refuses %j', async (more, status, message) => {
    const answer = await test({ ...trial, ...more });
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(message)]);
  });

  it('tells what the provider failed with', async () => {
    bench.provider.next.push(answerJson({ error: `broken by ${apiKey}` }, 500));
    const answer = await test(trial);
    expect([answer.status, answer.text]).toEqual([
      502,
      expect.stringMatching(/ai answered 500 Internal Server Error: broken by \*\*\*/),
    ]);
  });
});

describe('SENDGRID', () => {
  const mail = { from: 'Ada <a@x.org>', to: ['b@x.org'], subject: 's', content: '<p>hi</p>' };

  it('sends a mail through the service of the integration', async () => {
    const configuration = { api_key: apiKey, endpoint: bench.provider.endpoint };
    await bench.saveProvider('mail', { type: 'sendgrid', configuration });
    const input = { ...mail, contentType: 'text/html', sendgridConfiguration: 'mail' };
    bench.provider.next.push((response) => {
      response.writeHead(202, { 'X-Message-Id': apiKey }).end();
    });
    const { response } = await bench.output('SENDGRID', input);
    expect(response).toMatchObject({
      statusCode: 202,
      body: null,
      headers: { 'X-Message-Id': ['***'] },
    });
    expect(bench.provider.last).toMatchObject({
      path: '/v3/mail/send',
      headers: { authorization: `Bearer ${apiKey}` },
      body: {
        personalizations: [{ to: [{ email: 'b@x.org' }] }],
        from: { email: 'a@x.org', name: 'Ada' },
        subject: 's',
        content: [{ type: 'text/html', value: '<p>hi</p>' }],
      },
    });
    bench.provider.next.push(answerJson({ errors: ['no'] }, 400));
    const refused = await bench.run('SENDGRID', input);
    expect(refused).toMatchObject({
      ...{ status: 'FAILED', reasonForIncompletion: 'SendGrid answered 400 Bad Request' },
      outputData: { response: { statusCode: 400, body: { errors: ['no'] } } },
    });
    expect(await bench.refusal('SENDGRID', { ...input, to: 'nobody' })).toMatch(/mail addresses/);
  });
});

describe('a definition', () => {
  const register = (
    inputParameters: object,
    type = 'LLM_CHAT_COMPLETE',
  ): ReturnType<TaskBench['api']['request']> => {
    const task = { name: 't', taskReferenceName: 't', type, inputParameters };
    return bench.api.request('PUT', '/api/metadata/workflow', [{ name: 'checked', tasks: [task] }]);
  };

  it('may leave parameters out or make them later, but not give wrong ones', async () => {
    expect((await register({})).status).toBe(200);
    expect((await register({ temperature: '${workflow.input.t}', topP: '0.5' })).status).toBe(200);
    const answer = await register({ topP: 1.5, messages: { role: 'user' } });
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(/inputParameters.topP must be 0 to 1/);
    expect(answer.text).toMatch(/inputParameters.messages must be a list/);
    const search = await register({ maxResults: 0 }, 'LLM_SEARCH_INDEX');
    expect([search.status, search.text]).toEqual([
      400,
      expect.stringMatching(/must be 1 to 10000/),
    ]);
  });
});
