// Endpoints of groups and their members (contract-admin 4.2).
import {
  endpoint,
  listOf,
  nothing,
  type AccessRule,
  type Endpoint,
  type Intake,
} from '../../../api/endpoint.js';
import { list, text } from '../../../model/schema.js';
import { checkId, message } from '../fields.js';
import { grantedAccessResponse } from '../grants/grant.js';
import { parseUserIds, user } from '../users/user.js';
import { group, groupRequest } from './group.js';
import type { Grants } from '../grants/grants.js';
import type { Groups } from './groups.js';
import type { IdentityTables } from '../identity-tables.js';

export interface GroupRouteParts {
  readonly identities: IdentityTables;
  readonly groups: Groups;
  readonly grants: Grants;
}

const administrator: AccessRule = { rule: 'administrator' };
const base = '/api/groups';

const userIds: Intake<readonly string[]> = {
  ...{ schema: list(text('User id')), isRequired: true },
  of: (request) => parseUserIds(request.json()),
};

export function groupRoutes(parts: GroupRouteParts): Endpoint[] {
  return [...groupRecordRoutes(parts), ...memberRoutes(parts)];
}

function groupRecordRoutes({ identities, groups, grants }: GroupRouteParts): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: base,
      name: 'listGroups',
      summary: 'Lists groups.',
      access: administrator,
      reply: listOf(group),
      lists: {
        ...{ called: 'Group', about: 'What a group may do, all of its users may do.' },
        ...{ written: groupRequest(identities).schema, shown: group.schema },
        columns: ['id', 'description', 'roles'],
      },
      handle: () => groups.list(),
    }),
    endpoint({
      method: 'PUT',
      pattern: `${base}/:id`,
      name: 'putGroup',
      summary: 'Creates or replaces a group; its members stay.',
      access: administrator,
      body: groupRequest(identities),
      reply: group,
      errors: ['conflict'],
      handle: (request, wanted) =>
        groups.put(request.caller, checkId(request.param('id'), 'id'), wanted),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:id`,
      name: 'getGroup',
      summary: 'Shows a group.',
      access: administrator,
      reply: group,
      errors: ['not-found'],
      handle: (request) => groups.get(request.param('id')),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:id`,
      name: 'deleteGroup',
      summary: 'Deletes a group with its memberships and grants.',
      access: administrator,
      reply: message,
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        await groups.delete(request.caller, request.param('id'));
        return { message: `Deleted group '${request.param('id')}'` };
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:groupId/permissions`,
      name: 'getGroupPermissions',
      summary: 'Lists what a group was granted.',
      access: administrator,
      reply: grantedAccessResponse,
      errors: ['not-found'],
      handle: (request) => {
        const { id } = groups.group(request.param('groupId'));
        return grants.permissionsOf({ type: 'GROUP', id });
      },
    }),
  ];
}

function memberRoutes({ groups }: GroupRouteParts): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: `${base}/:id/users`,
      name: 'listGroupMembers',
      summary: 'Lists the members of a group.',
      access: administrator,
      reply: listOf(user),
      errors: ['not-found'],
      handle: (request) => groups.members(request.param('id')),
    }),
    endpoint({
      method: 'POST',
      pattern: `${base}/:groupId/users/:userId`,
      name: 'addGroupMember',
      summary: 'Makes a user a member of a group.',
      access: administrator,
      reply: nothing,
      errors: ['not-found'],
      handle: (request) =>
        groups.add(request.caller, request.param('groupId'), parseUserIds(request.param('userId'))),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:groupId/users/:userId`,
      name: 'removeGroupMember',
      summary: 'Ends a membership.',
      access: administrator,
      reply: nothing,
      errors: ['not-found', 'conflict'],
      handle: (request) =>
        groups.remove(
          request.caller,
          request.param('groupId'),
          parseUserIds(request.param('userId')),
        ),
    }),
    endpoint({
      method: 'POST',
      pattern: `${base}/:groupId/users`,
      name: 'addGroupMembers',
      summary: 'Makes users members of a group, all or none.',
      access: administrator,
      body: userIds,
      reply: nothing,
      errors: ['not-found'],
      handle: (request, ids) => {
        request.noteObjects(ids);
        return groups.add(request.caller, request.param('groupId'), ids);
      },
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:groupId/users`,
      name: 'removeGroupMembers',
      summary: 'Ends memberships, all or none.',
      access: administrator,
      body: userIds,
      reply: nothing,
      errors: ['not-found', 'conflict'],
      handle: (request, ids) => {
        request.noteObjects(ids);
        return groups.remove(request.caller, request.param('groupId'), ids);
      },
    }),
  ];
}
