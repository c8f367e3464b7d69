// The person that an identity provider has vouched for: made at the first sign-in, brought up to
// date at each. Values of the groups claim become roles and groups as the settings map them; roles
// and groups that no mapping names were given here and stay.
import { randomUUID } from 'node:crypto';
import { applicationOfSubject, type Person } from '../../access/identities.js';
import { permissionsOf } from '../../access/roles.js';
import { AppError } from '../../model/errors.js';
import { changeRecord } from '../records/change-record.js';
import type { IdentityTables } from './identity-tables.js';
import { newGeneration } from './persons.js';

export interface ClaimMapping {
  /** Claim that is the user id. */
  readonly userClaim: string;
  readonly groupsClaim: string;
  /** Role by value of the groups claim; `*` for everybody. */
  readonly roles: readonly (readonly [string, string])[];
  /** Group by value of the groups claim; `*` for everybody. */
  readonly groups: readonly (readonly [string, string])[];
}

/** Reads `value=name` entries of a setting. */
export function parseMapping(entries: readonly string[]): (readonly [string, string])[] {
  return entries.map((entry) => {
    const at = entry.lastIndexOf('=');
    return [entry.slice(0, at), entry.slice(at + 1)] as const;
  });
}

export class OidcPersons {
  constructor(
    private readonly identities: IdentityTables,
    private readonly mapping: ClaimMapping,
  ) {}

  /** Rejects with AppError 'unauthenticated' when the claims name no usable user. */
  async signedIn(claims: Readonly<Record<string, unknown>>): Promise<Person> {
    const id = this.#userId(claims);
    const given = new Set(['*', ...textsOf(claims[this.mapping.groupsClaim])]);
    const name = typeof claims['name'] === 'string' ? claims['name'] : id;
    return await changeRecord(this.identities.persons, id, (known) => ({
      contactInformation: {},
      uuid: randomUUID(),
      generation: newGeneration(),
      ...known,
      id,
      name,
      roles: this.#merged(known?.roles ?? [], this.mapping.roles, given).filter(
        (role) => permissionsOf(role, this.identities) !== undefined,
      ),
      groups: this.#merged(known?.groups ?? [], this.mapping.groups, given).filter(
        (group) => this.identities.group(group) !== undefined,
      ),
    }));
  }

  #userId(claims: Readonly<Record<string, unknown>>): string {
    const { userClaim } = this.mapping;
    const value = claims[userClaim];
    const isUsable = typeof value === 'string' && value !== '' && value.length <= 256;
    const isUnverified = userClaim === 'email' && claims['email_verified'] === false;
    if (!isUsable || isUnverified || applicationOfSubject(value.toLowerCase()) !== undefined) {
      throw new AppError('unauthenticated', `The identity has no usable claim ${userClaim}`, {
        tokenError: 'INVALID_TOKEN',
      });
    }
    return value.toLowerCase();
  }

  #merged(
    known: readonly string[],
    mapping: readonly (readonly [string, string])[],
    given: ReadonlySet<string>,
  ): string[] {
    const mapped = mapping.filter(([value]) => given.has(value)).map(([, name]) => name);
    const kept = known.filter((name) => !mapping.some(([, target]) => target === name));
    return [...new Set([...kept, ...mapped])];
  }
}

function textsOf(claim: unknown): string[] {
  const list: unknown[] = Array.isArray(claim) ? claim : [claim];
  return list.filter((each): each is string => typeof each === 'string');
}
