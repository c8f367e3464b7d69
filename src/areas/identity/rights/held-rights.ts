// Compares the rights of subjects (docs/access.md, Nobody gives what he does not have). A subject
// has more than a caller when one of its roles, its groups' roles or a grant to any of these gives
// a right that the caller does not have in force himself. Every operation that gives rights asks
// here: roles and keys of applications, and tags that carry grants.
import { isAdministrator, type Caller } from '../../../model/caller.js';
import { AppError } from '../../../model/errors.js';
import { plainId } from '../../../model/subject.js';
import {
  rights,
  type AccessRules,
  type Right,
  type TargetType,
} from '../../../access/access-rules.js';
import { presentCaller } from '../sign-in/authenticator.js';
import { maskOf, rightsOf } from './grant-index.js';
import type { Grant, Identities, TargetRef } from '../identities.js';
import { parsePermission, permissionsOf } from '../roles/roles.js';
import { isSystemRole, systemRoles } from '../roles/system-roles.js';

export interface HeldRightsParts {
  readonly access: AccessRules;
  readonly identities: Identities & {
    /** `subject`: `TYPE:id`. */
    grantsOf(subject: string): readonly Grant[];
    grantsOn(target: TargetRef): readonly Grant[];
  };
}

export class HeldRights {
  constructor(private readonly parts: HeldRightsParts) {}

  /**
   * Whether the subject has nothing that the caller does not have. `isOwn`: the caller made the
   * subject, so what it created in turn does not count. `subjectId`: without a mark.
   */
  coversSubject(caller: Caller, subjectId: string, { isOwn }: { isOwn: boolean }): boolean {
    if (isAdministrator(caller)) return true;
    const subject = presentCaller(subjectId, this.parts.identities);
    if (subject === undefined) return true;
    const named = [`USER:${subjectId}`, ...subject.groups.map((group) => `GROUP:${group}`)];
    return (
      subject.roles.every((role) => this.coversRole(caller, role)) &&
      named.every((name) => this.#coversGrants(caller, name, isOwn))
    );
  }

  /** Whether the caller has all that the role gives: permissions, reach and grants to it. */
  coversRole(caller: Caller, role: string): boolean {
    if (isAdministrator(caller)) return true;
    if (role === 'ADMIN') return false;
    return (
      this.#coversPermissions(caller, role) &&
      this.#coversReach(caller, role) &&
      this.#coversGrants(caller, `ROLE:${role}`, false)
    );
  }

  /**
   * Throws AppError 'forbidden' unless the caller has every right on a resource that grants on a
   * tag would give on it.
   */
  requireTag(caller: Caller, resource: { type: TargetType; id: string }, tag: string): void {
    if (this.#coversTag(caller, resource, tag)) return;
    throw new AppError(
      'forbidden',
      `${plainId(caller.id)} does not have the rights that the tag ${tag} gives on ${resource.type} ${resource.id}`,
    );
  }

  #coversTag(caller: Caller, resource: { type: TargetType; id: string }, tag: string): boolean {
    if (isAdministrator(caller)) return true;
    const grants = this.parts.identities.grantsOn({ type: 'TAG', id: tag });
    const given = grants.reduce((mask, { access }) => mask | maskOf(access), 0);
    return rightsOf(given).every((right) => this.parts.access.may(caller, right, resource));
  }

  #coversPermissions(caller: Caller, role: string): boolean {
    const { access, identities } = this.parts;
    return (permissionsOf(role, identities) ?? []).every((permission) => {
      const right = parsePermission(permission);
      if (
        right !== undefined &&
        !access.may(caller, right.right, { type: right.type, id: undefined })
      )
        return false;
      // Endpoints ask for permissions of system roles by name.
      return !systemPermissions.has(permission) || access.hasPermission(caller, permission);
    });
  }

  #coversReach(caller: Caller, role: string): boolean {
    if (!isSystemRole(role)) return true; // Its permissions say all.
    return Object.entries(systemRoles[role].reach).every(([type, given]) =>
      given.every((right: Right) =>
        this.parts.access.may(caller, right, { type: type as TargetType, id: undefined }),
      ),
    );
  }

  #coversGrants(caller: Caller, subject: string, isOwn: boolean): boolean {
    return this.parts.identities
      .grantsOf(subject)
      .every(
        (grant) =>
          (isOwn && grant.isOwner === true) ||
          grant.access.every((right) => this.parts.access.may(caller, right, grant.target)),
      );
  }
}

const systemPermissions: ReadonlySet<string> = new Set(
  Object.values(systemRoles).flatMap(({ permissions }) => permissions),
);

/** All rights but CREATE: those that one has on a resource, not on its type. */
export const rightsOnResource: readonly Right[] = rights.filter((right) => right !== 'CREATE');
