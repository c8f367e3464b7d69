// Users (contract-admin 3): persons, and the users that applications are at the same time. All of
// it is for administrators; the endpoints say so.
import { randomBytes, randomUUID } from 'node:crypto';
import { isCommonPassword } from '../sign-in/common-passwords.js';
import {
  applicationOfSubject,
  isReservedId,
  type FormerPerson,
  type Person,
} from '../identities.js';
import { hashPassword, passwordLength } from '../sign-in/passwords.js';
import { requireAdministrator } from '../../../access/access-rules.js';
import type { Caller } from '../../../model/caller.js';
import { AppError } from '../../../model/errors.js';
import { refused } from '../../../model/record-reader.js';
import { changeRecord } from '../../../operation/records/change-record.js';
import { nothingBesides, type Besides } from '../../../operation/records/record-table.js';
import { grantRemovalsOf } from '../grants/grants.js';
import type { IdentityTables } from '../identity-tables.js';
import type { LastAdministrator } from '../rights/last-administrator.js';
import { toApplicationUserJson, toPersonJson, type PersonRequest, type ShownUser } from './user.js';
import { personIdOf } from '../../../model/person-id.js';

export class Persons {
  constructor(
    private readonly identities: IdentityTables,
    private readonly lastAdministrator: LastAdministrator,
  ) {}

  /** Application users only when asked for (contract-admin 3.2). */
  list(withApplications: boolean): ShownUser[] {
    const { identities } = this;
    const persons = [...identities.persons.values()].map((each) => toPersonJson(each, identities));
    if (!withApplications) return persons;
    const applications = [...identities.applications.values()];
    return [...persons, ...applications.map((each) => toApplicationUserJson(each, identities))];
  }

  /** Throws AppError 'not-found'. */
  get(id: string): ShownUser {
    const { identities } = this;
    const applicationId = applicationOfSubject(id);
    if (applicationId === undefined) return toPersonJson(this.person(id), identities);
    const application = identities.application(applicationId);
    if (application === undefined) throw unknownUser(id);
    return toApplicationUserJson(application, identities);
  }

  /** `id` in any case. Throws AppError 'not-found'. */
  person(id: string): Person {
    const person = this.identities.person(personIdOf(id));
    if (person === undefined) throw unknownUser(id);
    return person;
  }

  /**
   * Creates or replaces. Throws AppError 'bad-request', 'not-found' for an unknown group,
   * 'forbidden' for a caller who is no administrator when the turn comes.
   */
  async put(caller: Caller, givenId: string, request: PersonRequest): Promise<ShownUser> {
    const id = personIdOf(givenId);
    if (isReservedId(id)) {
      throw refused('id', 'must not be system or begin with app: such ids are not of persons');
    }
    this.#requireGroups(request);
    const passwordHash = await passwordHashOf(request.password, id);
    const changed = (known: Person | undefined): Person => {
      requireAdministrator(caller);
      // One may have gone meanwhile: the next group of its name would have a member.
      this.#requireGroups(request);
      return { ...personOf(id, request, passwordHash, known), ...this.identities.formerly(id) };
    };
    const person = await this.lastAdministrator.guard(
      () => [{ kind: 'person', id, next: changed(this.identities.person(id)) }],
      () =>
        changeRecord(this.identities.persons, id, changed, (known) =>
          known === undefined ? this.identities.sameFormerPerson(id) : nothingBesides,
        ),
    );
    return toPersonJson(person, this.identities);
  }

  #requireGroups({ groups = [] }: PersonRequest): void {
    for (const group of groups) {
      if (this.identities.group(group) === undefined) {
        throw new AppError('not-found', `Group ${group} not found`);
      }
    }
  }

  /**
   * Its grants go with it; what was issued to it ceases, and what it has left has no rights, also
   * when the id is given again. Throws AppError 'not-found', 'forbidden' as `put`.
   */
  async delete(caller: Caller, givenId: string): Promise<void> {
    const { id } = this.person(givenId);
    const { formerPersons } = this.identities;
    const former = (): FormerPerson => {
      requireAdministrator(caller);
      return { id, times: this.identities.timesDeleted(id) + 1 };
    };
    await this.lastAdministrator.guard(
      () => [{ kind: 'person', id, next: undefined }],
      () => changeRecord(formerPersons, id, former, () => this.#removalOf(id)),
    );
  }

  /** Throws AppError 'not-found'. */
  #removalOf(id: string): Besides {
    this.person(id);
    const { persons, grants, providerLinks, secondFactors } = this.identities;
    const removals = (['user', 'provider-link', 'second-factor'] as const).map((kind) => ({
      ...{ kind, id, text: undefined },
    }));
    return {
      writes: [...removals, ...grantRemovalsOf(this.identities, { type: 'USER', id })],
      tables: [persons, grants, providerLinks, secondFactors],
    };
  }
}

export function newGeneration(): string {
  return randomBytes(12).toString('base64url');
}

/** Throws AppError 'bad-request' when the password is too short, too long or too well known. */
export async function passwordHashOf(
  password: string | undefined,
  personId: string,
): Promise<string | undefined> {
  if (password === undefined) return undefined;
  const { min, max } = passwordLength;
  if (password.length < min || password.length > max) {
    throw refused('password', `must have ${min} to ${max} characters`);
  }
  if (await isCommonPassword(password, personId)) {
    throw refused('password', 'is one that others try first: take another one');
  }
  return await hashPassword(password);
}

function personOf(
  id: string,
  request: PersonRequest,
  passwordHash: string | undefined,
  known: Person | undefined,
): Person {
  const hash = passwordHash ?? known?.passwordHash;
  return {
    id,
    name: request.name,
    roles: request.roles ?? known?.roles ?? [],
    groups: request.groups ?? known?.groups ?? [],
    contactInformation: request.contactInformation ?? known?.contactInformation ?? {},
    uuid: known?.uuid ?? randomUUID(),
    // A new password ends the sessions that the old one opened.
    generation:
      known === undefined || passwordHash !== undefined ? newGeneration() : known.generation,
    ...(hash === undefined ? {} : { passwordHash: hash }),
  };
}

function unknownUser(id: string): AppError {
  return new AppError('not-found', `User ${id} not found`);
}
