// Answers of providers, in one piece and in many, and what is sent for them.
import { describe, expect, it } from 'vitest';
import type { OutboundResponse } from '@downbeat/plugin';
import { chatAnswer, chatBody, type ChatRequest } from '../src/chat.js';
import { toMessages, toToolCalls } from '../src/chat-messages.js';
import { modelEndpointOf } from '../src/model-endpoint.js';

const endpoint = modelEndpointOf({
  ...{ name: 'ai', type: 'openai' },
  configuration: { api_key: 'k' },
});

function answerOf(contentType: string, text: string): OutboundResponse {
  const headers = { 'content-type': [contentType] };
  return { statusCode: 200, reasonPhrase: 'OK', headers, body: Buffer.from(text) };
}

const streamed = (...events: object[]): OutboundResponse =>
  answerOf('text/event-stream', events.map((e) => `data: ${JSON.stringify(e)}\n\n`).join(''));

describe('an answer', () => {
  it('is built from its pieces', () => {
    const response = streamed(
      { choices: [{ delta: { content: 'Good ' } }] },
      { choices: [{ delta: { content: 'morning' }, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 4 } },
    );
    expect(chatAnswer(endpoint, response)).toEqual({
      ...{ text: 'Good morning', tools: [], finishReason: 'stop' },
      tokens: { promptTokens: 7, completionTokens: 4, totalTokens: 11 },
    });
  });

  it('may be calls of tools, whose arguments come in pieces', () => {
    const part = (call: object): object => ({ choices: [{ delta: { tool_calls: [call] } }] });
    const { tools } = chatAnswer(
      endpoint,
      streamed(
        part({ index: 0, id: 'c', function: { name: 'weather', arguments: '{"city"' } }),
        part({ index: 0, function: { arguments: ':"Bern"}' } }),
        { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
      ),
    );
    expect(toToolCalls(tools, [{ name: 'weather', type: 'HTTP' }])).toEqual([
      {
        ...{ taskReferenceName: 'c', name: 'weather', type: 'HTTP' },
        inputParameters: { city: 'Bern' },
      },
    ]);
  });

  it.each([
    ['that broke off', streamed({ choices: [{ delta: { content: 'Go' } }] }), /ai broke off$/],
    ['of nothing', streamed({ choices: [] }), /^ai answered without a completion$/],
    ['that is an error', streamed({ error: { message: 'no' } }), /^ai failed: no$/],
    ['that is no JSON', answerOf('application/json', '<html>'), /^The answer of ai is not JSON$/],
  ])('%s is told', (_what, response, reason) => {
    expect(() => chatAnswer(endpoint, response)).toThrow(reason);
  });
});

describe('a question', () => {
  const request: ChatRequest = {
    ...{ model: 'm', messages: [{ role: 'user', content: 'x' }], tools: [], stopWords: [] },
    ...{ temperature: undefined, topP: undefined, maxTokens: 30 },
    ...{ frequencyPenalty: undefined, presencePenalty: undefined, reasoningEffort: undefined },
    json: { schema: { type: 'object' } },
  };

  it('says what is given, and bounds the tokens in the words of the provider', () => {
    expect(chatBody(endpoint, request)).toEqual({
      ...{ model: 'm', messages: request.messages, stream: true, max_completion_tokens: 30 },
      stream_options: { include_usage: true },
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'output', schema: { type: 'object' } },
      },
    });
  });

  it.each([
    ['nothing', /^inputParameters\.messages\[0\] must be an object$/],
    [{ role: 'boss' }, /^inputParameters\.messages\[0\]\.role must be one of user, human, /],
    [{ role: 'tool' }, /^inputParameters\.messages\[0\]\.toolCalls must name the call$/],
  ])('with the message %j is refused', (message, reason) => {
    expect(() => toMessages([message])).toThrow(reason);
  });
});
