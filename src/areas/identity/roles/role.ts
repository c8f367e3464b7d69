// A role as it is shown, and one that a deployment makes itself (contract-admin 5.3).
import { list, object, text, type Schema } from '../../../model/schema.js';
import { oneOrMany } from '../../../access/parse-rights.js';
import type { Field } from '../../../model/field.js';
import { record } from '../../../model/record.js';
import { AppError } from '../../../model/errors.js';
import { isMap, parseTexts, refused, type RecordReader } from '../../../model/record-reader.js';
import { always, given, nameOf, namesSchema, shown, type ValueOf } from '../fields.js';
import type { CustomRole, Identities } from '../identities.js';
import { parsePermission, permissionsOf } from './roles.js';
import { isSystemRole } from './system-roles.js';

export const role = shown('Role', {
  name: always<string>(text('Name')),
  permissions: always<readonly { readonly name: string }[]>(
    list(object('Permission', { name: text('Name') }, ['name'])),
  ),
});
export type ShownRole = ValueOf<typeof role>;

export function toRoleJson(name: string, identities: RoleNames): ShownRole {
  const permissions = permissionsOf(name, identities) ?? [];
  return { name, permissions: permissions.map((permission) => ({ name: permission })) };
}

/** `name`: of the path; undefined: the body has it. */
const customRole = (name?: string) =>
  record('CustomRoleRequest', {
    name: {
      presence: 'optional',
      schema: text(),
      read: (reader, field) => notOfTheSystem(name ?? nameOf(reader, field)),
    } satisfies Field<string, 'optional'>,
    permissions: given(
      {
        ...list(text('RIGHT_TYPE, such as READ_WORKFLOW_DEF')),
        'x-names': { path: '/api/roles/permissions', member: 'name' },
      },
      permissionsIn,
    ),
  });
export const customRoleSchema: Schema = customRole().schema;

/** Throws AppError 'bad-request'. */
export function parseCustomRole(input: unknown, name?: string): CustomRole {
  const { name: given = '', permissions } = customRole(name).parse(input);
  return { name: given, permissions };
}

function notOfTheSystem(name: string): string {
  if (isSystemRole(name)) throw new AppError('bad-request', `${name} is a role of the system`);
  return name;
}

function permissionsIn(reader: RecordReader, field: string): readonly string[] {
  const permissions = parseTexts(oneOrMany(reader.raw(field) ?? []), field);
  const wrong = permissions.find((permission) => parsePermission(permission) === undefined);
  if (wrong !== undefined) {
    throw refused(field, `must have the form RIGHT_TYPE, such as READ_TASK_DEF: ${wrong}`);
  }
  return [...new Set(permissions)];
}

export type RoleNames = Pick<Identities, 'customRole'>;

/** Names of roles, as the fields of requests hold them. */
export const rolesSchema: Schema = {
  ...namesSchema,
  'x-names': { path: '/api/roles', member: 'name' },
};

/** Names, one name, or objects with names, as answers show them (contract-admin 0.4, 3.1). */
export function rolesIn(known: RoleNames): (reader: RecordReader, field: string) => string[] {
  return (reader, field) => {
    const sent = oneOrMany(reader.raw(field) ?? []);
    const names = parseTexts(
      sent.map((each) => (isMap(each) ? each['name'] : each)),
      field,
    );
    const unknown = names.find((name) => permissionsOf(name, known) === undefined);
    if (unknown !== undefined) throw refused(field, `must name roles that exist: ${unknown}`);
    return [...new Set(names)];
  };
}
