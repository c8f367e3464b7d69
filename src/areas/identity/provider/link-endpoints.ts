// Endpoints of the links between accounts and identities of the provider.
import { endpoint, nothing, type AccessRule, type Endpoint } from '../../../api/endpoint.js';
import { providerLink } from './provider-link.js';
import type { ProviderLinks } from './provider-links.js';
import type { Clock } from '../../../std/clock.js';

const administrator: AccessRule = { rule: 'administrator' };
const pattern = '/api/users/:id/provider';

export function providerLinkRoutes(links: ProviderLinks, clock: Clock): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern,
      name: 'getProviderLink',
      summary: 'Tells which identity of the identity provider signs in as a user.',
      access: administrator,
      reply: providerLink,
      errors: ['not-found'],
      handle: (request) => links.get(request.param('id')),
    }),
    endpoint({
      method: 'PUT',
      pattern,
      name: 'allowProviderLink',
      summary: 'Lets the next identity of the provider that shows the id of a user sign in as it.',
      access: administrator,
      reply: providerLink,
      errors: ['not-found'],
      handle: (request) => links.allow(request.caller, request.param('id'), clock.now()),
    }),
    endpoint({
      method: 'DELETE',
      pattern,
      name: 'removeProviderLink',
      summary: 'Separates a user from the identity of the provider, and takes back the word.',
      access: administrator,
      reply: nothing,
      errors: ['not-found'],
      handle: (request) => links.remove(request.param('id')),
    }),
  ];
}
