// The registry of schemas (contract-admin 16): each name has versions; grants name the name.
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { RecordTable } from '../../operation/records/record-table.js';
import type { JsonSchemas } from '../../operation/schemas/json-schema.js';
import { authored } from '../authored.js';
import type { Ports } from '../ports.js';
import { VersionedResource } from '../versioned-resource.js';
import type { NamedSchema } from './port.js';
import { schema, type RegisteredSchema, type SchemaFields, type ShownSchema } from './schema.js';

/** How long the schemas of one description may take to check, ms. */
const registeringMsMax = 5000;

export interface SchemasParts extends Pick<Ports, 'clock' | 'access' | 'ownership' | 'tags'> {
  readonly table: RecordTable<RegisteredSchema>;
  readonly jsonSchemas: JsonSchemas;
  /** Versions of all schemas that there may be. */
  readonly schemasMax: number;
}

export class Schemas extends VersionedResource<SchemaFields, RegisteredSchema, ShownSchema> {
  constructor(private readonly parts: SchemasParts) {
    super(
      {
        type: 'SCHEMA',
        called: 'Schema',
        path: '/api/schema',
        versionPath: '/api/schema/:name/:version',
        noun: schema,
        columns: ['name', 'version', 'type', 'externalRef', 'createdBy'],
        limit: { max: parts.schemasMax, setting: 'schemasMax' },
        ...authored(schema),
      },
      parts,
    );
  }

  /**
   * Stores schemas in their order: each as a new version, or as the version that it says. Nothing
   * is stored when one may not be written or takes too long to read. Whether its data is a JSON
   * Schema is told when it is enforced: the Python SDK's own tests store data that is none.
   */
  async saveAll(
    caller: Caller,
    schemas: readonly SchemaFields[],
    newVersion: boolean,
  ): Promise<void> {
    for (const [index, { name, type, data }] of schemas.entries()) {
      this.requireSave(caller, name);
      if (type !== 'JSON' || data === undefined) continue;
      const path = schemas.length === 1 ? 'data' : `[${index}].data`;
      await this.parts.jsonSchemas.checkTime(caller, data, path);
    }
    for (const each of schemas) {
      await this.save(caller, each, newVersion ? 'next' : each.version);
    }
  }

  /**
   * Registers the schemas of a foreign description, in version 1. A name that is taken keeps what
   * it has, so that nobody else's document changes what executions are checked against. A value
   * that is no schema is passed over, and so is everything for a caller who may not create schemas.
   */
  async registerAbsent(caller: Caller, found: readonly NamedSchema[]): Promise<void> {
    const { access, jsonSchemas, clock } = this.parts;
    if (!access.may(caller, 'CREATE', { type: 'SCHEMA', id: undefined })) return;
    const until = clock.now() + registeringMsMax;
    for (const { name, data } of found) {
      if (clock.now() > until) return;
      if (this.has(name)) continue;
      const fields = await accepted(async () => {
        const parsed = schema.request.parse({ name, type: 'JSON', data });
        await jsonSchemas.check(caller, data, 'data');
        return parsed;
      });
      if (fields !== undefined) await this.saveFirst(caller, fields, fields.version);
    }
  }
}

/** undefined for what is refused as a bad request. */
async function accepted<T>(make: () => Promise<T>): Promise<T | undefined> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof AppError && error.kind === 'bad-request') return undefined;
    throw error;
  }
}
