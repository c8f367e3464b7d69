// Where platforms call in (contract-admin 12.3): without a token, verified by the webhook itself.
import type { IncomingCall } from './verifiers/contract.js';
import { receiveCall, type ReceiveParts } from './receive-call.js';
import { query, rawEndpoint, type Endpoint } from '../../api/endpoint.js';
import { anything, text } from '../../model/schema.js';
import type { ApiResponse } from '../../api/http-server.js';
import type { TrustedProxies } from '../../api/client-address.js';
import { empty, type RouteRequest } from '../../api/route.js';

export interface IncomingParts extends ReceiveParts {
  /** Epoch ms. */
  readonly now: () => number;
  /** Bytes that the body of a call may have. */
  readonly bodyBytesMax: number;
  readonly proxies: TrustedProxies;
}

export function incomingWebhookRoutes(parts: IncomingParts): Endpoint[] {
  return ['/webhook/:id', '/api/webhook/:id'].flatMap((pattern, i): Endpoint[] =>
    (['POST', 'GET'] as const).map((method) =>
      rawEndpoint({
        method,
        pattern,
        name: `receiveWebhook${method === 'GET' ? 'Ping' : 'Call'}${i === 0 ? '' : 'BelowApi'}`,
        summary: 'Takes a call of a platform; what it causes happens afterwards.',
        access: { rule: 'public' },
        audit: method === 'GET' ? 'routine' : 'persons',
        parameters: { crc_token: query(text('Challenge of the platform X')) },
        allHeaders: true,
        allQueries: true,
        body: method === 'POST' ? { schema: anything, required: false } : null,
        bodyBytesMax: parts.bodyBytesMax,
        replies: { 200: { schema: null, description: 'Taken, or the answer to a challenge' } },
        errors: ['unauthenticated', 'too-many'],
        handle: (request) => receive(parts, method, request),
      }),
    ),
  );
}

async function receive(
  parts: IncomingParts,
  method: 'GET' | 'POST',
  request: RouteRequest,
): Promise<ApiResponse> {
  const headers = Object.entries(request.headers());
  const call: IncomingCall = {
    method,
    headers: new Map(headers.map(([name, value]) => [name, [value]])),
    query: request.queries(),
    body: method === 'GET' ? Buffer.alloc(0) : request.bytes,
    receivedAt: parts.now(),
  };
  const address = parts.proxies.clientOf(
    request.remoteAddress,
    request.headers()['x-forwarded-for'],
  );
  const answer = await receiveCall(parts, { id: request.param('id'), address }, call);
  if (answer.kind === 'accepted') return empty();
  return { status: 200, contentType: answer.contentType, body: answer.answer };
}
