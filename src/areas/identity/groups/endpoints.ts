// Endpoints of groups and their members (contract-admin 4.2).
import type { Grants } from '../grants/grants.js';
import type { Groups } from './groups.js';
import type { IdentityTables } from '../identity-tables.js';
import { checkId, parseGroupRequest, parseUserIds } from '../parse-identity.js';
import { body, replies, type AccessRule, type Endpoint } from '../../../api/endpoint.js';
import { list, text } from '../../../api/form.js';
import { empty, json } from '../../../api/route.js';
import { grantedAccessForm, groupForm, groupRequestForm, messageForm, userForm } from '../forms.js';

export interface GroupRouteParts {
  readonly identities: IdentityTables;
  readonly groups: Groups;
  readonly grants: Grants;
}

const administrator: AccessRule = { rule: 'administrator' };
const base = '/api/groups';

export function groupRoutes(parts: GroupRouteParts): Endpoint[] {
  return [...groupRecordRoutes(parts), ...memberRoutes(parts)];
}

function groupRecordRoutes({ identities, groups, grants }: GroupRouteParts): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: base,
      name: 'listGroups',
      summary: 'Lists groups.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(list(groupForm)),
      errors: [],
      handle: () => json(groups.list()),
    },
    {
      method: 'PUT',
      pattern: `${base}/:id`,
      name: 'putGroup',
      summary: 'Creates or replaces a group; its members stay.',
      access: administrator,
      parameters: {},
      body: body(groupRequestForm),
      replies: replies(groupForm),
      errors: ['conflict'],
      handle: async (request) => {
        const wanted = parseGroupRequest(request.json(), identities);
        return json(await groups.put(checkId(request.param('id'), 'id'), wanted));
      },
    },
    {
      method: 'GET',
      pattern: `${base}/:id`,
      name: 'getGroup',
      summary: 'Shows a group.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(groupForm),
      errors: ['not-found'],
      handle: (request) => json(groups.get(request.param('id'))),
    },
    {
      method: 'DELETE',
      pattern: `${base}/:id`,
      name: 'deleteGroup',
      summary: 'Deletes a group with its memberships and grants.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(messageForm),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        await groups.delete(request.param('id'));
        return json({ message: `Deleted group '${request.param('id')}'` });
      },
    },
    {
      method: 'GET',
      pattern: `${base}/:groupId/permissions`,
      name: 'getGroupPermissions',
      summary: 'Lists what a group was granted.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(grantedAccessForm),
      errors: ['not-found'],
      handle: (request) => {
        const { id } = groups.group(request.param('groupId'));
        return json(grants.permissionsOf({ type: 'GROUP', id }));
      },
    },
  ];
}

function memberRoutes({ groups }: GroupRouteParts): Endpoint[] {
  const userIdsForm = list(text('User id'));
  return [
    {
      method: 'GET',
      pattern: `${base}/:id/users`,
      name: 'listGroupMembers',
      summary: 'Lists the members of a group.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(list(userForm)),
      errors: ['not-found'],
      handle: (request) => json(groups.members(request.param('id'))),
    },
    {
      method: 'POST',
      pattern: `${base}/:groupId/users/:userId`,
      name: 'addGroupMember',
      summary: 'Makes a user a member of a group.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        await groups.add(request.param('groupId'), parseUserIds(request.param('userId')));
        return empty();
      },
    },
    {
      method: 'DELETE',
      pattern: `${base}/:groupId/users/:userId`,
      name: 'removeGroupMember',
      summary: 'Ends a membership.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(null),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        await groups.remove(request.param('groupId'), parseUserIds(request.param('userId')));
        return empty();
      },
    },
    {
      method: 'POST',
      pattern: `${base}/:groupId/users`,
      name: 'addGroupMembers',
      summary: 'Makes users members of a group, all or none.',
      access: administrator,
      parameters: {},
      body: body(userIdsForm),
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        await groups.add(request.param('groupId'), parseUserIds(request.json()));
        return empty();
      },
    },
    {
      method: 'DELETE',
      pattern: `${base}/:groupId/users`,
      name: 'removeGroupMembers',
      summary: 'Ends memberships, all or none.',
      access: administrator,
      parameters: {},
      body: body(userIdsForm),
      replies: replies(null),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        await groups.remove(request.param('groupId'), parseUserIds(request.json()));
        return empty();
      },
    },
  ];
}
