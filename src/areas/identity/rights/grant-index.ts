// All grants in memory, found by subject and target without a walk. Rights of a grant are one bit
// mask, so that what several grants give together is one `or`. A check is on the path of every
// report, so it finds its grants by texts that exist already: a text made for a check has to be
// hashed each time (some 700 instructions of 50 characters).
import { rights, type Right, type TargetType } from '../../../access/access-rules.js';
import { everyId } from '../../../access/resource-names.js';
import type { Grant, SubjectRef, TargetRef } from '../identities.js';

/** The rights of one subject: masks by id of the target, by its type. */
type SubjectGrants = Map<TargetType, Map<string, number>>;

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

  constructor(
    grants: Iterable<Grant> = [],
    /**
     * Whether a grant on `*` means every resource of the type. It does not while an earlier version
     * has left a resource of that very name: its creator's grant looks the same.
     */
    private readonly everyIdCounts: (type: TargetType) => boolean = () => true,
  ) {
    for (const grant of grants) this.put(grant);
  }

  put({ subject, target, access }: Grant): void {
    const key = `${subject.type}:${subject.id}`;
    const mask = maskOf(access);
    if (mask === 0) {
      this.#delete(key, target);
      return;
    }
    const found = entryOf(this.#subjects, key);
    entryOf(found, target.type).set(target.id, mask);
  }

  remove({ subject, target }: Pick<Grant, 'subject' | 'target'>): void {
    this.#delete(`${subject.type}:${subject.id}`, target);
  }

  /** Mask of what one subject (`TYPE:id`) has on the target itself or on all of its type. */
  direct(subject: string, type: TargetType, id: string | undefined): number {
    const masks = this.#subjects.get(subject)?.get(type);
    if (masks === undefined) return 0;
    let onAll = masks.get(everyId) ?? 0;
    if (onAll !== 0 && !this.everyIdCounts(type)) onAll = 0;
    return id === undefined ? onAll : onAll | (masks.get(id) ?? 0);
  }

  /** The rights of one subject (`TYPE:id`) on tags: mask by `key:value`; undefined: none. */
  onTags(subject: string): ReadonlyMap<string, number> | undefined {
    return this.#subjects.get(subject)?.get('TAG');
  }

  #delete(subject: string, { type, id }: TargetRef): void {
    const found = this.#subjects.get(subject);
    const masks = found?.get(type);
    if (found === undefined || masks === undefined) return;
    masks.delete(id);
    if (masks.size === 0) found.delete(type);
    if (found.size === 0) this.#subjects.delete(subject);
  }
}

/** The inner map of a key, made when it is missing. */
function entryOf<Key, Inner, Value>(
  maps: Map<Key, Map<Inner, Value>>,
  key: Key,
): Map<Inner, Value> {
  let found = maps.get(key);
  if (found === undefined) maps.set(key, (found = new Map()));
  return found;
}
