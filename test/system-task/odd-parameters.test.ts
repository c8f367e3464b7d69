// What a definition says in plain words and no run could use is refused when it is registered, with
// the name of the field; what an expression makes is looked at when the task runs.
import { describe, expect, it } from 'vitest';
import { createConfigurationCheck } from '../../src/engine/check-configuration.js';
import type { JsonMap } from '../../src/model/json.js';
import { sampleConfig } from '../../testkit/samples.js';
import { systemTaskTypes } from '../support/every-plugin.js';

const check = createConfigurationCheck(systemTaskTypes, {
  taskDef: () => undefined,
  checkSyntax: () => undefined,
});

function troubles(type: string, inputParameters: JsonMap): string {
  return check({ ...sampleConfig('t'), type, inputParameters }).join('; ');
}

describe('parameters in plain words', () => {
  it.each<[string, JsonMap, string]>([
    ['HUMAN', { __humanTaskDefinition: [] }, '__humanTaskDefinition must be an object'],
    ['WAIT', { matches: ['$.id'] }, 'matches must be an object'],
    ['WAIT', { matches: '$.id' }, 'matches must be an object'],
    ['WAIT_FOR_WEBHOOK', { matches: ['$.id'] }, 'matches must be an object'],
    ['WAIT_FOR_WEBHOOK', { matches: 7 }, 'matches must be an object'],
    ['KAFKA_PUBLISH', { kafka_request: 'topic' }, 'kafka_request must be an object'],
    ['KAFKA_PUBLISH', { kafka_request: { headers: ['a'] } }, 'kafka_request.headers must be an'],
    ['KAFKA_PUBLISH', { kafka_request: { maxBlockMs: 'x' } }, 'kafka_request.maxBlockMs must be a'],
    ['HTTP', { http_request: { headers: 'a: b' } }, 'http_request.headers must be an object'],
    ['HTTP', { uri: 'http://x', readTimeOut: 'x' }, 'inputParameters.readTimeOut must be a number'],
    ['HTTP_POLL', { http_request: { pollingInterval: 'x' } }, 'http_request.pollingInterval must'],
    ['HTTP_POLL', { uri: 'http://x', encode: 'x' }, 'inputParameters.encode must be true or false'],
  ])('%s with %j is refused', (type, parameters, text) => {
    expect(troubles(type, parameters)).toContain(text);
  });

  it.each<[string, JsonMap]>([
    ['WAIT', { matches: '${workflow.input.matches}' }],
    ['WAIT', { matches: { '$.id': 1 } }],
    ['WAIT_FOR_WEBHOOK', { "$['id']": 1 }],
    ['KAFKA_PUBLISH', { kafka_request: '${workflow.input.request}' }],
    ['KAFKA_PUBLISH', { kafka_request: { headers: null, requestTimeoutMs: '100' } }],
    ['HTTP', { http_request: { headers: '${workflow.input.headers}', readTimeOut: null } }],
    ['HTTP_POLL', { http_request: { pollingInterval: '5' } }],
  ])('%s with %j is taken', (type, parameters) => {
    expect(troubles(type, parameters)).toBe('');
  });
});
