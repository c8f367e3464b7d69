// Endpoints of roles (contract-admin 5.3).
import {
  endpoint,
  listOf,
  nothing,
  type AccessRule,
  type Endpoint,
  type Intake,
} from '../../../api/endpoint.js';
import { list, mapOf, text } from '../../../model/schema.js';
import type { CustomRole } from '../identities.js';
import { customRoleSchema, parseCustomRole, role, type ShownRole } from './role.js';
import type { Shown } from '../fields.js';
import type { CustomRoles } from './custom-roles.js';

const administrator: AccessRule = { rule: 'administrator' };
const base = '/api/roles';

const rolesByName: Shown<Readonly<Record<string, ShownRole>>> = { schema: mapOf(role.schema) };
const permissionNames: Shown<Readonly<Record<string, readonly string[]>>> = {
  schema: mapOf(list(text())),
};
const roleSent: Intake<CustomRole> = {
  ...{ schema: customRoleSchema, isRequired: true },
  of: (request) => parseCustomRole(request.json()),
};
/** In the path is its name. */
const roleNamed: Intake<CustomRole> = {
  ...roleSent,
  of: (request) => parseCustomRole(request.json(), request.param('name')),
};

export function roleRoutes(roles: CustomRoles): Endpoint[] {
  return [...listRoutes(roles), ...recordRoutes(roles)];
}

function listRoutes(roles: CustomRoles): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: base,
      name: 'listRoles',
      summary: 'Lists all roles.',
      access: administrator,
      reply: listOf(role),
      lists: {
        ...{ called: 'Role', shown: role.schema, columns: ['name', 'permissions'] },
        written: { ...customRoleSchema, required: ['name', 'permissions'] },
      },
      handle: () => roles.list(),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/system`,
      name: 'listSystemRoles',
      summary: 'Shows the roles that every server has, by name.',
      access: administrator,
      reply: rolesByName,
      handle: () => roles.systemByName(),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/custom`,
      name: 'listCustomRoles',
      summary: 'Lists the roles that were made here.',
      access: administrator,
      reply: listOf(role),
      handle: () => roles.custom(),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/permissions`,
      name: 'listPermissions',
      summary: 'Shows the permissions that a custom role may have, by type.',
      access: administrator,
      reply: permissionNames,
      handle: () => roles.permissions(),
    }),
  ];
}

function recordRoutes(roles: CustomRoles): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: base,
      name: 'createRole',
      summary: 'Creates a role.',
      access: administrator,
      body: roleSent,
      reply: role,
      errors: ['conflict'],
      handle: (request, wanted) => {
        request.noteObject(wanted.name);
        return roles.create(request.caller, wanted);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:name`,
      name: 'getRole',
      summary: 'Shows a role.',
      access: administrator,
      reply: role,
      errors: ['not-found'],
      handle: (request) => roles.get(request.param('name')),
    }),
    endpoint({
      method: 'PUT',
      pattern: `${base}/:name`,
      name: 'putRole',
      summary: 'Creates or replaces a role.',
      access: administrator,
      body: roleNamed,
      reply: role,
      handle: (request, wanted) => roles.put(request.caller, wanted),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:name`,
      name: 'deleteRole',
      summary: 'Deletes a role.',
      access: administrator,
      reply: nothing,
      errors: ['not-found'],
      handle: (request) => roles.delete(request.param('name')),
    }),
  ];
}
