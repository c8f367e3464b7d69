// How requests for definitions name tags and rights (contract-admin 9.5).
import { rights, type Right } from '../../access/access-rules.js';
import type { Tag } from '../../model/tag.js';
import { withTags } from '../../model/definition-tags.js';
import { present } from '../../model/record-reader.js';
import type { TagFilter } from '../../operation/definitions/definition-tags.js';
import { parseRights } from '../../access/parse-rights.js';
import { query } from '../endpoint.js';
import * as schema from '../../model/schema.js';
import type { RouteRequest } from '../route.js';

export const metadata = query(
  schema.flag('Whether definitions are shown with their tags', { default: false }),
);

/** Parameters of a list that rights and tags narrow. */
export const listParameters = {
  access: query(schema.oneOf(rights, 'Only those that the caller has this right on, beside READ'), {
    repeated: true,
  }),
  metadata,
  tagKey: query(schema.text('Only those with a tag of this key')),
  tagValue: query(schema.text('Only those with a tag of this value')),
};

/** Rights beside READ. Throws AppError 'bad-request'. */
export function rightsOf(request: RouteRequest): readonly Right[] {
  return parseRights(request.queryAll('access'), 'access');
}

export function tagFilterOf(request: RouteRequest): TagFilter {
  return present({
    key: request.query('tagKey') || undefined,
    value: request.query('tagValue') || undefined,
  });
}

/** The text of a definition, with its tags where the request asks for them. */
export function shownText(request: RouteRequest, text: string, tags: () => readonly Tag[]): string {
  return request.queryBoolean('metadata') ? withTags(text, tags()) : text;
}
