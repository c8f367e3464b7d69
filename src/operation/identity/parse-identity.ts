// Reading of the bodies of users, groups, applications and roles (contract-admin 2 to 5). Throws
// AppError 'bad-request' that names field and rule.
import { rights, targetTypes, type Right, type TargetType } from '../../access/access-rules.js';
import type { Identities } from '../../access/identities.js';
import { parsePermission, permissionsOf } from '../../access/roles.js';
import { isSystemRole } from '../../access/system-roles.js';
import { AppError } from '../../model/errors.js';
import { isMap, parseTexts, RecordReader, refused } from '../../model/record-reader.js';
import { personIdOf } from '../../model/person-id.js';

/** Longest id or name, characters. */
const nameLengthMax = 256;
const listLengthMax = 1000;

export interface PersonRequest {
  readonly name: string;
  /** Absent: keep what is stored. */
  readonly roles: readonly string[] | undefined;
  readonly groups: readonly string[] | undefined;
  readonly contactInformation: Readonly<Record<string, string>> | undefined;
  /** New password; absent: keep what is stored. */
  readonly password: string | undefined;
}

export interface GroupRequest {
  readonly description: string;
  readonly roles: readonly string[];
  readonly defaultAccess: Partial<Readonly<Record<TargetType, readonly Right[]>>>;
  readonly contactInformation: Readonly<Record<string, string>>;
}

export function parsePersonRequest(input: unknown, roles: RoleNames): PersonRequest {
  const reader = new RecordReader(input, '');
  return {
    name: nameOf(reader, 'name'),
    roles: reader.has('roles') ? parseRoles(reader, roles) : undefined,
    groups: reader.has('groups') ? parseGroupIds(reader.raw('groups') ?? []) : undefined,
    contactInformation: reader.has('contactInformation')
      ? reader.textMap('contactInformation')
      : undefined,
    password: reader.text('password'),
  };
}

export function parseGroupRequest(input: unknown, roles: RoleNames): GroupRequest {
  const reader = new RecordReader(input, '');
  return {
    description: nameOf(reader, 'description'),
    roles: parseRoles(reader, roles),
    defaultAccess: parseDefaultAccess(reader),
    contactInformation: reader.textMap('contactInformation'),
  };
}

/** Name of an application: not empty after trimming (contract-admin 2.1). */
export function parseApplicationName(input: unknown): string {
  return nameOf(new RecordReader(input, ''), 'name').trim();
}

export function parseCustomRole(
  input: unknown,
  name?: string,
): { readonly name: string; readonly permissions: readonly string[] } {
  const reader = new RecordReader(input, '');
  const given = name ?? nameOf(reader, 'name');
  if (isSystemRole(given)) throw new AppError('bad-request', `${given} is a role of the system`);
  const permissions = parseTexts(oneOrMany(reader.raw('permissions') ?? []), 'permissions');
  const wrong = permissions.find((permission) => parsePermission(permission) === undefined);
  if (wrong !== undefined) {
    throw refused('permissions', `must have the form RIGHT_TYPE, such as READ_TASK_DEF: ${wrong}`);
  }
  return { name: given, permissions: [...new Set(permissions)] };
}

/** An id given in a path. */
export function checkId(id: string, what: string): string {
  if (id.trim() === '' || id.length > nameLengthMax) {
    throw refused(what, `must be a text of 1 to ${nameLengthMax} characters`);
  }
  return id;
}

type RoleNames = Pick<Identities, 'customRole'>;

/** Names, one name, or objects with names, as answers show them (contract-admin 0.4, 3.1). */
function parseRoles(reader: RecordReader, known: RoleNames): string[] {
  const given = oneOrMany(reader.raw('roles') ?? []);
  const names = parseTexts(
    given.map((role) => (isMap(role) ? role['name'] : role)),
    'roles',
  );
  const unknown = names.find((name) => permissionsOf(name, known) === undefined);
  if (unknown !== undefined) throw refused('roles', `must name roles that exist: ${unknown}`);
  return [...new Set(names)];
}

function parseGroupIds(input: unknown): string[] {
  const given = oneOrMany(input).map((group) => (isMap(group) ? group['id'] : group));
  return [...new Set(parseTexts(given, 'groups'))];
}

/** Ids of users, one or many. */
export function parseUserIds(input: unknown): string[] {
  return [...new Set(parseTexts(oneOrMany(input), '').map(personIdOf))];
}

const defaultAccessTypes = ['WORKFLOW_DEF', 'TASK_DEF', 'WORKFLOW_SCHEDULE'];

function parseDefaultAccess(reader: RecordReader): GroupRequest['defaultAccess'] {
  const result: Partial<Record<TargetType, readonly Right[]>> = {};
  for (const [name, access] of Object.entries(reader.map('defaultAccess'))) {
    const type = targetTypes.find((each) => each === name && defaultAccessTypes.includes(each));
    if (type === undefined) {
      throw refused(`defaultAccess.${name}`, `must be one of ${defaultAccessTypes.join(', ')}`);
    }
    result[type] = parseRights(access, `defaultAccess.${name}`);
  }
  return result;
}

/** One right or several. */
export function parseRights(input: unknown, path: string): Right[] {
  const given = new Set(parseTexts(oneOrMany(input), path));
  const wrong = [...given].find((text) => !rights.some((right) => right === text));
  if (wrong !== undefined) throw refused(path, `must be of ${rights.join(', ')}`);
  return rights.filter((right) => given.has(right));
}

function oneOrMany(input: unknown): unknown[] {
  const list: unknown[] = Array.isArray(input) ? input : [input];
  if (list.length > listLengthMax) throw refused('', `must have at most ${listLengthMax} entries`);
  return list;
}

function nameOf(reader: RecordReader, field: string): string {
  const name = reader.text(field);
  if (name === undefined || name.trim() === '' || name.length > nameLengthMax) {
    throw refused(reader.pathOf(field), `must be a text of 1 to ${nameLengthMax} characters`);
  }
  return name;
}
