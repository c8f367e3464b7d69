// Groups and who is a member of them (contract-admin 4). A membership stands in the record of the
// member; additions of many are stored all or none.
import {
  applicationOfSubject,
  applicationSubject,
  type Application,
  type Group,
  type Person,
} from '../identities.js';
import { requireAdministrator } from '../../../access/access-rules.js';
import { systemCaller, type Caller } from '../../../model/caller.js';
import { AppError } from '../../../model/errors.js';
import type { RecordWrite } from '../../../store/record-store.js';
import { changedByOthers, changeRecord } from '../../../operation/records/change-record.js';
import { grantRemovalsOf } from '../grants/grants.js';
import type { IdentityTables } from '../identity-tables.js';
import type { IdentityChange, LastAdministrator } from '../rights/last-administrator.js';
import { forgetMembers } from '../roles/former-holders.js';
import { toGroupJson, type GroupRequest, type ShownGroup } from './group.js';
import { toApplicationUserJson, toPersonJson, type ShownUser } from '../users/user.js';

const attemptsMax = 8;

export class Groups {
  constructor(
    private readonly identities: IdentityTables,
    private readonly lastAdministrator: LastAdministrator,
  ) {}

  list(): ShownGroup[] {
    return [...this.identities.groups.values()].map((each) => toGroupJson(each, this.identities));
  }

  /** Throws AppError 'not-found'. */
  get(id: string): ShownGroup {
    return toGroupJson(this.group(id), this.identities);
  }

  /** Throws AppError 'not-found'. */
  group(id: string): Group {
    const group = this.identities.group(id);
    if (group === undefined) throw new AppError('not-found', `Group ${id} not found`);
    return group;
  }

  /**
   * Creates or replaces. Throws AppError 'forbidden', as all changes do, for a caller who is no
   * administrator when the turn comes.
   */
  async put(caller: Caller, id: string, request: GroupRequest): Promise<ShownGroup> {
    const next = { id, ...request };
    const group = await this.lastAdministrator.guard(
      () => [{ kind: 'group', id, next }],
      () =>
        changeRecord(this.identities.groups, id, async (known) => {
          if (known === undefined) await forgetMembers(this.identities, id);
          requireAdministrator(caller);
          return next;
        }),
    );
    return toGroupJson(group, this.identities);
  }

  /** Memberships and grants of the group go with it. Throws AppError 'not-found'. */
  async delete(caller: Caller, id: string): Promise<void> {
    this.group(id);
    await this.lastAdministrator.guard(
      () => [{ kind: 'group', id, next: undefined }],
      () => this.#delete(caller, id),
    );
  }

  async #delete(caller: Caller, id: string): Promise<void> {
    const { identities } = this;
    // Once: who leads by this very group does not any more from here on.
    requireAdministrator(caller);
    await this.#removeMembers(id);
    const removal = { kind: 'group', id, text: undefined } as const;
    await identities.grants.write(
      [removal, ...grantRemovalsOf(identities, { type: 'GROUP', id })],
      [identities.groups],
    );
    // Those that were added meanwhile, at other nodes too: the next group of the name has none.
    await identities.persons.refresh();
    await this.#removeMembers(id);
  }

  async #removeMembers(id: string): Promise<void> {
    for (const member of this.#members(id)) await this.#change(systemCaller, id, [member], false);
  }

  /** Members, applications too. Throws AppError 'not-found'. */
  members(id: string): ShownUser[] {
    this.group(id);
    const { identities } = this;
    return this.#members(id).map((member) => {
      const applicationId = applicationOfSubject(member);
      return applicationId === undefined
        ? toPersonJson(identities.person(member) as Person, identities)
        : toApplicationUserJson(identities.application(applicationId) as Application, identities);
    });
  }

  /** Adds all of them or none. Throws AppError 'not-found', 'bad-request'. */
  async add(caller: Caller, id: string, userIds: readonly string[]): Promise<void> {
    this.group(id);
    for (const userId of userIds) {
      const { roles } = this.#subject(userId);
      if (roles.length === 1 && roles[0] === 'USER_READ_ONLY') {
        throw new AppError(
          'bad-request',
          `User ${userId} has only the role USER_READ_ONLY and cannot be in a group`,
        );
      }
    }
    await this.#change(caller, id, userIds, true);
  }

  /** Throws AppError 'not-found'. */
  async remove(caller: Caller, id: string, userIds: readonly string[]): Promise<void> {
    this.group(id);
    for (const userId of userIds) this.#subject(userId);
    await this.lastAdministrator.guard(
      () => userIds.map((userId) => this.#without(id, userId)),
      () => this.#change(caller, id, userIds, false),
    );
  }

  /** The user as it would stand outside the group. */
  #without(group: string, userId: string): IdentityChange {
    const subject = this.#subject(userId);
    const groups = subject.groups.filter((each) => each !== group);
    return 'uuid' in subject
      ? { kind: 'person', id: subject.id, next: { ...subject, groups } }
      : { kind: 'application', id: subject.id, next: { ...subject, groups } };
  }

  #members(id: string): string[] {
    const { persons, applications } = this.identities;
    const inGroup = ({ groups }: { readonly groups: readonly string[] }): boolean =>
      groups.includes(id);
    return [
      ...[...persons.values()].filter(inGroup).map((person) => person.id),
      ...[...applications.values()].filter(inGroup).map((each) => `app:${each.id}`),
    ];
  }

  #subject(userId: string): Person | Application {
    const applicationId = applicationOfSubject(userId);
    const found =
      applicationId === undefined
        ? this.identities.person(userId)
        : this.identities.application(applicationId);
    if (found === undefined) throw new AppError('not-found', `User ${userId} not found`);
    return found;
  }

  /** In turn with all other changes of these users; who is named twice counts once. */
  async #change(
    caller: Caller,
    id: string,
    userIds: readonly string[],
    isMember: boolean,
  ): Promise<void> {
    const { persons, applications } = this.identities;
    const people = new Set<string>();
    const robots = new Set<string>();
    for (const subject of userIds.map((userId) => this.#subject(userId))) {
      ('uuid' in subject ? people : robots).add(subject.id);
    }
    const subjects = [...people, ...[...robots].map(applicationSubject)];
    await persons.turns.runAll(people, () =>
      applications.turns.runAll(robots, () => {
        requireAdministrator(caller);
        return this.#changeInTurn(id, subjects, isMember);
      }),
    );
  }

  async #changeInTurn(id: string, userIds: readonly string[], isMember: boolean): Promise<void> {
    const { persons, applications } = this.identities;
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const writes = userIds.flatMap((userId) => this.#membershipWrite(id, userId, isMember));
      if (writes.length === 0) return;
      if (await persons.write(writes, [applications])) return;
      await persons.follow(Number.MAX_SAFE_INTEGER);
      await applications.follow(Number.MAX_SAFE_INTEGER);
    }
    throw changedByOthers(`members of ${id}`);
  }

  #membershipWrite(id: string, userId: string, isMember: boolean): RecordWrite[] {
    if (isMember) this.group(id);
    const { persons, applications } = this.identities;
    const subject = this.#subject(userId);
    if (subject.groups.includes(id) === isMember) return [];
    const others = subject.groups.filter((group) => group !== id);
    const changed = { ...subject, groups: isMember ? [...others, id] : others };
    return 'uuid' in changed
      ? [persons.writeOf(changed, persons.revisionOf(changed.id))]
      : [applications.writeOf(changed, applications.revisionOf(changed.id))];
  }
}
