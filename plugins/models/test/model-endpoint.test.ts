// Where a provider is called, by its kind and configuration.
import { expect, it } from 'vitest';
import type { JsonMap } from '@downbeat/plugin';
import { modelEndpointOf, type ModelEndpoint } from '../src/model-endpoint.js';

const endpointOf = (type: string | undefined, configuration: JsonMap): ModelEndpoint =>
  modelEndpointOf({ name: 'ai', type, configuration });

it.each([
  ['openai', { api_key: 'k' }, 'https://api.openai.com/v1'],
  ['openai', { api_key: 'k', endpoint: 'http://host:1/' }, 'http://host:1/v1'],
  ['azure_openai', { api_key: 'k', endpoint: 'https://x' }, 'https://x/openai/v1'],
  ['ollama', { endpoint: 'http://host/own/way/?a=1' }, 'http://host/own/way'],
  ['perplexity', { api_key: 'k' }, 'https://api.perplexity.ai'],
])('a provider of the type %s with %j is at %s', (type, configuration, base) => {
  expect(endpointOf(type, configuration).base).toBe(base);
});

it('the key stands where the kind has it, and a header of the integration beside it', () => {
  const headersOf = (type: string, more: JsonMap): object =>
    Object.fromEntries(endpointOf(type, { api_key: 'k', endpoint: 'http://h', ...more }).headers);
  expect(headersOf('openai', {})).toEqual({ authorization: 'Bearer k' });
  expect(headersOf('azure_openai', { header: 'X-Team: ops' })).toEqual({
    ...{ 'api-key': 'k', 'x-team': 'ops' },
  });
  expect(headersOf('openai', { header: 'Basic x' })).toEqual({ authorization: 'Basic x' });
});

it.each([
  [undefined, {}, /^The integration ai is of the type \(none\), whose protocol this server does/],
  [
    'cohere',
    { api_key: 'k' },
    /it speaks openai, azure_openai, ollama, grok, mistral, perplexity$/,
  ],
  ['openai', {}, /^The integration ai has no api_key in its configuration$/],
  ['ollama', {}, /^The integration ai has no endpoint in its configuration$/],
  ['ollama', { endpoint: 'file:///x' }, /^The endpoint of the integration ai is no web address$/],
])('a provider of the type %s with %j cannot be called', (type, configuration, reason) => {
  expect(() => endpointOf(type, configuration)).toThrow(reason);
});
