// Endpoints by which administrators see and end the sessions of a user, and take away a second
// factor that was lost.
import {
  endpoint,
  listOf,
  nothing,
  type AccessRule,
  type Endpoint,
} from '../../../api/endpoint.js';
import { endedSessions } from '../fields.js';
import { session, userSession } from './session.js';
import type { Persons } from '../users/persons.js';
import type { SecondFactors } from '../account/second-factors.js';
import type { Sessions } from './sessions.js';

const administrator: AccessRule = { rule: 'administrator' };
const base = '/api/users/:id';

export function userSessionRoutes(parts: {
  readonly persons: Persons;
  readonly sessions: Sessions;
  readonly secondFactors: SecondFactors;
}): Endpoint[] {
  const { persons, sessions, secondFactors } = parts;
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/admin/sessions',
      name: 'listSessions',
      summary: 'Lists who is signed in, the session that was used last first.',
      access: administrator,
      reply: listOf(userSession),
      handle: () => sessions.all(),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/sessions`,
      name: 'listUserSessions',
      summary: 'Lists the sessions of a user, the newest first.',
      access: administrator,
      reply: listOf(session),
      errors: ['not-found'],
      handle: (request) => sessions.list(persons.person(request.param('id')).id),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/sessions`,
      name: 'endUserSessions',
      summary: 'Ends all sessions of a user, on every node.',
      access: administrator,
      reply: endedSessions,
      errors: ['not-found'],
      handle: async (request) => {
        const { id } = persons.person(request.param('id'));
        return { ended: await sessions.endOthers(id) };
      },
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/sessions/:sessionId`,
      name: 'endUserSession',
      summary: 'Ends a session of a user, on every node.',
      access: administrator,
      reply: nothing,
      errors: ['not-found'],
      handle: async (request) => {
        const { id } = persons.person(request.param('id'));
        await sessions.end(id, request.param('sessionId'));
      },
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/second-factor`,
      name: 'resetSecondFactor',
      summary: 'Removes the second factor of a user who has lost it.',
      access: administrator,
      reply: nothing,
      errors: ['not-found'],
      handle: async (request) => {
        await secondFactors.remove(persons.person(request.param('id')).id);
      },
    }),
  ];
}
