// Secrets: kept sealed, opened only when a caller with the right to it asks or when a task whose
// input names one is handed out (contract-admin 7, semantics 3.7, invariants S6). Opened values are
// remembered in memory until the secret changes, because every hand-out asks for them.
import { requireRight, type AccessRules, type Right } from '../../access/access-rules.js';
import type { KeyedSecretBox } from '../../access/secret-box.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import { refused } from '../../model/record-reader.js';
import type { RecordedOwnership } from '../identity/ownership.js';
import { saveRecord } from '../records/change-record.js';
import { jsonForm, sealedField, type Besides, type RecordTable } from '../records/record-table.js';
import type { RecordTables } from '../records/record-tables.js';
import { secretTexts } from './secret-texts.js';

interface SecretRecord {
  readonly name: string;
  /** The value as `SecretBox` seals it. */
  readonly sealed: string;
}

const secretForm = jsonForm<SecretRecord>(
  'secret',
  ({ name }) => name,
  sealedField(({ name }) => ownerOf(name)),
);

interface Opened {
  readonly record: SecretRecord;
  readonly value: string;
  /** What must not be shown: the value, and the texts inside it when it is JSON. */
  readonly texts: readonly string[];
}

export interface SecretsParts {
  readonly tables: RecordTables;
  readonly box: KeyedSecretBox;
  readonly access: AccessRules;
  readonly ownership: RecordedOwnership;
  /** Bytes of one value. */
  readonly bytesMax: number;
  /** Told, without the value, when a secret cannot be opened here. */
  readonly failed: (error: unknown) => void;
}

export class Secrets {
  readonly #table: RecordTable<SecretRecord>;
  readonly #opened = new Map<string, Opened>();

  constructor(private readonly parts: SecretsParts) {
    this.#table = parts.tables.open(secretForm);
    this.#table.onChange((name) => this.#opened.delete(name));
  }

  /** Whether there is any. */
  get any(): boolean {
    return this.#table.size > 0;
  }

  exists(name: string): boolean {
    return this.#table.get(name) !== undefined;
  }

  /** Creates or replaces. Rejects with AppError 'bad-request', 'forbidden', 'unavailable'. */
  async put(caller: Caller, name: string, value: string): Promise<void> {
    const { access, box, ownership, bytesMax } = this.parts;
    checkName(name);
    if (value === '') throw refused('the value', 'must not be empty');
    if (Buffer.byteLength(value) > bytesMax) {
      throw refused('the value', `must have at most ${bytesMax} bytes`);
    }
    const requirePut = (known: SecretRecord | undefined): void => {
      const right = known === undefined ? 'CREATE' : 'UPDATE';
      requireRight(access, caller, right, { type: 'SECRET_NAME', id: name });
    };
    requirePut(this.#table.get(name));
    const sealed = await box.seal(value, ownerOf(name));
    const change = (): SecretRecord => ({ name, sealed });
    const owned = (): Besides => ownership.creating(caller, 'SECRET_NAME', name);
    await saveRecord(this.#table, name, { require: requirePut, change, owned });
  }

  /** Rejects with AppError 'not-found', 'unavailable'. */
  async value(name: string): Promise<string> {
    const record = this.#record(name);
    return await this.parts.box.open(record.sealed, ownerOf(name));
  }

  /** Its tags and grants go with it. Rejects with AppError 'not-found'. */
  async delete(name: string): Promise<void> {
    this.#record(name);
    await this.#table.remove(name);
    await this.parts.ownership.removed('SECRET_NAME', name);
  }

  /** Names of the secrets on which the caller has all of the rights, in order. */
  names(caller: Caller, rights: readonly Right[]): string[] {
    const { access } = this.parts;
    return [...this.#table.values()]
      .map(({ name }) => name)
      .filter((id) => rights.every((right) => access.may(caller, right, { type, id })))
      .sort();
  }

  /** Throws AppError 'not-found'. */
  require(name: string): void {
    this.#record(name);
  }

  /** The value for a hand-out; undefined when there is none or it cannot be opened here. */
  valueNow(name: string): string | undefined {
    return this.#open(name)?.value;
  }

  /** Texts that must not be shown of these secrets. */
  textsOf(names: Iterable<string>): string[] {
    return [...names].flatMap((name) => this.#open(name)?.texts ?? []);
  }

  /** Texts that must not be shown of any secret. */
  allTexts(): string[] {
    return this.textsOf([...this.#table.values()].map(({ name }) => name));
  }

  #record(name: string): SecretRecord {
    const record = this.#table.get(name);
    if (record === undefined) throw new AppError('not-found', `Secret ${name} not found`);
    return record;
  }

  #open(name: string): Opened | undefined {
    const known = this.#opened.get(name);
    if (known !== undefined) return known;
    const record = this.#table.get(name);
    if (record === undefined) return undefined;
    try {
      const value = this.parts.box.openNow(record.sealed, ownerOf(name));
      const opened = { record, value, texts: secretTexts(value) };
      this.#opened.set(name, opened);
      return opened;
    } catch (error) {
      this.parts.failed(error);
      return undefined;
    }
  }
}

const type = 'SECRET_NAME';

function ownerOf(name: string): string {
  return `secret:${name}`;
}

/** The name ends at the first dot in an expression, so it has none. */
function checkName(name: string): void {
  if (/^[\w-]{1,256}$/.test(name)) return;
  throw refused('the name', 'may hold 1 to 256 letters, digits, _ and -');
}
