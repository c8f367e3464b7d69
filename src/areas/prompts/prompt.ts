// Prompts, called MessageTemplate on the wire (contract-admin 13.1): what is stored of one, and how
// clients send it: whole in a list, or its template alone with the rest in the query.
import { list as listSchema, number, text as textSchema } from '../../model/schema.js';
import { tagListSchema, parseTags } from '../../model/tag.js';
import { authorshipFields } from '../../declare/authorship.js';
import { choice, custom, integer, text, texts } from '../../model/field.js';
import { noun, type ShownOf, type StoredOf, type WrittenOf } from '../../declare/noun.js';
import { resourceName } from '../../declare/resource-fields.js';
import { record, sentList } from '../../model/record.js';
import { wrongField } from '../../model/errors.js';
import { parseTexts } from '../../model/record-reader.js';
import { descriptionCharsMax } from '../../model/registry/fields.js';
import { versionId } from '../../operation/records/versioned-records.js';

const modelsMax = 100;
const modelCharsMax = 600;
const stopWordsMax = 100;
const promptsPerRequestMax = 1000;

export const templateField = text({
  about: 'With placeholders ${name}',
  required: true,
  charsMax: 200_000,
});
const versionField = integer({ about: 'The version to write', min: 1 });
const modelsField = texts({
  about: 'provider:model, or a text without a colon',
  check: checkModels,
});

export const prompt = noun({
  title: 'MessageTemplate',
  labels: { integrations: 'Models' },
  written: {
    name: resourceName,
    version: versionField,
    template: templateField,
    description: text({ default: '', charsMax: descriptionCharsMax }),
    integrations: modelsField,
    temperature: custom(number(), numberOf),
    topP: custom(number(), numberOf),
    responseFormat: choice(['text', 'json']),
    stopWords: custom(listSchema(textSchema()), stopWordsOf),
  },
  kept: { version: integer({ required: true }), ...authorshipFields },
  derived: {
    variables: texts({ about: 'Names of the placeholders' }),
    tags: custom(tagListSchema, parseTags, { required: true }),
  },
  stored: { kind: 'prompt', idOf: versionId },
});

export type PromptFields = WrittenOf<typeof prompt>;
export type Prompt = StoredOf<typeof prompt>;
export type ShownPrompt = ShownOf<typeof prompt>;

export const sentPrompts = sentList(prompt.request, 'prompts', promptsPerRequestMax);

/** A prompt of which the body is the template, by the names that refusals use. */
export const sentAlone = record('SentPrompt', {
  name: resourceName,
  'the body': templateField,
  description: text({ required: true, mayBeEmpty: true, charsMax: descriptionCharsMax }),
  models: modelsField,
  version: versionField,
});

function checkModels(models: readonly string[], path: string): void {
  if (models.length > modelsMax) throw wrongField(path, `may name ${modelsMax} models at most`);
  if (models.some((model) => model.length > modelCharsMax)) {
    throw wrongField(path, `may hold names of ${modelCharsMax} characters at most`);
  }
}

function numberOf(value: unknown, path: string): number {
  if (typeof value !== 'number') throw wrongField(path, 'must be a number');
  return value;
}

function stopWordsOf(value: unknown, path: string): string[] {
  const words = parseTexts(value, path);
  if (words.length <= stopWordsMax) return words;
  throw wrongField(path, `may have ${stopWordsMax} entries at most`);
}
