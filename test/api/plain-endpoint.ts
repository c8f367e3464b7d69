// An entry for tests of what surrounds the handlers.
import type { Endpoint, Method } from '../../src/api/endpoint.js';
import { empty } from '../../src/api/route.js';

let names = 0;

/** A public endpoint that declares nothing but what `over` says. */
export function plainEndpoint(
  method: Method,
  pattern: string,
  over: Partial<Endpoint> = {},
): Endpoint {
  return {
    method,
    pattern,
    name: `endpoint${++names}`,
    summary: 'A test.',
    access: { rule: 'public' },
    parameters: {},
    body: null,
    replies: { 200: { schema: null } },
    errors: [],
    handle: () => empty(),
    ...over,
  };
}
