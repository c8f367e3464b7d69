// Fields that the nouns of resources share: the name that grants and tags know one by, and its
// tags, which are kept beside it.
import { tagListSchema } from '../api/tag-routes.js';
import { checkName, nameCharsMax } from '../model/registry/fields.js';
import { parseTags } from '../model/tag.js';
import { custom, text } from '../model/field.js';

export const resourceName = text({ required: true, charsMax: nameCharsMax, check: checkName });

/** For `beside`: absent in a request, the tags stay; absent in a reply, there are none. */
export const tagged = { tags: custom(tagListSchema, parseTags) };
