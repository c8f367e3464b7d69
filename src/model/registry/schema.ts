// Schemas of the registry (contract-admin 16.1): parsing, checking and their JSON.
import { wrongField } from '../errors.js';
import type { JsonMap } from '../json.js';
import { isMap, present, RecordReader } from '../record-reader.js';
import { checkBytes, nameOf, textOf, toAuthorshipJson, type Authorship } from './fields.js';

export const schemaTypes = ['JSON', 'AVRO', 'PROTOBUF'] as const;

export interface SchemaFields {
  readonly name: string;
  readonly version: number;
  readonly type: (typeof schemaTypes)[number];
  readonly data?: JsonMap;
  readonly externalRef?: string;
}

/** As it is stored. */
export interface RegisteredSchema extends SchemaFields, Authorship {}

const schemaBytesMax = 256 * 1024;
/** Schemas of one request. */
const schemasPerRequestMax = 1000;

/** One schema or a list of them (contract-admin 0.4). Throws AppError 'bad-request'. */
export function parseSchemas(input: unknown): SchemaFields[] {
  if (isMap(input)) return [parseSchema(input, '')];
  if (!Array.isArray(input)) throw wrongField('the body', 'must be a schema or a list of schemas');
  if (input.length > schemasPerRequestMax) {
    throw wrongField('the body', `may have ${schemasPerRequestMax} schemas at most`);
  }
  return input.map((item, index) => parseSchema(item, `[${index}]`));
}

/** Throws AppError 'bad-request' that names the field below `path`. */
export function parseSchema(input: unknown, path: string): SchemaFields {
  const reader = new RecordReader(input, path);
  const name = nameOf(reader);
  const version = reader.optionalInteger('version') ?? 1;
  if (version < 1) throw wrongField(reader.pathOf('version'), 'must be 1 or more');
  const type = reader.choice('type', schemaTypes);
  if (type === undefined) {
    throw wrongField(reader.pathOf('type'), `must be one of ${schemaTypes.join(', ')}`);
  }
  const data = reader.optionalMap('data');
  if (type === 'JSON' && data === undefined) {
    throw wrongField(reader.pathOf('data'), 'is required with the type JSON');
  }
  checkBytes(data, reader.pathOf('data'), schemaBytesMax);
  const externalRef = textOf(reader, 'externalRef');
  return { name, version, type, ...present({ data, externalRef }) };
}

export function toSchemaJson(schema: RegisteredSchema): JsonMap {
  const { name, version, type, data, externalRef } = schema;
  return {
    name,
    version,
    type,
    ...present({ data, externalRef }),
    ...toAuthorshipJson(schema),
  };
}

/** What lists show with `short`: both times are 0 (contract-admin 16.2). */
export function toShortSchemaJson({ name, version }: RegisteredSchema): JsonMap {
  return { name, version, createTime: 0, updateTime: 0 };
}
