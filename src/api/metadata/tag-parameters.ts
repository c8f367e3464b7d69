// How requests for definitions name tags (contract-admin 9.5).
import type { Tag } from '../../model/tag.js';
import { withTags } from '../../model/definition-tags.js';
import { present } from '../../model/record-reader.js';
import type { TagFilter } from '../../operation/definitions/definition-tags.js';
import { query } from '../endpoint.js';
import * as form from '../form.js';
import type { RouteRequest } from '../route.js';

export const metadata = query(
  form.flag('Whether definitions are shown with their tags', { default: false }),
);

/** Parameters of a list that tags narrow. */
export const tagParameters = {
  metadata,
  tagKey: query(form.text('Only those with a tag of this key')),
  tagValue: query(form.text('Only those with a tag of this value')),
};

export function tagFilterOf(request: RouteRequest): TagFilter {
  return present({
    key: request.query('tagKey') || undefined,
    value: request.query('tagValue') || undefined,
  });
}

/** The text of a definition, with its tags where the request asks for them. */
export function shownText(request: RouteRequest, text: string, tags: () => readonly Tag[]): string {
  return request.queryBoolean('metadata', false) ? withTags(text, tags()) : text;
}
