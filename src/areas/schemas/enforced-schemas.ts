// Checks payloads of executions against the schemas that definitions name (semantics 3.9,
// contract-admin 16.3): the registered one of the name, in the version that is named or the newest;
// else the one that the definition brings along. Only JSON schemas are checked.
import type { SchemaRules } from '../../engine/context.js';
import type { SchemaDef } from '../../model/audit-fields.js';
import type { JsonMap } from '../../model/json.js';
import type { JsonSchemas } from '../../operation/schemas/json-schema.js';
import type { Schemas } from './schemas.js';

export class EnforcedSchemas implements SchemaRules {
  constructor(
    private readonly registered: Pick<Schemas, 'find'>,
    private readonly checks: JsonSchemas,
  ) {}

  violation(schema: SchemaDef, text: string): string | undefined {
    const found =
      schema.name === undefined ? undefined : this.registered.find(schema.name, schema.version);
    const { type, data } = found ?? schema;
    if ((type ?? 'JSON') !== 'JSON') return undefined;
    if (data === undefined) return notRegistered(schema);
    return this.checks.violation(data, JSON.parse(text) as JsonMap);
  }
}

function notRegistered({ name, version }: SchemaDef): string {
  const which = version === undefined ? '' : ` in version ${version}`;
  return name === undefined ? 'it is not given' : `it is not registered${which}`;
}
