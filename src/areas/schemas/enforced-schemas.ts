// Checks payloads of executions against the schemas that definitions name (semantics 3.9,
// contract-admin 16.3): the registered one of the name, in the version that is named or the newest;
// else the one that the definition brings along, which counts too where the registered one may not
// be read. Only JSON schemas are checked.
import type { SchemaRules } from '../../engine/context.js';
import type { Readers } from '../../engine/readers.js';
import type { SchemaDef } from '../../model/audit-fields.js';
import type { JsonMap } from '../../model/json.js';
import type { JsonSchemas } from '../../operation/schemas/json-schema.js';
import { readRefusal, type ReadRefusalParts } from '../../operation/read-refusal.js';
import type { RegisteredSchema } from './schema.js';
import type { Schemas } from './schemas.js';

export class EnforcedSchemas implements SchemaRules {
  constructor(
    private readonly registered: Pick<Schemas, 'find'>,
    private readonly checks: JsonSchemas,
    private readonly rights: ReadRefusalParts,
  ) {}

  refusal(schema: SchemaDef, readers: Readers): string | undefined {
    return schema.data === undefined ? this.#refusal(schema, readers) : undefined;
  }

  violation(schema: SchemaDef, text: string, readers: Readers): string | undefined {
    const isReadable = this.#refusal(schema, readers) === undefined;
    const { type, data } = (isReadable ? this.#registered(schema) : undefined) ?? schema;
    if ((type ?? 'JSON') !== 'JSON') return undefined;
    if (data === undefined) return notRegistered(schema);
    return this.checks.violation(data, JSON.parse(text) as JsonMap);
  }

  #registered({ name, version }: SchemaDef): RegisteredSchema | undefined {
    return name === undefined ? undefined : this.registered.find(name, version);
  }

  /** Why the registered one may not be read; undefined: it may, or there is none. */
  #refusal(schema: SchemaDef, readers: Readers): string | undefined {
    const found = this.#registered(schema);
    if (found === undefined) return undefined;
    return readRefusal(this.rights, { type: 'SCHEMA', id: found.name }, readers);
  }
}

function notRegistered({ name, version }: SchemaDef): string {
  const which = version === undefined ? '' : ` in version ${version}`;
  return name === undefined ? 'it is not given' : `it is not registered${which}`;
}
