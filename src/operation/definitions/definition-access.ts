// Checks the rights of a caller on definitions (contract-admin 5.2, 6.4).
import { requireRight, type AccessRules, type Right } from '../../access/access-rules.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
import type { DefinitionType } from '../ownership.js';

/**
 * How often a caller whose new name others took in the same moment is answered anew: as if he had
 * come later. More than one are needed only where the name goes and comes again.
 */
export const newNameRoundsMax = 8;

/** Of a definition that was not asked for yet (`Ownership.leaving`). */
export const nothingLeaves = (): Promise<void> => Promise.resolve();

/**
 * Storing one that exists needs UPDATE on it, storing a new one the permission to create or CREATE.
 * Throws AppError 'forbidden'.
 */
export function requireStoreRight(
  access: AccessRules,
  caller: Caller,
  type: DefinitionType,
  def: { readonly name: string; readonly exists: boolean },
): void {
  if (isAdministrator(caller)) return;
  const target = { type, id: def.name };
  if (def.exists) requireRight(access, caller, 'UPDATE', target);
  else if (!access.hasPermission(caller, `CREATE_${type}`)) {
    requireRight(access, caller, 'CREATE', target);
  }
}

/** Throws AppError 'forbidden'. */
export function requireDeleteRight(
  access: AccessRules,
  caller: Caller,
  type: DefinitionType,
  id: string,
): void {
  if (!isAdministrator(caller)) requireRight(access, caller, 'DELETE', { type, id });
}

/** Those that the caller may see. */
export function readable<T extends { readonly name: string }>(
  access: AccessRules,
  caller: Caller,
  type: DefinitionType,
  defs: T[],
): T[] {
  return permitted({ access, caller, type, rights: [] }, defs);
}

export interface Permission {
  readonly access: AccessRules;
  readonly caller: Caller;
  readonly type: DefinitionType;
  /** Beside READ. */
  readonly rights: readonly Right[];
}

/** Those that the caller may see and has all of the rights on (contract-admin 9.5). */
export function permitted<T extends { readonly name: string }>(
  { access, caller, type, rights }: Permission,
  defs: T[],
): T[] {
  if (isAdministrator(caller)) return defs;
  const wanted: readonly Right[] = ['READ', ...rights];
  return defs.filter(({ name }) =>
    wanted.every((right) => access.may(caller, right, { type, id: name })),
  );
}
