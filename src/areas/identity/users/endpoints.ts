// Endpoints of users (contract-admin 3.2).
import {
  query,
  endpoint,
  listOf,
  nothing,
  type AccessRule,
  type Endpoint,
  type Intake,
} from '../../../api/endpoint.js';
import { anyObject, flag, mapOf, text } from '../../../model/schema.js';
import type { RouteRequest } from '../../../api/route.js';
import { checkId, message, type Shown } from '../fields.js';
import { grantedAccessResponse } from '../grants/grant.js';
import { personRequest, user } from './user.js';
import { rights, type AccessRules } from '../../../access/access-rules.js';
import { parseTargetType } from '../../../access/parse-rights.js';
import { presentCaller } from '../sign-in/authenticator.js';
import { AppError } from '../../../model/errors.js';
import type { Tags } from '../../../operation/tags/tags.js';
import { explainAccess, explainedRight } from '../rights/explain-access.js';
import type { Grants } from '../grants/grants.js';
import type { IdentityTables } from '../identity-tables.js';
import type { Persons } from './persons.js';
import { personIdOf } from '../../../model/person-id.js';

export interface UserRouteParts {
  readonly identities: IdentityTables;
  readonly persons: Persons;
  readonly grants: Grants;
  readonly access: AccessRules;
  readonly tags: Tags;
}

const administrator: AccessRule = { rule: 'administrator' };
const base = '/api/users';
const checkedPermissions: Shown<Readonly<Record<string, boolean>>> = {
  schema: mapOf(flag(), 'Whether each right is held'),
};
const unread: Intake<void> = { schema: anyObject, isRequired: false, of: () => undefined };

export function userRoutes(parts: UserRouteParts): Endpoint[] {
  const { identities, persons, grants, access } = parts;
  const subject = (request: RouteRequest, name: string): string => {
    const id = personIdOf(request.param(name));
    persons.get(id);
    return id;
  };
  return [
    endpoint({
      method: 'GET',
      pattern: base,
      name: 'listUsers',
      summary: 'Lists users, and applications when asked for.',
      access: administrator,
      parameters: { apps: query(flag('Whether applications are listed', { default: false })) },
      reply: listOf(user),
      lists: {
        ...{ called: 'User', about: 'A user signs in, has roles, and belongs to groups.' },
        ...{ written: personRequest(identities).schema, shown: user.schema },
        columns: ['id', 'name', 'roles', 'groups'],
      },
      handle: (request) => persons.list(request.queryBoolean('apps')),
    }),
    endpoint({
      method: 'PUT',
      pattern: `${base}/:id`,
      name: 'putUser',
      summary: 'Creates or replaces a user.',
      access: administrator,
      body: personRequest(identities),
      reply: user,
      errors: ['not-found', 'conflict'],
      handle: (request, wanted) =>
        persons.put(request.caller, checkId(request.param('id'), 'id'), wanted),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:id`,
      name: 'getUser',
      summary: 'Shows a user.',
      access: administrator,
      reply: user,
      errors: ['not-found'],
      handle: (request) => persons.get(request.param('id')),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:id`,
      name: 'deleteUser',
      summary: 'Deletes a user with its grants.',
      access: administrator,
      reply: message,
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        await persons.delete(request.caller, request.param('id'));
        return { message: `Deleted user '${request.param('id')}'` };
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:userId/permissions`,
      name: 'getUserPermissions',
      summary: 'Lists what a user was granted itself.',
      access: administrator,
      reply: grantedAccessResponse,
      errors: ['not-found'],
      handle: (request) => grants.permissionsOf({ type: 'USER', id: subject(request, 'userId') }),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:userId/checkPermissions`,
      name: 'checkUserPermissions',
      summary: 'Tells which rights a user has on a resource, whichever way.',
      access: administrator,
      parameters: {
        type: query(text('Type of the resource'), { required: true }),
        id: query(text('Name or id of the resource'), { required: true }),
      },
      reply: checkedPermissions,
      errors: ['not-found'],
      handle: (request) => {
        const type = parseTargetType(request.queryRequired('type'));
        const id = request.queryRequired('id');
        const caller = presentCaller(subject(request, 'userId'), identities);
        if (caller === undefined) throw new AppError('not-found', 'The user was deleted');
        return Object.fromEntries(
          rights.map((right) => [right, access.may(caller, right, { type, id })]),
        );
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:userId/access`,
      name: 'explainAccess',
      summary: 'Tells which rights a user has on a resource, and by which roles and grants.',
      access: administrator,
      parameters: {
        type: query(text('Type of the resource'), { required: true }),
        id: query(text('Name or id of the resource'), { required: true }),
      },
      reply: listOf(explainedRight),
      errors: ['not-found'],
      handle: (request) => {
        const caller = presentCaller(subject(request, 'userId'), identities);
        const type = parseTargetType(request.queryRequired('type'));
        const id = request.queryRequired('id');
        if (caller === undefined) throw new AppError('not-found', 'The user was deleted');
        return explainAccess(parts, caller, { type, id });
      },
    }),
    endpoint({
      method: 'POST',
      pattern: `${base}/:email/sendInviteEmail`,
      name: 'sendInviteEmail',
      summary: 'Answers without doing anything: this server sends no mail.',
      access: administrator,
      body: unread,
      reply: nothing,
      handle: () => undefined,
    }),
  ];
}
