// Fields that the nouns of resources share: the name that grants and tags know one by, its tags,
// which are kept beside it, and the language of its script.
import { tagListSchema, parseTags } from '../model/tag.js';
import { checkName, nameCharsMax } from '../model/registry/fields.js';
import { wrongField } from '../model/errors.js';
import { custom, type Field, filledText, keptUnless, text } from '../model/field.js';

export const resourceName = text({ required: true, charsMax: nameCharsMax, check: checkName });

/** For `beside`: absent in a request, the tags stay; absent in a reply, there are none. */
export const tagged = { tags: keptUnless([], custom(tagListSchema, parseTags)) };

/** Evaluators of stored scripts (semantics 6.2), and `others`. */
export function evaluatorField(...others: string[]): Field<string, 'optional'> {
  const evaluators = ['javascript', 'graaljs', 'js', ...others];
  return filledText({
    about: 'javascript',
    check(evaluator, path) {
      if (evaluators.includes(evaluator)) return;
      throw wrongField(path, `must be one of ${evaluators.join(', ')}`);
    },
  });
}
