// Tags that come with a workflow or task definition (contract-admin 9.6). They belong to the name,
// not to a version, so that they are no part of the definition itself: they are kept with the tags
// of resources, and a reader gets them when it asks for them.
import { RecordReader, isMap } from './record-reader.js';
import { parseTags, toTagJson, type Tag } from './tag.js';

/** Tags of one definition of a request. */
export interface GivenTags {
  /** Name of the definition. */
  readonly name: string;
  readonly tags: readonly Tag[];
  /** Whether they replace those that the name has; otherwise they are added. */
  readonly overwrite: boolean;
}

/**
 * The tags in a definition or in a list of definitions; nothing for those that name none. Throws
 * AppError 'bad-request' that names the field.
 */
export function parseGivenTags(input: unknown, path = ''): GivenTags[] {
  if (Array.isArray(input)) {
    return input.flatMap((item, index) => parseGivenTags(item, `${path}[${index}]`));
  }
  if (!isMap(input)) return [];
  const reader = new RecordReader(input, path);
  const tags = reader.raw('tags');
  if (tags === undefined) return [];
  return [
    {
      name: reader.text('name') ?? '',
      tags: parseTags(tags, reader.pathOf('tags')),
      overwrite: reader.flag('overwriteTags', false),
    },
  ];
}

/** The JSON text of a definition with the member `tags`. */
export function withTags(text: string, tags: readonly Tag[]): string {
  return `${text.slice(0, -1)},"tags":${JSON.stringify(tags.map(toTagJson))}}`;
}
