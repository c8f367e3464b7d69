// A group as callers write it and as it is shown (contract-admin 4.1).
import { rights, targetTypes, type Right, type TargetType } from '../../../access/access-rules.js';
import { parseRights } from '../../../access/parse-rights.js';
import { anyObject, list, mapOf, oneOf, text, type RecordShape } from '../../../model/schema.js';
import { told, type Field } from '../../../model/field.js';
import { record, type Values } from '../../../model/record.js';
import { refused, type RecordReader } from '../../../model/record-reader.js';
import { always, named, shown, type ValueOf } from '../fields.js';
import type { Group, Identities } from '../identities.js';
import {
  role,
  rolesSchema,
  rolesIn,
  toRoleJson,
  type RoleNames,
  type ShownRole,
} from '../roles/role.js';

export type DefaultAccess = Partial<Readonly<Record<TargetType, readonly Right[]>>>;
type Contact = Readonly<Record<string, string>>;

const accessSchema = mapOf(list(oneOf(rights)), 'Rights on what members create, by type');

/** Fields that a replacement sets to nothing where they are absent. */
const replaced = <T>(
  schema: Field<T>['schema'],
  read: (reader: RecordReader, name: string) => T,
): Field<T, 'always'> => ({ presence: 'always', schema, read });

const fieldsOf = (known: RoleNames) => ({
  description: named('For people'),
  roles: replaced(rolesSchema, rolesIn(known)),
  defaultAccess: replaced(accessSchema, defaultAccessIn),
  contactInformation: replaced<Contact>(anyObject, (reader, name) => reader.textMap(name)),
});
export type GroupRequest = Values<ReturnType<typeof fieldsOf>>;

/** `known`: the roles that there are. */
export const groupRequest = (known: RoleNames): RecordShape<GroupRequest> =>
  record('UpsertGroupRequest', fieldsOf(known));

export const group = shown('Group', {
  id: always<string>(text()),
  description: always<string>(text('For people')),
  roles: always<readonly ShownRole[]>(list(role.schema)),
  defaultAccess: always<DefaultAccess>(accessSchema),
  contactInformation: told<Contact>(anyObject),
});
export type ShownGroup = ValueOf<typeof group>;

export function toGroupJson(
  { id, description, roles, defaultAccess, contactInformation }: Group,
  identities: Pick<Identities, 'customRole'>,
): ShownGroup {
  return {
    ...{ id, description, defaultAccess, contactInformation },
    roles: roles.map((name) => toRoleJson(name, identities)),
  };
}

const defaultAccessTypes = ['WORKFLOW_DEF', 'TASK_DEF', 'WORKFLOW_SCHEDULE'];

function defaultAccessIn(reader: RecordReader, field: string): DefaultAccess {
  const result: Partial<Record<TargetType, readonly Right[]>> = {};
  for (const [name, access] of Object.entries(reader.map(field))) {
    const type = targetTypes.find((each) => each === name && defaultAccessTypes.includes(each));
    if (type === undefined) {
      throw refused(`${field}.${name}`, `must be one of ${defaultAccessTypes.join(', ')}`);
    }
    result[type] = parseRights(access, `${field}.${name}`);
  }
  return result;
}
