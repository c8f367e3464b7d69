// Roles of both kinds, system and custom, as one thing: which names there are, which permissions
// they come with and what they reach (contract-admin 5).
import { rights, targetTypes, type Right, type TargetType } from '../../../access/access-rules.js';
import type { CustomRole, Identities } from '../identities.js';
import { isSystemRole, systemRoles } from './system-roles.js';

/** A right on every resource of a type, as a custom role's permission says it. */
export interface TypeRight {
  readonly right: Right;
  readonly type: TargetType;
}

/**
 * The right that `READ_WORKFLOW_DEF` and the like name; undefined for any other text
 * (contract-admin 5.3).
 */
export function parsePermission(permission: string): TypeRight | undefined {
  const end = permission.indexOf('_');
  const right = rights.find((each) => each === permission.slice(0, end));
  const name = permission.slice(end + 1);
  const type = targetTypes.find((each) => each === (name === 'SECRET' ? 'SECRET_NAME' : name));
  return right === undefined || type === undefined ? undefined : { right, type };
}

/** Permission names of a role; undefined when there is no such role. */
export function permissionsOf(
  role: string,
  identities: Pick<Identities, 'customRole'>,
): readonly string[] | undefined {
  return isSystemRole(role)
    ? systemRoles[role].permissions
    : identities.customRole(role)?.permissions;
}

/** Whether one of the roles has the permission; an administrator always does. */
export function hasPermission(
  roles: readonly string[],
  permission: string,
  identities: Pick<Identities, 'customRole'>,
): boolean {
  return roles.some(
    (role) => role === 'ADMIN' || permissionsOf(role, identities)?.includes(permission) === true,
  );
}

/** Whether the role gives the right on every resource of the type. */
export function reaches(
  role: string,
  right: Right,
  type: TargetType,
  identities: Pick<Identities, 'customRole'>,
): boolean {
  if (isSystemRole(role)) {
    return role === 'ADMIN' || systemRoles[role].reach[type]?.includes(right) === true;
  }
  const custom = identities.customRole(role);
  return custom !== undefined && reachOfCustom(custom).has(`${right}_${type}`);
}

const reachOfRole = new WeakMap<CustomRole, ReadonlySet<string>>();

/** Records are replaced, never changed, so what one reaches is worked out once. */
function reachOfCustom(role: CustomRole): ReadonlySet<string> {
  let reach = reachOfRole.get(role);
  if (reach === undefined) {
    const found = role.permissions.flatMap((permission) => parsePermission(permission) ?? []);
    reach = new Set(found.map(({ right, type }) => `${right}_${type}`));
    reachOfRole.set(role, reach);
  }
  return reach;
}
