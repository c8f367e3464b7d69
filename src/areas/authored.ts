// Stored and shown form of a resource that adds only its author and its times to its fields.
import { withKnownAuthors } from '../declare/authorship.js';
import type { Noun } from '../declare/noun.js';
import type { Caller } from '../model/caller.js';
import { authorship, type Authorship } from '../model/registry/fields.js';
import type { Tag } from '../model/tag.js';

type Authors = Pick<Authorship, 'createTime' | 'updateTime'> & Partial<Authorship>;

interface From<Stored> {
  readonly caller: Caller;
  readonly known: Stored | undefined;
  /** Epoch ms. */
  readonly now: number;
  /** Of resources with versions. */
  readonly version?: number;
}

/** `make` and `show` of a noun that keeps `authorshipFields`, and a version if names have some. */
export function authored<Written, Stored extends Authors, Shown extends Partial<Authorship>>(
  noun: Noun<Written, Stored, { readonly tags?: Tag[] }, Shown>,
): {
  readonly make: (fields: Omit<Written, 'tags'>, from: From<Stored>) => Stored;
  readonly show: (stored: Stored, tags: Tag[]) => Shown;
} {
  return {
    make: (fields, { caller, known, now, version }) => {
      const of = version === undefined ? {} : { version };
      // A noun's stored values are its fields and those that are added here.
      return { ...fields, ...of, ...authorship(known, caller.id, now) } as object as Stored;
    },
    show: (stored, tags) =>
      withKnownAuthors(noun.toJson(stored, tags.length === 0 ? {} : { tags })),
  };
}
