// Grants: what subjects have on targets (contract-admin 6). Subjects and targets need not exist. A
// caller with the rights in question on a target may pass them on; administrators may grant all.
import {
  requireRight,
  rights,
  type AccessRules,
  type Right,
  type TargetType,
} from '../../../access/access-rules.js';
import { grantId, maskOf, rightsOf } from '../rights/grant-index.js';
import type { Grant, SubjectRef, TargetRef } from '../identities.js';
import type {
  GrantRequest,
  grant,
  grantedAccess,
  grantedAccessResponse,
  subjectGrants,
  targetGrants,
} from './grant.js';
import type { ValueOf } from '../fields.js';
import type { Caller } from '../../../model/caller.js';
import { AppError } from '../../../model/errors.js';
import { writesMax, type RecordWrite } from '../../../store/record-store.js';
import { changeRecord } from '../../../operation/records/change-record.js';
import { rightsOnResource } from '../rights/held-rights.js';
import type { Tags } from '../../../operation/tags/tags.js';
import type { IdentityTables } from '../identity-tables.js';
import { partsOf } from '../../../std/parts.js';
import { plainId } from '../../../model/subject.js';

export class Grants {
  constructor(
    private readonly identities: IdentityTables,
    private readonly tags: Tags,
    private readonly access: AccessRules,
  ) {}

  /** Adds to what the subject has. Throws AppError 'forbidden'. */
  async grant(caller: Caller, request: GrantRequest): Promise<void> {
    await this.#change(caller, request, (mask) => mask | maskOf(request.access));
  }

  /**
   * Takes the listed rights away; idempotent. From others only who has all that they have on the
   * resource. Throws AppError 'forbidden'.
   */
  async revoke(caller: Caller, request: GrantRequest): Promise<void> {
    const { subject, target } = request;
    const isOwn = subject.type === 'USER' && subject.id === plainId(caller.id);
    const requireAll = (held: readonly Right[]): void => {
      if (isOwn || held.every((right) => this.access.may(caller, right, target))) return;
      const who = `${subject.type} ${subject.id}`;
      const text = `${who} has more rights on ${target.type} ${target.id} than ${plainId(caller.id)}`;
      throw new AppError('forbidden', text);
    };
    requireAll(this.identities.grants.get(grantId(subject, target))?.access ?? []);
    await this.#change(caller, request, (mask) => {
      requireAll(rightsOf(mask));
      return mask & ~maskOf(request.access);
    });
  }

  /**
   * Lets callers see grants on a target that have any right on it; to create others of its type is
   * none. Throws AppError 'forbidden'.
   */
  requireSight(caller: Caller, target: TargetRef): void {
    if (rightsOnResource.some((right) => this.access.may(caller, right, target))) return;
    requireRight(this.access, caller, 'READ', target);
  }

  /** Subjects by right, all five, as {type, id} (contract-admin 6.3). */
  onTargetByRight(target: TargetRef): ValueOf<typeof targetGrants> {
    const grants = this.identities.grantsOn(target);
    return Object.fromEntries(
      rights.map((right) => [
        right,
        grants
          .filter(({ access }) => access.includes(right))
          .map(({ subject }): SubjectRef => ({ type: subject.type, id: subject.id })),
      ]),
    );
  }

  /** Rights by `TYPE:id` of the subject. */
  onTargetBySubject(target: TargetRef): ValueOf<typeof targetGrants> {
    const grants = this.identities.grantsOn(target).filter(({ access }) => access.length > 0);
    return Object.fromEntries(
      grants.map(({ subject, access }) => [`${subject.type}:${subject.id}`, [...access]]),
    );
  }

  ofSubject(subject: SubjectRef, type?: TargetType): ValueOf<typeof grant>[] {
    return this.#grantsOf(subject, type).map(({ target, access }) => ({
      target: { type: target.type, id: target.id },
      access: [...access],
    }));
  }

  /** Everything that was granted, optionally on one type of targets; by type and id of these. */
  all(type?: TargetType): ValueOf<typeof subjectGrants> {
    return [...this.identities.grants.values()]
      .filter(({ target, access }) => access.length > 0 && (type ?? target.type) === target.type)
      .sort((a, b) => compare(a.target, b.target) || compare(a.subject, b.subject))
      .map(({ subject, target, access, isOwner = false }) => ({
        subject: { type: subject.type, id: subject.id },
        target: { type: target.type, id: target.id },
        access: [...access],
        isOwner,
      }));
  }

  /** As `ofSubject`, and for each granted tag what carries it (contract-admin 6.3 rule 6). */
  permissionsOf(subject: SubjectRef): ValueOf<typeof grantedAccessResponse> {
    const carried = this.#grantsOf(subject).flatMap(({ target, access }) =>
      target.type === 'TAG'
        ? this.tags.resourcesWith(target.id).map(({ type, id }): ValueOf<typeof grantedAccess> => ({
            target: { type, id },
            access: [...access],
            tag: target.id,
          }))
        : [],
    );
    return { grantedAccess: [...this.ofSubject(subject), ...carried] };
  }

  /** Takes everything from a subject, optionally on one type of targets only. */
  async revokeAll(subject: SubjectRef, type?: TargetType): Promise<void> {
    const writes = grantRemovalsOf(this.identities, subject, type);
    for (const some of partsOf(writes, writesMax)) {
      await this.identities.grants.write(some);
    }
  }

  #grantsOf(subject: SubjectRef, type?: TargetType): Grant[] {
    return this.identities
      .grantsOf(`${subject.type}:${subject.id}`)
      .filter(({ target, access }) => access.length > 0 && (type ?? target.type) === target.type);
  }

  async #change(
    caller: Caller,
    { subject, target, access }: GrantRequest,
    change: (mask: number) => number,
  ): Promise<void> {
    const requireRights = (): void => {
      for (const right of access) requireRight(this.access, caller, right, target);
    };
    requireRights();
    await changeRecord(this.identities.grants, grantId(subject, target), (known): Grant => {
      requireRights();
      return {
        subject,
        target,
        access: rightsOf(change(maskOf(known?.access ?? []))),
        ...(known?.isOwner === true ? { isOwner: true } : {}),
      };
    });
  }
}

type Named = Pick<TargetRef | SubjectRef, 'type' | 'id'>;

function compare(a: Named, b: Named): number {
  const [one, other] = [`${a.type}:${a.id}`, `${b.type}:${b.id}`];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Writes that take everything from a subject. */
export function grantRemovalsOf(
  identities: IdentityTables,
  subject: SubjectRef,
  type?: TargetType,
): RecordWrite[] {
  return identities
    .grantsOf(`${subject.type}:${subject.id}`)
    .filter(({ target }) => (type ?? target.type) === target.type)
    .map(({ target }) => ({ kind: 'grant', id: grantId(subject, target), text: undefined }));
}
