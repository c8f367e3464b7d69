// All grants in memory, found by subject and target without a walk. Rights of a grant are one bit
// mask, so that what several grants give together is one `or`.
import { rights, type Right, type TargetType } from './access-rules.js';
import type { Grant, SubjectRef, TargetRef } from './identities.js';

/** As a target's id: every resource of the type (contract-admin 6.3 rule 3). */
export const everyId = '*';

interface SubjectGrants {
  /** Mask by `TYPE:id`. */
  readonly direct: Map<string, number>;
  /** Mask by `key:value` of grants on tags. */
  readonly tags: Map<string, number>;
}

export function maskOf(access: readonly Right[]): number {
  return access.reduce((mask, right) => mask | (1 << rights.indexOf(right)), 0);
}

export function rightsOf(mask: number): Right[] {
  return rights.filter((_, index) => (mask & (1 << index)) !== 0);
}

/** Identity of a grant: one record for each pair of subject and target. */
export function grantId(subject: SubjectRef, target: TargetRef): string {
  return JSON.stringify([subject.type, subject.id, target.type, target.id]);
}

export class GrantIndex {
  readonly #subjects = new Map<string, SubjectGrants>();

  constructor(grants: Iterable<Grant> = []) {
    for (const grant of grants) this.put(grant);
  }

  put({ subject, target, access }: Grant): void {
    const key = `${subject.type}:${subject.id}`;
    let found = this.#subjects.get(key);
    if (found === undefined) {
      this.#subjects.set(key, (found = { direct: new Map(), tags: new Map() }));
    }
    const mask = maskOf(access);
    set(found.direct, `${target.type}:${target.id}`, mask);
    if (target.type === 'TAG') set(found.tags, target.id, mask);
  }

  remove({ subject, target }: Pick<Grant, 'subject' | 'target'>): void {
    this.put({ subject, target, access: [] });
    const key = `${subject.type}:${subject.id}`;
    if (this.#subjects.get(key)?.direct.size === 0) this.#subjects.delete(key);
  }

  /** Mask of what one subject (`TYPE:id`) has on the target itself or on all of its type. */
  direct(subject: string, type: TargetType, id: string | undefined): number {
    const found = this.#subjects.get(subject)?.direct;
    if (found === undefined) return 0;
    const onAll = found.get(`${type}:${everyId}`) ?? 0;
    return id === undefined ? onAll : onAll | (found.get(`${type}:${id}`) ?? 0);
  }

  /** What one subject (`TYPE:id`) has on tags: mask by `key:value`; undefined: nothing. */
  onTags(subject: string): ReadonlyMap<string, number> | undefined {
    const tags = this.#subjects.get(subject)?.tags;
    return tags === undefined || tags.size === 0 ? undefined : tags;
  }
}

function set(masks: Map<string, number>, key: string, mask: number): void {
  if (mask === 0) masks.delete(key);
  else masks.set(key, mask);
}
