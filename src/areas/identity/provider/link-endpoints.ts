// Endpoints of the links between accounts and identities of the provider.
import type { AccessRule, Endpoint } from '../../../api/endpoint.js';
import { oneOf, text, time } from '../../../api/form.js';
import { told } from '../../../declare/field.js';
import { endpoint, nothing } from '../../../declare/endpoint.js';
import { always, shown } from '../fields.js';
import type { ProviderLink } from './provider-links.js';
import type { ProviderLinks } from './provider-links.js';
import type { Clock } from '../../../std/clock.js';

const administrator: AccessRule = { rule: 'administrator' };
const pattern = '/api/users/:id/provider';

const providerLink = shown('ProviderLink', {
  id: always<string>(text('Id of the user')),
  state: always<'NONE' | ProviderLink['state']>(oneOf(['NONE', 'ALLOWED', 'LINKED'])),
  by: told<string>(text('Administrator who has allowed it')),
  issuer: told<string>(text('Provider')),
  subject: told<string>(text('Identity of that provider')),
  at: told<number>(time('Since when')),
});

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
      handle: (request) => links.allow(request.param('id'), request.caller.id, clock.now()),
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
