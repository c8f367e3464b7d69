// Endpoints by which administrators see and end the sessions of a user, and take away a second
// factor that was lost.
import type { Persons } from '../users/persons.js';
import type { SecondFactors } from '../account/second-factors.js';
import type { Sessions } from './sessions.js';
import { replies, type AccessRule, type Endpoint } from '../../../api/endpoint.js';
import { flag, integer, list, object, oneOf, text, time } from '../../../api/form.js';
import { empty, json } from '../../../api/route.js';

const administrator: AccessRule = { rule: 'administrator' };
const base = '/api/users/:id';

export const sessionForm = object(
  'Session',
  {
    id: text('Id'),
    kind: oneOf(['page', 'token']),
    address: text('Of the client that signed in'),
    startedAt: time(),
    until: time('When its token ends; absent: never'),
    usedAt: time('When it was used, as far as that is known'),
    isOwn: flag('Whether it is the one that asks'),
  },
  ['id', 'kind', 'address', 'startedAt', 'usedAt', 'isOwn'],
);

const everySessionForm = object(
  'UserSession',
  { ...sessionForm.properties, person: text('Id of the user'), name: text('Of the user') },
  [...(sessionForm.required ?? []), 'person', 'name'],
);

export function userSessionRoutes(parts: {
  readonly persons: Persons;
  readonly sessions: Sessions;
  readonly secondFactors: SecondFactors;
}): Endpoint[] {
  const { persons, sessions, secondFactors } = parts;
  return [
    {
      method: 'GET',
      pattern: '/api/admin/sessions',
      name: 'listSessions',
      summary: 'Lists who is signed in, the session that was used last first.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(list(everySessionForm)),
      errors: [],
      handle: () => json(sessions.all()),
    },
    {
      method: 'GET',
      pattern: `${base}/sessions`,
      name: 'listUserSessions',
      summary: 'Lists the sessions of a user, the newest first.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(list(sessionForm)),
      errors: ['not-found'],
      handle: (request) => json(sessions.list(persons.person(request.param('id')).id)),
    },
    {
      method: 'DELETE',
      pattern: `${base}/sessions`,
      name: 'endUserSessions',
      summary: 'Ends all sessions of a user, on every node.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(object('EndedSessions', { ended: integer('How many') }, ['ended'])),
      errors: ['not-found'],
      handle: async (request) => {
        const { id } = persons.person(request.param('id'));
        return json({ ended: await sessions.endOthers(id) });
      },
    },
    {
      method: 'DELETE',
      pattern: `${base}/sessions/:sessionId`,
      name: 'endUserSession',
      summary: 'Ends a session of a user, on every node.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        const { id } = persons.person(request.param('id'));
        await sessions.end(id, request.param('sessionId'));
        return empty();
      },
    },
    {
      method: 'DELETE',
      pattern: `${base}/second-factor`,
      name: 'resetSecondFactor',
      summary: 'Removes the second factor of a user who has lost it.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        await secondFactors.remove(persons.person(request.param('id')).id);
        return empty();
      },
    },
  ];
}
