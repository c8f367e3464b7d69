// Endpoints of invitations.
import type { IdentityTables } from '../identity-tables.js';
import { parseInvitation, type Invitations } from './invitations.js';
import { RecordReader, refused } from '../../../model/record-reader.js';
import { body, replies, type AccessRule, type Endpoint } from '../../../api/endpoint.js';
import { list, object, text, time } from '../../../api/form.js';
import { empty, json } from '../../../api/route.js';
import { namesForm } from '../forms.js';

const administrator: AccessRule = { rule: 'administrator' };
const base = '/api/admin/invitations';

const shown = {
  id: text('Id'),
  email: text('Id of the account to be'),
  name: text('Name to show'),
  roles: list(text()),
  groups: list(text()),
  createdBy: text('Subject id'),
  createdAt: time(),
  until: time('From then on it does not count'),
};
const names = Object.keys(shown);
const invitationForm = object('Invitation', shown, names);
const createdForm = object(
  'CreatedInvitation',
  { ...shown, token: text('For who is invited; shown this one time only') },
  [...names, 'token'],
);

export function invitationRoutes(invitations: Invitations, identities: IdentityTables): Endpoint[] {
  return [
    {
      method: 'POST',
      pattern: base,
      name: 'createInvitation',
      summary: 'Invites somebody, who sets the password of the new account with the token.',
      access: administrator,
      parameters: {},
      body: body(
        object(
          'InvitationRequest',
          {
            email: text('Id of the account to be'),
            name: text('Name to show'),
            roles: namesForm,
            groups: namesForm,
          },
          ['email'],
        ),
      ),
      replies: replies(createdForm),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        const wanted = parseInvitation(request.json(), identities);
        request.noteObject(wanted.email);
        return json(await invitations.create(request.caller.id, wanted));
      },
    },
    {
      method: 'GET',
      pattern: base,
      name: 'listInvitations',
      summary: 'Lists invitations that count, the newest first.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(list(invitationForm)),
      errors: [],
      handle: () => json(invitations.list()),
    },
    {
      method: 'DELETE',
      pattern: `${base}/:id`,
      name: 'deleteInvitation',
      summary: 'Takes an invitation back.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        await invitations.remove(request.param('id'));
        return empty();
      },
    },
    {
      method: 'POST',
      pattern: '/api/accept-invitation',
      name: 'acceptInvitation',
      summary: 'Makes the account of an invitation, with a password.',
      access: { rule: 'public' },
      parameters: {},
      body: body(
        object(
          'InvitationAcceptance',
          { token: text('Of the invitation'), password: text('Of the new account') },
          ['token', 'password'],
        ),
      ),
      replies: replies(object('AcceptedInvitation', { id: text('User id') }, ['id'])),
      errors: ['forbidden', 'conflict'],
      handle: async (request) => {
        const reader = new RecordReader(request.json(), '');
        const [token, password] = (['token', 'password'] as const).map((name) => {
          const value = reader.text(name);
          if (value === undefined || value === '') throw refused(name, 'must be given');
          return value;
        });
        const made = await invitations.accept(token ?? '', password ?? '');
        request.noteObject(made.id);
        return json({ ...made });
      },
    },
  ];
}
