// Schemas of the registry (contract-admin 16.1): what is stored of one, and what a save sends.
import { list as listSchema, type Shape } from '../../model/schema.js';
import { authorshipFields } from '../../declare/authorship.js';
import { anyMap, choice, integer, text } from '../../model/field.js';
import { noun, type ShownOf, type StoredOf, type WrittenOf } from '../../declare/noun.js';
import { resourceName } from '../../declare/resource-fields.js';
import { record } from '../../model/record.js';
import { wrongField } from '../../model/errors.js';
import { isMap } from '../../model/record-reader.js';
import { checkBytes, descriptionCharsMax } from '../../model/registry/fields.js';
import { versionId } from '../../operation/records/versioned-records.js';

const schemaBytesMax = 256 * 1024;
const schemasPerRequestMax = 1000;

export const schema = noun({
  title: 'RegisteredSchema',
  labels: { data: 'Schema', externalRef: 'Kept elsewhere at', createdBy: 'By' },
  written: {
    name: resourceName,
    version: integer({ default: 1, min: 1 }),
    type: choice(['JSON', 'AVRO', 'PROTOBUF'], { about: 'Its language', required: true }),
    data: anyMap({
      about: 'The schema document',
      check: (data, path) => checkBytes(data, path, schemaBytesMax),
    }),
    externalRef: text({
      about: 'Where the schema is kept instead',
      charsMax: descriptionCharsMax,
    }),
  },
  kept: authorshipFields,
  check({ type, data }, pathOf) {
    if (type === 'JSON' && data === undefined) {
      throw wrongField(pathOf('data'), 'is required with the type JSON');
    }
  },
  stored: { kind: 'schema', idOf: versionId },
});

export type SchemaFields = WrittenOf<typeof schema>;
export type RegisteredSchema = StoredOf<typeof schema>;
export type ShownSchema = ShownOf<typeof schema>;

/** The rows of lists with `short`; both times are 0 (contract-admin 16.2). */
export const shortSchema = record('ShortSchema', {
  name: text({ required: true }),
  version: integer({ required: true }),
  createTime: authorshipFields.createTime,
  updateTime: authorshipFields.updateTime,
});

/** Clients send a list of schemas or one (contract-admin 0.4). */
export const sentSchemas: Shape<readonly SchemaFields[]> = {
  schema: { anyOf: [listSchema(schema.request.schema), schema.request.schema] },
  parse(input) {
    if (isMap(input)) return [schema.request.parse(input)];
    if (!Array.isArray(input)) {
      throw wrongField('the body', 'must be a schema or a list of schemas');
    }
    if (input.length > schemasPerRequestMax) {
      throw wrongField('the body', `may have ${schemasPerRequestMax} schemas at most`);
    }
    return input.map((item, index) => schema.request.parse(item, `[${index}]`));
  },
};
