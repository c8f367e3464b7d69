// Small endpoints about the server that pages and administrators ask (contract-admin 18).
import type { JsonMap } from '../../model/json.js';
import { endpoint, nothing, rawEndpoint, type Endpoint } from '../../api/endpoint.js';
import { integer, mapOf, text } from '../../model/schema.js';
import { usageSchema } from './port.js';

export interface ServerFacts {
  /** Named limits that callers can run into. */
  readonly limits: Readonly<Record<string, number>>;
  /** The facts that the page needs before it signs anybody in. */
  page(): JsonMap;
  /** Memory of the store now, bytes; a limit of 0 is none. */
  storeMemory(): { readonly usedBytes: number; readonly limitBytes: number };
}

export function serverFactRoutes(facts: ServerFacts): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/limits',
      name: 'getLimits',
      summary: 'Shows the limits that callers can run into.',
      access: { rule: 'caller' },
      reply: mapOf(integer()),
      handle: () => facts.limits,
    }),
    rawEndpoint({
      method: 'GET',
      pattern: '/context.js',
      name: 'getPageContext',
      summary: 'Sets what the page has to know of the server.',
      access: { rule: 'public' },
      replies: { 200: { schema: text('A script'), contentType: scriptType } },
      handle: () => ({
        status: 200,
        contentType: scriptType,
        body: `globalThis.conductor = ${JSON.stringify(facts.page())};\n`,
      }),
    }),
    endpoint({
      method: 'POST',
      pattern: '/api/admin/cache/clear/:taskDefName',
      name: 'clearDefinitionCache',
      summary: 'Answers at once: nodes follow changes of definitions by themselves.',
      access: { rule: 'administrator' },
      audit: 'reads',
      reply: nothing,
      handle: () => undefined,
    }),
    endpoint({
      method: 'GET',
      pattern: '/api/admin/redisUsage',
      name: 'getStoreUsage',
      summary: 'Shows how much memory the store uses.',
      access: { rule: 'administrator' },
      reply: usageSchema,
      handle: () => ({ ...facts.storeMemory() }),
    }),
  ];
}

const scriptType = 'text/javascript;charset=UTF-8';
