// Secrets: kept sealed, opened only when a caller with the right to it asks or when a task whose
// input names one is handed out (contract-admin 7, semantics 3.7, invariants S6). Opened values are
// remembered in memory until the secret changes, because every hand-out asks for them.
import { requireRight, type Right } from '../../access/access-rules.js';
import { tagListSchema, parseTags } from '../../model/tag.js';
import { custom, text } from '../../model/field.js';
import { noun, type ShownOf, type StoredOf } from '../../declare/noun.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import { refused } from '../../model/record-reader.js';
import { secretTexts } from '../../model/secret-texts.js';
import { removeWith, saveRecord } from '../../operation/records/change-record.js';
import { type Besides, type RecordTable } from '../../operation/records/record-table.js';
import type { Ports } from '../ports.js';
import { checkSent } from './sent-value.js';

export const secret = noun({
  title: 'ExtendedSecret',
  written: { name: text({ about: 'Letters, digits, _ and -', required: true }) },
  kept: {},
  hidden: { sealed: text({ required: true }) },
  derived: { tags: custom(tagListSchema, parseTags, { required: true }) },
  stored: {
    kind: 'secret',
    idOf: ({ name }) => name,
    sealedFor: ({ name }) => ownerOf(name),
  },
});

type SecretRecord = StoredOf<typeof secret>;

interface Opened {
  readonly record: SecretRecord;
  readonly value: string;
  /** The texts that must not be shown: the value, and the texts inside it when it is JSON. */
  readonly texts: readonly string[];
}

export interface SecretsParts extends Pick<
  Ports,
  'access' | 'ownership' | 'tags' | 'secretBox' | 'log'
> {
  readonly table: RecordTable<SecretRecord>;
  /** Bytes of one value. */
  readonly bytesMax: number;
}

export class Secrets {
  readonly #opened = new Map<string, Opened>();

  constructor(private readonly parts: SecretsParts) {
    parts.table.onChange((name) => this.#opened.delete(name));
  }

  /** Whether there is any. */
  get any(): boolean {
    return this.parts.table.size > 0;
  }

  exists(name: string): boolean {
    return this.parts.table.get(name) !== undefined;
  }

  /** Creates or replaces. Rejects with AppError 'bad-request', 'forbidden', 'unavailable'. */
  async put(caller: Caller, name: string, value: string): Promise<void> {
    const { table, access, secretBox, ownership, bytesMax } = this.parts;
    checkSent(name, value, bytesMax);
    if (value === '') throw refused('the value', 'must not be empty');
    const requirePut = (known: SecretRecord | undefined): void => {
      requireRight(access, caller, known === undefined ? 'CREATE' : 'UPDATE', { type, id: name });
    };
    requirePut(table.get(name));
    const sealed = await secretBox.seal(value, ownerOf(name));
    const change = (): SecretRecord => ({ name, sealed });
    const owned = (): Besides => ownership.creating(caller, type, name);
    await saveRecord(table, name, { require: requirePut, change, owned });
  }

  /** Rejects with AppError 'not-found', 'unavailable'. */
  async value(name: string): Promise<string> {
    const record = this.#record(name);
    return await this.parts.secretBox.open(record.sealed, ownerOf(name));
  }

  /** Its tags and grants go with it. Rejects with AppError 'not-found'. */
  async delete(name: string): Promise<void> {
    this.#record(name);
    const { table, ownership } = this.parts;
    await removeWith(table, [name], ownership.removing(type, name));
  }

  /** Names of the secrets on which the caller has all of the rights, in order. */
  names(caller: Caller, rights: readonly Right[]): string[] {
    const { access } = this.parts;
    return [...this.parts.table.values()]
      .map(({ name }) => name)
      .filter((id) => rights.every((right) => access.may(caller, right, { type, id })))
      .sort();
  }

  /** Those that the caller may read, with their tags, in order. */
  tagged(caller: Caller): ShownOf<typeof secret>[] {
    const { tags } = this.parts;
    const shown = (name: string): ShownOf<typeof secret> =>
      secret.toJson(this.#record(name), { tags: [...tags.of(type, name)] });
    return this.names(caller, ['READ']).map(shown);
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

  #record(name: string): SecretRecord {
    const record = this.parts.table.get(name);
    if (record === undefined) throw new AppError('not-found', `Secret ${name} not found`);
    return record;
  }

  #open(name: string): Opened | undefined {
    const known = this.#opened.get(name);
    if (known !== undefined) return known;
    const record = this.parts.table.get(name);
    if (record === undefined) return undefined;
    try {
      const value = this.parts.secretBox.openNow(record.sealed, ownerOf(name));
      const opened = { record, value, texts: secretTexts(value) };
      this.#opened.set(name, opened);
      return opened;
    } catch (error) {
      // Without the value.
      this.parts.log.warn({ err: error }, 'a secret was not opened');
      return undefined;
    }
  }
}

const type = 'SECRET_NAME';

function ownerOf(name: string): string {
  return `secret:${name}`;
}
