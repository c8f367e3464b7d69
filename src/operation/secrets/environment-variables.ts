// Environment variables of the deployment (contract-admin 8): values that definitions may read as
// `${workflow.env.NAME}`. They are no secrets: values are stored and shown as they are.
import type { AccessRules } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { refused } from '../../model/record-reader.js';
import { toTagJson } from '../../model/tag.js';
import type { RecordedOwnership } from '../identity/ownership.js';
import { jsonForm, type RecordTable } from '../records/record-table.js';
import type { RecordTables } from '../records/record-tables.js';
import type { Tags } from '../tags/tags.js';

interface VariableRecord {
  readonly name: string;
  readonly value: string;
}

export interface EnvironmentParts {
  readonly tables: RecordTables;
  readonly tags: Tags;
  readonly access: AccessRules;
  readonly ownership: RecordedOwnership;
  /** Bytes of one value. */
  readonly bytesMax: number;
}

export class EnvironmentVariables {
  readonly #table: RecordTable<VariableRecord>;

  constructor(private readonly parts: EnvironmentParts) {
    this.#table = parts.tables.open(jsonForm<VariableRecord>('environment', ({ name }) => name));
  }

  /** undefined: there is none. */
  get(name: string): string | undefined {
    return this.#table.get(name)?.value;
  }

  /** Throws AppError 'not-found'. */
  value(name: string): string {
    const value = this.get(name);
    if (value === undefined) {
      throw new AppError('not-found', `Environment variable ${name} not found`);
    }
    return value;
  }

  /** Those that the caller may read, by name. */
  list(caller: Caller): JsonMap[] {
    const { access, tags } = this.parts;
    return [...this.#table.values()]
      .filter(({ name }) => access.may(caller, 'READ', { type: 'ENV_VARIABLE', id: name }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, value }) => ({
        name,
        value,
        tags: tags.of('ENV_VARIABLE', name).map(toTagJson),
      }));
  }

  /** Creates or replaces. Rejects with AppError 'bad-request'. */
  async put(name: string, value: string): Promise<void> {
    const { bytesMax } = this.parts;
    if (!/^[\w-]{1,256}$/.test(name)) {
      throw refused('the name', 'may hold 1 to 256 letters, digits, _ and -');
    }
    if (Buffer.byteLength(value) > bytesMax) {
      throw refused('the value', `must have at most ${bytesMax} bytes`);
    }
    await this.#table.put({ name, value });
  }

  /** The value that it had. Rejects with AppError 'not-found'. */
  async delete(name: string): Promise<string> {
    const value = this.value(name);
    await this.#table.remove(name);
    await this.parts.ownership.removed('ENV_VARIABLE', name);
    return value;
  }
}

/** Variables of the process's own environment that the setting `environmentNames` names. */
export function ownEnvironment(names: readonly string[]): (name: string) => string | undefined {
  const readable = new Set(names);
  return (name) => (readable.has(name) ? process.env[name] : undefined);
}
