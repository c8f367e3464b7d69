// Tags of resources (contract-admin 9.1): what they are, how they are read from outside and
// written.
import { isMap, parseList, refused } from './record-reader.js';
import { list, object, text } from './schema.js';

/** A type, no interface, so that it counts as JSON. */
export type Tag = {
  readonly key: string;
  /** A rate limit's tag carries a number; the JSON type that was sent stays. */
  readonly value: string | number;
  /** Old; shown only where it was sent. */
  readonly type?: 'METADATA' | 'RATE_LIMIT';
};

export const tagSchema = object(
  'Tag',
  {
    key: text('Key'),
    value: { description: 'A text; a number for a rate limit', type: ['string', 'number'] },
    type: text('METADATA or RATE_LIMIT, where it was sent'),
  },
  ['key', 'value'],
);
export const tagListSchema = list(tagSchema);

/** Tags of one resource, and characters of a key or value. */
export const tagsMax = 100;
const tagTextMax = 1000;

/** `key:value`, as grants and queries name a tag. */
export function tagName({ key, value }: Tag): string {
  return `${key}:${value}`;
}

export function isSameTag(a: Tag, b: Tag): boolean {
  return a.key === b.key && String(a.value) === String(b.value);
}

/** Throws AppError 'bad-request'. */
export function parseTag(input: unknown, path: string): Tag {
  if (!isMap(input)) throw refused(path, 'must be a tag with key and value');
  const { key, value, type } = input;
  const at = path === '' ? '' : `${path}.`;
  if (typeof key !== 'string' || key === '' || key.length > tagTextMax) {
    throw refused(`${at}key`, `must be a text of 1 to ${tagTextMax} characters`);
  }
  if (key.includes('*')) {
    throw refused(`${at}key`, "may not hold '*', which means all resources in a grant");
  }
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw refused(`${at}value`, 'must be a text or a number');
  }
  if (String(value).length > tagTextMax) {
    throw refused(`${at}value`, `must have at most ${tagTextMax} characters`);
  }
  const isKnown = type === 'METADATA' || type === 'RATE_LIMIT';
  return { key, value, ...(isKnown ? { type } : {}) };
}

/** One tag counts as a list of one (contract-admin 0.4). Throws AppError 'bad-request'. */
export function parseTags(input: unknown, path: string): Tag[] {
  if (!Array.isArray(input)) return [parseTag(input, path)];
  if (input.length > tagsMax) throw refused(path, `must have at most ${tagsMax} tags`);
  return parseList(input, path, parseTag);
}

export function toTagJson({ key, value, type }: Tag): Tag {
  return { key, value, ...(type === undefined ? {} : { type }) };
}
