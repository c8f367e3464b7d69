// A user as administrators write it and as it is shown: a person, or the user that an application
// is at the same time (contract-admin 1.5, 3.1). Roles are shown with their permissions written
// out, groups with their fields.
import { oneOrMany } from '../../../access/parse-rights.js';
import {
  anyObject,
  flag,
  list,
  text,
  type RecordShape,
  type Schema,
} from '../../../model/schema.js';
import { told, text as textField } from '../../../model/field.js';
import { record, type Values } from '../../../model/record.js';
import { isMap, parseTexts, type RecordReader } from '../../../model/record-reader.js';
import { always, ifThere, named, namesSchema, shown, type ValueOf } from '../fields.js';
import { group, toGroupJson, type ShownGroup } from '../groups/group.js';
import {
  applicationSubject,
  type Application,
  type Identities,
  type Person,
} from '../identities.js';
import {
  role,
  rolesSchema,
  rolesIn,
  toRoleJson,
  type RoleNames,
  type ShownRole,
} from '../roles/role.js';
import { personIdOf } from '../../../model/person-id.js';

type Contact = Readonly<Record<string, string>>;

const groupsSchema: Schema = {
  ...namesSchema,
  'x-names': { path: '/api/groups', member: 'id' },
};

const fieldsOf = (known: RoleNames) => ({
  name: named('Name to show'),
  roles: ifThere<readonly string[]>(rolesSchema, rolesIn(known)),
  groups: ifThere<readonly string[]>(groupsSchema, groupIdsIn),
  contactInformation: ifThere<Contact>(anyObject, (reader, name) => reader.textMap(name)),
  password: textField({
    about: 'Empty: it stays as it is; without one nobody signs in with it',
    isSecret: true,
  }),
});
/** A field that is absent stays as it is stored. */
export type PersonRequest = Values<ReturnType<typeof fieldsOf>>;

/** `known`: the roles that there are. */
export const personRequest = (known: RoleNames): RecordShape<PersonRequest> =>
  record('UpsertUserRequest', fieldsOf(known));

export const user = shown('ConductorUser', {
  id: always<string>(text('Usually an e-mail address, in lower case')),
  name: always<string>(text('Name to show')),
  roles: always<readonly ShownRole[]>(list(role.schema)),
  groups: always<readonly ShownGroup[]>(list(group.schema)),
  uuid: told<string>(text('Absent for applications')),
  contactInformation: told<Contact>(anyObject),
  applicationUser: always<boolean>(flag('Whether it is an application, whose id is app:<id>')),
  orkesWorkersApp: told<false>(flag('Always false')),
  orkesApiGateway: told<false>(flag('Always false')),
  orkesApp: told<false>(flag('Always false')),
  encryptedId: told<false>(flag('Always false')),
  encryptedIdDisplayValue: told<string>(text('The id')),
});
export type ShownUser = ValueOf<typeof user>;

export function toPersonJson(person: Person, identities: Identities): ShownUser {
  return {
    ...subjectJson(person, identities),
    uuid: person.uuid,
    contactInformation: person.contactInformation,
    applicationUser: false,
  };
}

export function toApplicationUserJson(application: Application, identities: Identities): ShownUser {
  return {
    ...subjectJson({ ...application, id: applicationSubject(application.id) }, identities),
    contactInformation: {},
    applicationUser: true,
  };
}

function subjectJson(
  { id, name, roles, groups }: Pick<Person, 'id' | 'name' | 'roles' | 'groups'>,
  identities: Identities,
): Omit<ShownUser, 'applicationUser'> {
  const known = groups.flatMap((each) => identities.group(each) ?? []);
  return {
    ...{ id, name },
    roles: roles.map((each) => toRoleJson(each, identities)),
    groups: known.map((each) => toGroupJson(each, identities)),
    ...{ orkesWorkersApp: false, orkesApiGateway: false, orkesApp: false, encryptedId: false },
    encryptedIdDisplayValue: id,
  };
}

export function groupIdsIn(reader: RecordReader, field: string): string[] {
  const sent = oneOrMany(reader.raw(field) ?? []).map((each) => (isMap(each) ? each['id'] : each));
  return [...new Set(parseTexts(sent, field))];
}

/** Ids of users, one or many. Throws AppError 'bad-request'. */
export function parseUserIds(input: unknown): string[] {
  return [...new Set(parseTexts(oneOrMany(input), '').map(personIdOf))];
}
