// Endpoints of the links between accounts and identities of the provider.
import type { ProviderLinks } from './provider-links.js';
import type { Clock } from '../../../std/clock.js';
import { replies, type AccessRule, type Endpoint } from '../../../api/endpoint.js';
import { object, oneOf, text, time } from '../../../api/form.js';
import { empty, json } from '../../../api/route.js';

const administrator: AccessRule = { rule: 'administrator' };
const pattern = '/api/users/:id/provider';

const linkForm = object(
  'ProviderLink',
  {
    id: text('Id of the user'),
    state: oneOf(['NONE', 'ALLOWED', 'LINKED']),
    by: text('Administrator who has allowed it'),
    issuer: text('Provider'),
    subject: text('Identity of that provider'),
    at: time('Since when'),
  },
  ['id', 'state'],
);

export function providerLinkRoutes(links: ProviderLinks, clock: Clock): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern,
      name: 'getProviderLink',
      summary: 'Tells which identity of the identity provider signs in as a user.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(linkForm),
      errors: ['not-found'],
      handle: (request) => json(links.get(request.param('id'))),
    },
    {
      method: 'PUT',
      pattern,
      name: 'allowProviderLink',
      summary: 'Lets the next identity of the provider that shows the id of a user sign in as it.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(linkForm),
      errors: ['not-found'],
      handle: async (request) =>
        json(await links.allow(request.param('id'), request.caller.id, clock.now())),
    },
    {
      method: 'DELETE',
      pattern,
      name: 'removeProviderLink',
      summary: 'Separates a user from the identity of the provider, and takes back the word.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        await links.remove(request.param('id'));
        return empty();
      },
    },
  ];
}
