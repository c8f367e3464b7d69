// The person that an identity provider has vouched for: made at the first sign-in, brought up to
// date at each. Values of the groups claim become roles and groups as the settings map them; roles
// and groups that no mapping names were given here and stay.
import { randomUUID } from 'node:crypto';
import { isReservedId, type Person } from '../identities.js';
import { permissionsOf } from '../roles/roles.js';
import { AppError } from '../../../model/errors.js';
import type { Clock } from '../../../std/clock.js';
import { changeRecord } from '../../../operation/records/change-record.js';
import { nothingBesides } from '../../../operation/records/record-table.js';
import type { IdentityTables } from '../identity-tables.js';
import { newGeneration } from '../users/persons.js';
import { checkLink } from './provider-links.js';
import { personIdOf } from '../../../model/person-id.js';

export interface ClaimMapping {
  /** Claim that is the user id. */
  readonly userClaim: string;
  readonly groupsClaim: string;
  /** Role by value of the groups claim; `*` for everybody. */
  readonly roles: readonly (readonly [string, string])[];
  /** Group by value of the groups claim; `*` for everybody. */
  readonly groups: readonly (readonly [string, string])[];
  /** The provider verifies every address although it does not say so. */
  readonly emailsVerified: boolean;
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
    private readonly clock: Clock,
  ) {}

  /**
   * Rejects with AppError 'unauthenticated' when the claims name no usable user, or one that this
   * identity may not be linked to (provider-links.ts).
   */
  async signedIn(claims: Readonly<Record<string, unknown>>): Promise<Person> {
    const id = this.#userId(claims);
    const identity = { issuer: textOf(claims['iss']), subject: textOf(claims['sub']) };
    const { identities } = this;
    const { providerLinks } = identities;
    const link = { id, state: 'LINKED', ...identity, at: this.clock.now() } as const;
    const given = new Set(['*', ...textsOf(claims[this.mapping.groupsClaim])]);
    const name = typeof claims['name'] === 'string' ? claims['name'] : id;
    const mapped = {
      roles: this.#merged([], this.mapping.roles, given),
      groups: this.#merged([], this.mapping.groups, given),
    };
    const person = (known: Person | undefined): Person => ({
      contactInformation: {},
      uuid: randomUUID(),
      generation: newGeneration(),
      ...known,
      ...identities.formerly(id),
      id,
      name,
      roles: this.#merged(known?.roles ?? [], this.mapping.roles, given).filter(
        (role) => permissionsOf(role, this.identities) !== undefined,
      ),
      groups: this.#merged(known?.groups ?? [], this.mapping.groups, given).filter(
        (group) => this.identities.group(group) !== undefined,
      ),
    });
    const isLinked = providerLinks.get(id)?.state === 'LINKED';
    return await changeRecord(
      identities.persons,
      id,
      (known) => {
        const isVerified = this.#isVerified(id, claims);
        if (known !== undefined) checkLink(known, { ...identity, isVerified }, mapped, identities);
        return person(known);
      },
      (known) => {
        const { writes, tables } =
          known === undefined ? identities.sameFormerPerson(id) : nothingBesides;
        if (isLinked) return { writes, tables };
        const linking = providerLinks.writeOf(link, providerLinks.revisionOf(id) || 'absent');
        return { writes: [linking, ...writes], tables: [providerLinks, ...tables] };
      },
    );
  }

  /** The account that the claims name, for the audit log; '' for none. */
  accountOf(claims: Readonly<Record<string, unknown>>): string {
    return personIdOf(textOf(claims[this.mapping.userClaim]));
  }

  #userId(claims: Readonly<Record<string, unknown>>): string {
    const { userClaim } = this.mapping;
    const value = claims[userClaim];
    const isUsable = typeof value === 'string' && value !== '' && value.length <= 256;
    // A value that looks like an address is believed as one only, whichever claim shows it.
    const isAddress = userClaim === 'email' || (isUsable && value.includes('@'));
    const isUnverified = isAddress && !this.#isVerified(isUsable ? value : '', claims);
    if (!isUsable || isUnverified || isReservedId(personIdOf(value))) {
      const what = isUnverified
        ? `no verified email (claim ${userClaim})`
        : `no usable claim ${userClaim}`;
      throw new AppError('unauthenticated', `The identity has ${what}`, {
        tokenError: 'INVALID_TOKEN',
      });
    }
    return personIdOf(value);
  }

  /** Whether the provider has verified that the id is an address of the person. */
  #isVerified(id: string, claims: Readonly<Record<string, unknown>>): boolean {
    if (this.mapping.emailsVerified) return id.includes('@');
    const isSame = personIdOf(textOf(claims['email'])) === personIdOf(id);
    return claims['email_verified'] === true && isSame;
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

function textOf(claim: unknown): string {
  return typeof claim === 'string' ? claim : '';
}

function textsOf(claim: unknown): string[] {
  const list: unknown[] = Array.isArray(claim) ? claim : [claim];
  return list.filter((each): each is string => typeof each === 'string');
}
