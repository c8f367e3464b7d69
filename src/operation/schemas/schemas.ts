// The registry of schemas (contract-admin 16): each name has versions; grants name the name.
import { requireRight, type AccessRules } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import { authorship } from '../../model/registry/fields.js';
import type { NamedSchema } from '../../model/registry/openapi-components.js';
import {
  parseSchema,
  type RegisteredSchema,
  type SchemaFields,
} from '../../model/registry/schema.js';
import type { Clock } from '../../std/clock.js';
import type { Ownership } from '../identity/ownership.js';
import { VersionedRecords, versionedForm } from '../records/versioned-records.js';
import type { RecordTable } from '../records/record-table.js';

/** How long the schemas of one description may take to check, ms. */
const registeringMsMax = 5000;

export const schemaForm = versionedForm<RegisteredSchema>('schema');

export interface SchemasParts {
  readonly table: RecordTable<RegisteredSchema>;
  readonly clock: Clock;
  readonly access: AccessRules;
  readonly ownership: Ownership;
  /** Throws AppError 'bad-request' for data that is no JSON Schema; `path` names it. */
  readonly check: (schema: SchemaFields, path: string) => void;
  /** Throws AppError 'bad-request' for data that takes too long to read. */
  readonly checkTime: (schema: SchemaFields, path: string) => void;
  /** Versions of all schemas that there may be. */
  readonly schemasMax: number;
}

export class Schemas {
  readonly #records: VersionedRecords<RegisteredSchema>;

  constructor(private readonly parts: SchemasParts) {
    this.#records = new VersionedRecords(parts.table);
  }

  /** The newest version unless one is named. */
  find(name: string, version?: number): RegisteredSchema | undefined {
    return version === undefined
      ? this.#records.newest(name)
      : this.#records.version(name, version);
  }

  /** As `find`. Throws AppError 'not-found'. */
  get(name: string, version?: number): RegisteredSchema {
    const schema = this.find(name, version);
    if (schema === undefined) throw unknownSchema(name, version);
    return schema;
  }

  /** Every version that the caller may read, by name, newest first. */
  list(caller: Caller): RegisteredSchema[] {
    return [...this.#records.names()]
      .filter((id) => this.parts.access.may(caller, 'READ', { type: 'SCHEMA', id }))
      .sort()
      .flatMap((name) => this.#records.versions(name));
  }

  /**
   * Stores schemas in their order: each as a new version, or as the version that it says. Nothing
   * is stored when one may not be written or takes too long to read. Whether its data is a JSON
   * Schema is told when it is enforced: the Python SDK's own tests store data that is none.
   */
  async save(caller: Caller, schemas: readonly SchemaFields[], newVersion: boolean): Promise<void> {
    for (const [index, schema] of schemas.entries()) {
      this.#requireWrite(caller, schema.name);
      this.parts.checkTime(schema, schemas.length === 1 ? 'data' : `[${index}].data`);
    }
    for (const schema of schemas) await this.#saveOne(caller, schema, newVersion);
  }

  /**
   * Registers the schemas of a foreign description, in version 1. A name that is taken keeps what
   * it has, so that nobody else's document changes what executions are checked against. What is no
   * schema is passed over, and everything for a caller who may not create schemas.
   */
  async registerAbsent(caller: Caller, found: readonly NamedSchema[]): Promise<void> {
    const { access, check, clock } = this.parts;
    if (!access.may(caller, 'CREATE', { type: 'SCHEMA', id: undefined })) return;
    const until = clock.now() + registeringMsMax;
    for (const { name, data } of found) {
      if (clock.now() > until) return;
      if (this.#records.has(name)) continue;
      const schema = accepted(() => {
        const parsed = parseSchema({ name, type: 'JSON', data }, '');
        check(parsed, 'data');
        return parsed;
      });
      if (schema !== undefined) await this.#saveFirst(caller, schema, false);
    }
  }

  /** Removes every version. Throws AppError 'not-found'. */
  async delete(name: string): Promise<void> {
    if (!(await this.#records.removeAll(name))) throw unknownSchema(name);
    await this.parts.ownership.removed('SCHEMA', name);
  }

  /** Throws AppError 'not-found'. */
  async deleteVersion(name: string, version: number): Promise<void> {
    if (!(await this.#records.removeVersion(name, version))) throw unknownSchema(name, version);
    if (!this.#records.has(name)) await this.parts.ownership.removed('SCHEMA', name);
  }

  async #saveOne(caller: Caller, schema: SchemaFields, newVersion: boolean): Promise<void> {
    const { name, version } = schema;
    if (!this.#records.has(name)) {
      if (await this.#saveFirst(caller, schema, newVersion)) return;
      // Another node was faster: from here on as if this call had come later.
      this.#requireWrite(caller, name);
    }
    if (newVersion || this.find(name, version) === undefined) this.#checkRoom();
    const now = this.parts.clock.now();
    if (newVersion) {
      await this.#records.add(name, (next) => ({
        ...{ ...schema, version: next },
        ...authorship(undefined, caller.id, now),
      }));
    } else {
      await this.#records.change(name, version, (known) => ({
        ...schema,
        ...authorship(known, caller.id, now),
      }));
    }
  }

  /** The first version of a name; false, and nothing is stored, when another node was faster. */
  async #saveFirst(caller: Caller, schema: SchemaFields, newVersion: boolean): Promise<boolean> {
    this.#checkRoom();
    const { clock, ownership } = this.parts;
    const { name, version } = schema;
    const isStored = await this.#records.addFirst({
      ...{ ...schema, version: newVersion ? 1 : version },
      ...authorship(undefined, caller.id, clock.now()),
    });
    if (isStored) await ownership.created(caller, 'SCHEMA', name);
    return isStored;
  }

  /** Throws AppError 'conflict'. */
  #checkRoom(): void {
    const count = this.#records.size;
    if (count < this.parts.schemasMax) return;
    throw new AppError('conflict', `There are ${count} schemas already (schemasMax)`);
  }

  #requireWrite(caller: Caller, name: string): void {
    const isNew = !this.#records.has(name);
    requireRight(this.parts.access, caller, isNew ? 'CREATE' : 'UPDATE', {
      type: 'SCHEMA',
      id: isNew ? undefined : name,
    });
  }
}

/** undefined for what is refused as a bad request. */
function accepted<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof AppError && error.kind === 'bad-request') return undefined;
    throw error;
  }
}

function unknownSchema(name: string, version?: number): AppError {
  const which = version === undefined ? '' : ` version ${version}`;
  return new AppError('not-found', `Schema '${name.slice(0, 255)}'${which} not found`);
}
