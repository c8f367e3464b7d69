// Endpoints of roles (contract-admin 5.3).
import type { CustomRoles } from './custom-roles.js';
import { parseCustomRole } from '../parse-identity.js';
import { body, replies, type AccessRule, type Endpoint } from '../../../api/endpoint.js';
import { list, mapOf, text } from '../../../api/form.js';
import { empty, json } from '../../../api/route.js';
import { customRoleRequestForm, roleForm } from '../forms.js';

const administrator: AccessRule = { rule: 'administrator' };
const base = '/api/roles';

export function roleRoutes(roles: CustomRoles): Endpoint[] {
  return [...listRoutes(roles), ...recordRoutes(roles)];
}

function listRoutes(roles: CustomRoles): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: base,
      name: 'listRoles',
      summary: 'Lists all roles.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(list(roleForm)),
      errors: [],
      handle: () => json(roles.list()),
    },
    {
      method: 'GET',
      pattern: `${base}/system`,
      name: 'listSystemRoles',
      summary: 'Shows the roles that every server has, by name.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(mapOf(roleForm)),
      errors: [],
      handle: () => json(roles.systemByName()),
    },
    {
      method: 'GET',
      pattern: `${base}/custom`,
      name: 'listCustomRoles',
      summary: 'Lists the roles that were made here.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(list(roleForm)),
      errors: [],
      handle: () => json(roles.custom()),
    },
    {
      method: 'GET',
      pattern: `${base}/permissions`,
      name: 'listPermissions',
      summary: 'Shows the permissions that a custom role may have, by type.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(mapOf(list(text()))),
      errors: [],
      handle: () => json(roles.permissions()),
    },
  ];
}

function recordRoutes(roles: CustomRoles): Endpoint[] {
  return [
    {
      method: 'POST',
      pattern: base,
      name: 'createRole',
      summary: 'Creates a role.',
      access: administrator,
      parameters: {},
      body: body(customRoleRequestForm),
      replies: replies(roleForm),
      errors: ['conflict'],
      handle: async (request) => {
        const role = parseCustomRole(request.json());
        request.noteObject(role.name);
        return json(await roles.create(role));
      },
    },
    {
      method: 'GET',
      pattern: `${base}/:name`,
      name: 'getRole',
      summary: 'Shows a role.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(roleForm),
      errors: ['not-found'],
      handle: (request) => json(roles.get(request.param('name'))),
    },
    {
      method: 'PUT',
      pattern: `${base}/:name`,
      name: 'putRole',
      summary: 'Creates or replaces a role.',
      access: administrator,
      parameters: {},
      body: body(customRoleRequestForm),
      replies: replies(roleForm),
      errors: [],
      handle: async (request) =>
        json(await roles.put(parseCustomRole(request.json(), request.param('name')))),
    },
    {
      method: 'DELETE',
      pattern: `${base}/:name`,
      name: 'deleteRole',
      summary: 'Deletes a role.',
      access: administrator,
      parameters: {},
      body: null,
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        await roles.delete(request.param('name'));
        return empty();
      },
    },
  ];
}
