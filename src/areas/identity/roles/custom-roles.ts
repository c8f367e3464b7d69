// Roles that a deployment makes itself, and lists of all roles (contract-admin 5.3).
import { requireAdministrator, rights, targetTypes } from '../../../access/access-rules.js';
import type { Caller } from '../../../model/caller.js';
import type { CustomRole } from '../identities.js';
import { isSystemRole, systemRoleNames } from './system-roles.js';
import { AppError } from '../../../model/errors.js';
import type { IdentityTables } from '../identity-tables.js';
import { grantRemovalsOf } from '../grants/grants.js';
import { changeRecord } from '../../../operation/records/change-record.js';
import { forgetHolders } from './former-holders.js';
import { toRoleJson, type ShownRole } from './role.js';

export class CustomRoles {
  constructor(private readonly identities: IdentityTables) {}

  /** System roles first. */
  list(): ShownRole[] {
    return [...this.#system(), ...this.custom()];
  }

  custom(): ShownRole[] {
    return [...this.identities.roles.values()].map(({ name }) => toRoleJson(name, this.identities));
  }

  /** By name. */
  systemByName(): Record<string, ShownRole> {
    return Object.fromEntries(this.#system().map((role) => [role.name, role]));
  }

  /** Names that a custom role may have as permissions, by target type. */
  permissions(): Record<string, string[]> {
    return Object.fromEntries(
      targetTypes.map((type) => [type, rights.map((right) => `${right}_${type}`)]),
    );
  }

  /** Throws AppError 'not-found'. */
  get(name: string): ShownRole {
    if (!isSystemRole(name) && this.identities.customRole(name) === undefined) throw unknown(name);
    return toRoleJson(name, this.identities);
  }

  /**
   * Throws AppError 'conflict' when there is one of the name, 'forbidden' for a caller who is no
   * administrator when the turn comes.
   */
  async create(caller: Caller, role: CustomRole): Promise<ShownRole> {
    if (this.identities.customRole(role.name) === undefined) {
      await forgetHolders(this.identities, role.name);
    }
    requireAdministrator(caller);
    if (!(await this.identities.roles.put(role, 'absent'))) {
      throw new AppError('conflict', `There is a role ${role.name} already`);
    }
    return toRoleJson(role.name, this.identities);
  }

  /** Creates or replaces. Throws AppError 'forbidden' as `create`. */
  async put(caller: Caller, role: CustomRole): Promise<ShownRole> {
    await changeRecord(this.identities.roles, role.name, async (known) => {
      if (known === undefined) await forgetHolders(this.identities, role.name);
      requireAdministrator(caller);
      return role;
    });
    return toRoleJson(role.name, this.identities);
  }

  /** Its holders keep nothing of it. Throws AppError 'bad-request', 'not-found'. */
  async delete(name: string): Promise<void> {
    if (isSystemRole(name)) {
      throw new AppError('bad-request', `${name} is a role of the system and stays`);
    }
    if (this.identities.customRole(name) === undefined) throw unknown(name);
    await this.identities.roles.write(
      [
        { kind: 'role', id: name, text: undefined },
        ...grantRemovalsOf(this.identities, { type: 'ROLE', id: name }),
      ],
      [this.identities.grants],
    );
  }

  #system(): ShownRole[] {
    return systemRoleNames.map((name) => toRoleJson(name, this.identities));
  }
}

function unknown(name: string): AppError {
  return new AppError('not-found', `Role ${name} not found`);
}
