// The signature that a signed URL of this server carries (signed-urls.ts).
import type { GivenSignature } from './signed-urls.js';
import { query } from '../../api/endpoint.js';
import { text } from '../../model/schema.js';
import type { RouteRequest } from '../../api/route.js';

export const signatureParameters = {
  op: query(text('upload or download')),
  exp: query(text('Moment when it ends, epoch ms')),
  kid: query(text('Name of the key')),
  sig: query(text('Signature')),
};

export function signatureOf(request: RouteRequest): GivenSignature {
  return {
    op: request.query('op'),
    exp: request.query('exp'),
    kid: request.query('kid'),
    sig: request.query('sig'),
  };
}
