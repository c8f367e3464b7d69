// Endpoints of users (contract-admin 3.2).
import { rights, type AccessRules } from '../../access/access-rules.js';
import { callerOf } from '../../access/authenticator.js';
import { AppError } from '../../model/errors.js';
import type { Tags } from '../../operation/tags/tags.js';
import { explainAccess } from '../../operation/identity/explain-access.js';
import { parseTargetType, type Grants } from '../../operation/identity/grants.js';
import type { IdentityTables } from '../../operation/identity/identity-tables.js';
import { checkId, parsePersonRequest } from '../../operation/identity/parse-identity.js';
import type { Persons } from '../../operation/identity/persons.js';
import { body, query, replies, type AccessRule, type Endpoint } from '../endpoint.js';
import { anyObject, flag, list, text } from '../form.js';
import { empty, json, type RouteRequest } from '../route.js';
import {
  checkedPermissionsForm,
  explainedAccessForm,
  grantedAccessForm,
  messageForm,
  userForm,
  userRequestForm,
} from './forms.js';
import { personIdOf } from '../../model/person-id.js';

export interface UserRouteParts {
  readonly identities: IdentityTables;
  readonly persons: Persons;
  readonly grants: Grants;
  readonly access: AccessRules;
  readonly tags: Tags;
}

const administrator: AccessRule = { rule: 'administrator' };
const base = '/api/users';

export function userRoutes(parts: UserRouteParts): Endpoint[] {
  const { identities, persons, grants, access } = parts;
  const subject = (request: RouteRequest, name: string): string => {
    const id = personIdOf(request.param(name));
    persons.get(id);
    return id;
  };
  return [
    {
      method: 'GET',
      pattern: base,
      name: 'listUsers',
      summary: 'Lists users, and applications when asked for.',
      access: administrator,
      parameters: { apps: query(flag('Whether applications are listed', { default: false })) },
      body: null,
      replies: replies(list(userForm)),
      errors: [],
      handle: (request) => json(persons.list(request.queryBoolean('apps', false))),
    },
    {
      method: 'PUT',
      pattern: `${base}/:id`,
      name: 'putUser',
      summary: 'Creates or replaces a user.',
      access: administrator,
      parameters: {},
      body: body(userRequestForm),
      replies: replies(userForm),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        const wanted = parsePersonRequest(request.json(), identities);
        return json(await persons.put(checkId(request.param('id'), 'id'), wanted));
      },
    },
    {
      method: 'GET',
      pattern: `${base}/:id`,
      name: 'getUser',
      summary: 'Shows a user.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(userForm),
      errors: ['not-found'],
      handle: (request) => json(persons.get(request.param('id'))),
    },
    {
      method: 'DELETE',
      pattern: `${base}/:id`,
      name: 'deleteUser',
      summary: 'Deletes a user with its grants.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(messageForm),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        await persons.delete(request.param('id'));
        return json({ message: `Deleted user '${request.param('id')}'` });
      },
    },
    {
      method: 'GET',
      pattern: `${base}/:userId/permissions`,
      name: 'getUserPermissions',
      summary: 'Lists what a user was granted itself.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(grantedAccessForm),
      errors: ['not-found'],
      handle: (request) =>
        json(grants.permissionsOf({ type: 'USER', id: subject(request, 'userId') })),
    },
    {
      method: 'GET',
      pattern: `${base}/:userId/checkPermissions`,
      name: 'checkUserPermissions',
      summary: 'Tells which rights a user has on a resource, whichever way.',
      access: administrator,
      parameters: {
        type: query(text('Type of the resource'), { required: true }),
        id: query(text('Name or id of the resource'), { required: true }),
      },
      body: null,
      replies: replies(checkedPermissionsForm),
      errors: ['not-found'],
      handle: (request) => {
        const type = parseTargetType(request.queryRequired('type'));
        const id = request.queryRequired('id');
        const caller = callerOf(subject(request, 'userId'), identities);
        if (caller === undefined) throw new AppError('not-found', 'The user was deleted');
        return json(
          Object.fromEntries(
            rights.map((right) => [right, access.may(caller, right, { type, id })]),
          ),
        );
      },
    },
    {
      method: 'GET',
      pattern: `${base}/:userId/access`,
      name: 'explainAccess',
      summary: 'Tells which rights a user has on a resource, and by which roles and grants.',
      access: administrator,
      parameters: {
        type: query(text('Type of the resource'), { required: true }),
        id: query(text('Name or id of the resource'), { required: true }),
      },
      body: null,
      replies: replies(explainedAccessForm),
      errors: ['not-found'],
      handle: (request) => {
        const caller = callerOf(subject(request, 'userId'), identities);
        const type = parseTargetType(request.queryRequired('type'));
        const id = request.queryRequired('id');
        if (caller === undefined) throw new AppError('not-found', 'The user was deleted');
        return json(explainAccess(parts, caller, { type, id }));
      },
    },
    {
      method: 'POST',
      pattern: `${base}/:email/sendInviteEmail`,
      name: 'sendInviteEmail',
      summary: 'Answers without doing anything: this server sends no mail.',
      access: administrator,
      parameters: {},
      body: body(anyObject, false),
      replies: replies(null),
      errors: [],
      handle: () => empty(),
    },
  ];
}
