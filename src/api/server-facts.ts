// Small endpoints about the server that pages and administrators ask (contract-admin 18).
import type { JsonMap } from '../model/json.js';
import { replies, type Endpoint } from './endpoint.js';
import { integer, mapOf, object, text, type Form } from './form.js';
import { empty, json } from './route.js';

export interface ServerFacts {
  /** Named limits that callers can run into. */
  readonly limits: JsonMap;
  /** The facts that the page needs before it signs anybody in. */
  page(): JsonMap;
  /** Memory of the store now, bytes; a limit of 0 is none. */
  storeMemory(): { readonly usedBytes: number; readonly limitBytes: number };
}

export const usageForm: Form = object(
  'StoreUsage',
  { usedBytes: integer('Memory in use'), limitBytes: integer('Its limit; 0 for none') },
  ['usedBytes', 'limitBytes'],
);

export function serverFactRoutes(facts: ServerFacts): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: '/api/limits',
      name: 'getLimits',
      summary: 'Shows the limits that callers can run into.',
      access: { rule: 'caller' },
      parameters: {},
      body: null,
      replies: replies(mapOf(integer())),
      errors: [],
      handle: () => json(facts.limits),
    },
    {
      method: 'GET',
      pattern: '/context.js',
      name: 'getPageContext',
      summary: 'Sets what the page has to know of the server.',
      access: { rule: 'public' },
      parameters: {},
      body: null,
      replies: { 200: { form: text('A script'), contentType: scriptType } },
      errors: [],
      handle: () => ({
        status: 200,
        contentType: scriptType,
        body: `globalThis.conductor = ${JSON.stringify(facts.page())};\n`,
      }),
    },
    {
      method: 'POST',
      pattern: '/api/admin/cache/clear/:taskDefName',
      name: 'clearDefinitionCache',
      summary: 'Answers at once: nodes follow changes of definitions by themselves.',
      access: { rule: 'administrator' },
      audit: 'reads',
      parameters: {},
      body: null,
      replies: replies(null),
      errors: [],
      handle: () => empty(),
    },
    {
      method: 'GET',
      pattern: '/api/admin/redisUsage',
      name: 'getStoreUsage',
      summary: 'Shows how much memory the store uses.',
      access: { rule: 'administrator' },
      parameters: {},
      body: null,
      replies: replies(usageForm),
      errors: [],
      handle: () => json({ ...facts.storeMemory() }),
    },
  ];
}

const scriptType = 'text/javascript;charset=UTF-8';
