// Endpoints of invitations.
import {
  endpoint,
  listOf,
  nothing,
  type AccessRule,
  type Endpoint,
} from '../../../api/endpoint.js';
import type { RoleNames } from '../roles/role.js';
import {
  acceptance,
  acceptedInvitation,
  createdInvitation,
  invitationRequest,
  shownInvitation,
} from './invitation.js';
import type { Invitations } from './invitations.js';
import { plainId } from '../../../model/subject.js';

const administrator: AccessRule = { rule: 'administrator' };
const base = '/api/admin/invitations';

export function invitationRoutes(invitations: Invitations, identities: RoleNames): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: base,
      name: 'createInvitation',
      summary: 'Invites somebody, who sets the password of the new account with the token.',
      access: administrator,
      body: invitationRequest(identities),
      reply: createdInvitation,
      errors: ['not-found', 'conflict'],
      handle: (request, wanted) => {
        request.noteObject(wanted.email);
        return invitations.create(plainId(request.caller.id), wanted);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: base,
      name: 'listInvitations',
      summary: 'Lists invitations that count, the newest first.',
      access: administrator,
      reply: listOf(shownInvitation),
      handle: () => invitations.list(),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:id`,
      name: 'deleteInvitation',
      summary: 'Takes an invitation back.',
      access: administrator,
      reply: nothing,
      errors: ['not-found'],
      handle: (request) => invitations.remove(request.param('id')),
    }),
    endpoint({
      method: 'POST',
      pattern: '/api/accept-invitation',
      name: 'acceptInvitation',
      summary: 'Makes the account of an invitation, with a password.',
      access: { rule: 'public' },
      body: acceptance,
      reply: acceptedInvitation,
      errors: ['forbidden', 'conflict'],
      handle: async (request, { token, password }) => {
        const made = await invitations.accept(token, password);
        request.noteObject(made.id);
        return made;
      },
    }),
  ];
}
