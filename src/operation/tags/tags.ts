// Tags of all resources in memory: by resource, and by tag for grants on tags and for the
// cross-resource questions (contract-admin 9). Tags belong to a name; whether a resource of that
// name exists is asked elsewhere, where it matters.
import type { TargetType } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import { isSameTag, tagName, tagsMax, type Tag } from '../../model/tag.js';
import type { RecordWrite } from '../../store/record-store.js';
import { changeRecord } from '../records/change-record.js';
import { jsonCodec, type RecordTable } from '../records/record-table.js';

export interface TaggedResource {
  readonly type: TargetType;
  readonly id: string;
}

/** A resource as lists by tag show it (contract-admin 9.5). */
export interface DescribedResource {
  readonly id: string;
  readonly displayName: string;
}

interface TagsRecord extends TaggedResource {
  readonly tags: readonly Tag[];
}

/** Both throw AppError 'forbidden'. */
export interface TagRules {
  /** Unless the caller may change the resource. */
  readonly requireUpdate: (caller: Caller, resource: TaggedResource) => void;
  /** Unless the caller may put the tag `key:value` on the resource. */
  readonly requireTag: (caller: Caller, resource: TaggedResource, tag: string) => void;
}

const noRules: TagRules = { requireUpdate: () => undefined, requireTag: () => undefined };

/** Tags come with a resource whose save has asked for the right to it, or by themselves. */
export type TagsCome = 'with a save' | 'alone';

export const tagsCodec = jsonCodec<TagsRecord>('tags', idOf);

export class Tags {
  readonly #known = new Map<string, TagsRecord>();
  /** Record ids by `key:value`. */
  readonly #byTag = new Map<string, Set<string>>();

  readonly #describers = new Map<TargetType, (id: string) => DescribedResource[]>();

  /** `rules`: tags can carry grants (contract-admin 6.4). */
  constructor(
    readonly table: RecordTable<TagsRecord>,
    private readonly rules: TagRules = noRules,
  ) {
    table.onChange((id, record) => this.#changed(id, record));
  }

  of(type: TargetType, id: string): readonly Tag[] {
    return this.#known.get(idOf({ type, id }))?.tags ?? [];
  }

  /** `tag`: `key:value`. */
  has(type: TargetType, id: string, tag: string): boolean {
    return this.#byTag.get(tag)?.has(idOf({ type, id })) === true;
  }

  /** Every resource that carries the tag `key:value`. */
  resourcesWith(tag: string): TaggedResource[] {
    return [...(this.#byTag.get(tag) ?? [])].flatMap((id) => this.#known.get(id) ?? []);
  }

  all(): Iterable<TaggedResource & { readonly tags: readonly Tag[] }> {
    return this.#known.values();
  }

  /** Says how lists of resources by tag show those of a type; by default under their id. */
  describe(type: TargetType, describe: (id: string) => DescribedResource[]): void {
    this.#describers.set(type, describe);
  }

  /** Resources of a type that carry the tag `key:value`, as lists show them. */
  described(type: TargetType, tag: string): (DescribedResource & { readonly of: string })[] {
    const describe = this.#describers.get(type) ?? ((id) => [{ id, displayName: id }]);
    return this.resourcesWith(tag)
      .filter((resource) => resource.type === type)
      .flatMap(({ id }) => describe(id).map((each) => ({ ...each, of: id })));
  }

  /**
   * Adds those that are not there. Throws AppError 'bad-request' beyond the limit, 'forbidden' for
   * one that would give rights which the caller does not have.
   */
  async add(
    caller: Caller,
    resource: TaggedResource,
    tags: readonly Tag[],
    come: TagsCome = 'alone',
  ): Promise<void> {
    await this.#change(resource, (known) => {
      this.#check(caller, resource, tags, come);
      const added = tags.filter(
        (tag, index) =>
          !known.some((each) => isSameTag(each, tag)) &&
          tags.findIndex((each) => isSameTag(each, tag)) === index,
      );
      return [...known, ...added];
    });
  }

  /** Adds one; a tag of the same key gets the new value (contract-admin 9.2). */
  async set(caller: Caller, resource: TaggedResource, tag: Tag): Promise<void> {
    await this.#change(resource, (known) => {
      this.#check(caller, resource, [tag], 'alone');
      return [...known.filter(({ key }) => key !== tag.key), tag];
    });
  }

  /** As `add` refuses. */
  async replace(
    caller: Caller,
    resource: TaggedResource,
    tags: readonly Tag[],
    come: TagsCome = 'with a save',
  ): Promise<void> {
    await this.#change(resource, () => {
      this.#check(caller, resource, tags, come);
      return [...tags];
    });
  }

  /** Removes by key and value; how many were there. Throws AppError 'forbidden'. */
  async remove(caller: Caller, resource: TaggedResource, tags: readonly Tag[]): Promise<number> {
    let removed = 0;
    await this.#change(resource, (known) => {
      this.rules.requireUpdate(caller, resource);
      const left = known.filter((each) => !tags.some((tag) => isSameTag(each, tag)));
      removed = known.length - left.length;
      return left;
    });
    return removed;
  }

  /** Writes that remove every tag of a resource, for the write that removes the resource. */
  removalOf(type: TargetType, id: string): RecordWrite[] {
    const recordId = idOf({ type, id });
    return this.#known.has(recordId) ? [{ kind: 'tags', id: recordId, text: undefined }] : [];
  }

  /** In the turn of the change: by then the resource may be another caller's. */
  #check(caller: Caller, resource: TaggedResource, tags: readonly Tag[], come: TagsCome): void {
    const { requireUpdate, requireTag } = this.rules;
    if (come === 'alone') requireUpdate(caller, resource);
    for (const tag of tags) {
      const name = tagName(tag);
      if (!this.has(resource.type, resource.id, name)) requireTag(caller, resource, name);
    }
  }

  async #change(
    { type, id }: TaggedResource,
    change: (known: readonly Tag[]) => Tag[],
  ): Promise<void> {
    const recordId = idOf({ type, id });
    // Refused before its turn, too; and what leaves nothing where nothing is has none.
    const next = change(this.#known.get(recordId)?.tags ?? []);
    if (this.#known.get(recordId) === undefined && next.length === 0) return;
    await changeRecord(this.table, recordId, (known) => {
      const tags = change(known?.tags ?? []);
      if (tags.length > tagsMax) {
        throw new AppError('bad-request', `A resource has at most ${tagsMax} tags`);
      }
      return { type, id, tags };
    });
  }

  #changed(id: string, record: TagsRecord | undefined): void {
    for (const tag of this.#known.get(id)?.tags ?? []) {
      const ids = this.#byTag.get(tagName(tag));
      ids?.delete(id);
      if (ids?.size === 0) this.#byTag.delete(tagName(tag));
    }
    if (record === undefined || record.tags.length === 0) {
      this.#known.delete(id);
      return;
    }
    this.#known.set(id, record);
    for (const tag of record.tags) {
      let ids = this.#byTag.get(tagName(tag));
      if (ids === undefined) this.#byTag.set(tagName(tag), (ids = new Set()));
      ids.add(id);
    }
  }
}

function idOf({ type, id }: TaggedResource): string {
  return `${type}:${id}`;
}
