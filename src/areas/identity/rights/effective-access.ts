// Derives the rights of callers in memory from roles, grants and tags (contract-admin 6.4). A
// caller has a right on a target when its roles reach the type, or a grant to itself, one of its
// groups or one of its roles names the target, all targets of its type, a tag that the target
// carries, the domain in which the task is polled, or the provider of an integration.
//
// Applications need a role on top of that for two things: METADATA_API to change definitions, and
// WORKER to poll (contract-admin 2.4).
import type { Caller } from '../../../model/caller.js';
import {
  rights,
  type AccessRules,
  type Right,
  type Target,
  type TargetType,
} from '../../../access/access-rules.js';
import {
  heldSince,
  isNameHeld,
  type RegisteredNames,
  type OwnedExecution,
} from '../../../access/owned-execution.js';
import type { GrantIndex } from './grant-index.js';
import type { Identities } from '../identities.js';
import { hasPermission, reaches } from '../roles/roles.js';
import { plainId } from '../../../model/subject.js';

export interface EffectiveAccessParts {
  readonly identities: Pick<Identities, 'customRole'>;
  readonly grants: () => GrantIndex;
  readonly names: RegisteredNames;
  /** Whether the resource carries the tag `key:value`. */
  readonly hasTag: (type: TargetType, id: string, tag: string) => boolean;
}

export class EffectiveAccess implements AccessRules {
  /** The authenticator gives the same caller again for the same token, so texts are made once. */
  readonly #subjects = new WeakMap<Caller, readonly string[]>();

  constructor(private readonly parts: EffectiveAccessParts) {}

  may(caller: Caller, right: Right, target: Target): boolean {
    if (caller.roles.includes('ADMIN')) return true;
    if (caller.kind === 'application' && !hasNeededRole(caller, right, target.type)) return false;
    return this.#byRole(caller, right, target.type) || this.#byGrant(caller, right, target);
  }

  isNameHeld(execution: OwnedExecution): boolean {
    return isNameHeld(this.parts.names, execution);
  }

  heldSince(name: string): number | undefined {
    return heldSince(this.parts.names, name);
  }

  hasPermission(caller: Caller, permission: string): boolean {
    return hasPermission(caller.roles, permission, this.parts.identities);
  }

  #byRole(caller: Caller, right: Right, type: TargetType): boolean {
    return caller.roles.some((role) => reaches(role, right, type, this.parts.identities));
  }

  #byGrant(caller: Caller, right: Right, target: Target): boolean {
    const bit = 1 << rights.indexOf(right);
    return this.#subjectsOf(caller).some((subject) => this.#granted(subject, bit, target));
  }

  /** `TYPE:id` of everything by which the caller may have grants. */
  #subjectsOf(caller: Caller): readonly string[] {
    let subjects = this.#subjects.get(caller);
    if (subjects === undefined) {
      subjects = [
        `USER:${plainId(caller.id)}`,
        ...caller.groups.map((group) => `GROUP:${group}`),
        ...caller.roles.map((role) => `ROLE:${role}`),
      ];
      this.#subjects.set(caller, subjects);
    }
    return subjects;
  }

  #granted(subject: string, bit: number, target: Target): boolean {
    const grants = this.parts.grants();
    const { type, id } = target;
    if ((grants.direct(subject, type, id) & bit) !== 0) return true;
    if (id === undefined) return false;
    if (target.domain !== undefined && (grants.direct(subject, 'DOMAIN', target.domain) & bit) > 0)
      return true;
    if (type === 'INTEGRATION') {
      const provider = id.split(':', 1)[0] as string;
      if ((grants.direct(subject, 'INTEGRATION_PROVIDER', provider) & bit) !== 0) return true;
    }
    return this.#grantedByTag(grants.onTags(subject), bit, type, id);
  }

  #grantedByTag(
    tags: ReadonlyMap<string, number> | undefined,
    bit: number,
    type: TargetType,
    id: string,
  ): boolean {
    if (tags === undefined) return false;
    for (const [tag, mask] of tags) {
      if ((mask & bit) !== 0 && this.parts.hasTag(type, id, tag)) return true;
    }
    return false;
  }
}

const metadataRoles = ['METADATA_API', 'METADATA_MANAGER', 'USER'];
const workerRoles = ['WORKER', 'UNRESTRICTED_WORKER'];

/** Contract-admin 6.4, additional conditions for applications. */
function hasNeededRole(caller: Caller, right: Right, type: TargetType): boolean {
  if (type === 'TASK_DEF' && right === 'EXECUTE') return hasOneOf(caller, workerRoles);
  if (type !== 'TASK_DEF' && type !== 'WORKFLOW_DEF') return true;
  return right === 'UPDATE' || right === 'DELETE' ? hasOneOf(caller, metadataRoles) : true;
}

function hasOneOf(caller: Caller, roles: readonly string[]): boolean {
  return caller.roles.some((role) => roles.includes(role));
}
