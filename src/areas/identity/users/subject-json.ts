// Wire forms of users, groups and roles (contract-admin 3.1, 4.1, 5.3): roles with their
// permissions written out, users with their groups written out.
import { applicationSubject, type Application, type Group, type Person } from '../identities.js';
import { permissionsOf } from '../roles/roles.js';
import type { Json, JsonMap } from '../../../model/json.js';
import type { IdentityTables } from '../identity-tables.js';

export function toRoleJson(role: string, identities: IdentityTables): JsonMap {
  const permissions = permissionsOf(role, identities) ?? [];
  return { name: role, permissions: permissions.map((name) => ({ name })) };
}

export function toGroupJson(group: Group, identities: IdentityTables): JsonMap {
  return {
    id: group.id,
    description: group.description,
    roles: rolesJson(group.roles, identities),
    defaultAccess: { ...(group.defaultAccess as JsonMap) },
    contactInformation: { ...group.contactInformation },
  };
}

export function toPersonJson(person: Person, identities: IdentityTables): JsonMap {
  return {
    ...subjectJson(person, identities),
    uuid: person.uuid,
    contactInformation: { ...person.contactInformation },
    applicationUser: false,
  };
}

/** The user that an application is at the same time (contract-admin 1.5). */
export function toApplicationUserJson(
  application: Application,
  identities: IdentityTables,
): JsonMap {
  return {
    ...subjectJson({ ...application, id: applicationSubject(application.id) }, identities),
    contactInformation: {},
    applicationUser: true,
  };
}

function subjectJson(
  subject: Pick<Person, 'id' | 'name' | 'roles' | 'groups'>,
  identities: IdentityTables,
): JsonMap {
  const groups = subject.groups.flatMap((id) => identities.group(id) ?? []);
  return {
    id: subject.id,
    name: subject.name,
    roles: rolesJson(subject.roles, identities),
    groups: groups.map((group) => toGroupJson(group, identities)),
    orkesWorkersApp: false,
    orkesApiGateway: false,
    orkesApp: false,
    encryptedId: false,
    encryptedIdDisplayValue: subject.id,
  };
}

function rolesJson(roles: readonly string[], identities: IdentityTables): Json[] {
  return roles.map((role) => toRoleJson(role, identities));
}
