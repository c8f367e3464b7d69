// Tags of workflow and task definitions (contract-admin 9.5, 9.6), kept with those of all
// resources.
import type { GivenTags } from '../../model/definition-tags.js';
import type { Caller } from '../../model/caller.js';
import type { Tag } from '../../model/tag.js';
import type { Tags } from '../tags/tags.js';

/** The part of the tags of resources that definitions use. */
export type TagStore = Pick<Tags, 'of' | 'add' | 'replace'>;

/** Which definitions a reader wants by their tags; an absent part takes every tag. */
export interface TagFilter {
  readonly key?: string;
  readonly value?: string;
}

export class DefinitionTags {
  constructor(
    private readonly store: TagStore,
    private readonly type: 'WORKFLOW_DEF' | 'TASK_DEF',
  ) {}

  of(name: string): readonly Tag[] {
    return this.store.of(this.type, name);
  }

  /**
   * Keeps what came with stored definitions. Throws AppError 'bad-request' beyond the limit,
   * 'forbidden' for a tag that would give rights which the caller does not have.
   */
  async keep(caller: Caller, given: readonly GivenTags[]): Promise<void> {
    for (const { name: id, tags, overwrite } of given) {
      const resource = { type: this.type, id };
      if (overwrite) await this.store.replace(caller, resource, tags);
      else await this.store.add(caller, resource, tags, 'with a save');
    }
  }

  has(name: string, { key, value }: TagFilter): boolean {
    if (key === undefined && value === undefined) return true;
    return this.of(name).some(
      (tag) =>
        (key === undefined || tag.key === key) &&
        (value === undefined || String(tag.value) === value),
    );
  }
}
