// Environment variables of the deployment (contract-admin 8): values that definitions may read as
// `${workflow.env.NAME}`. They are no secrets: values are stored and shown as they are.
import { tagListSchema, parseTags } from '../../model/tag.js';
import { custom, text } from '../../model/field.js';
import { noun, type ShownOf, type StoredOf } from '../../declare/noun.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import { removeWith } from '../../operation/records/change-record.js';
import type { RecordTable } from '../../operation/records/record-table.js';
import type { Ports } from '../ports.js';
import { checkSent } from './sent-value.js';

export const variable = noun({
  title: 'EnvironmentVariable',
  written: {
    name: text({ about: 'Letters, digits, _ and -', required: true }),
    value: text({ required: true }),
  },
  kept: {},
  derived: { tags: custom(tagListSchema, parseTags, { required: true }) },
  stored: { kind: 'environment', idOf: ({ name }) => name },
});

export type ShownVariable = ShownOf<typeof variable>;

export interface EnvironmentParts extends Pick<
  Ports,
  'access' | 'ownership' | 'tags' | 'starterOf'
> {
  readonly table: RecordTable<StoredOf<typeof variable>>;
  /** Variables of the process's own environment that everybody may read. */
  readonly own: (name: string) => string | undefined;
  /** Bytes of one value. */
  readonly bytesMax: number;
}

export class EnvironmentVariables {
  constructor(private readonly parts: EnvironmentParts) {}

  /** As definitions read it, stored here or of the process; undefined: there is none. */
  readonly valueNow = (name: string): string | undefined => {
    return this.#stored(name) ?? this.parts.own(name);
  };

  /**
   * Whether who started an execution may read a stored variable now. Those of the process are for
   * everybody.
   */
  readonly mayRead = (name: string, startedBy: string | undefined): boolean => {
    if (this.#stored(name) === undefined) return true;
    const caller = this.parts.starterOf(startedBy);
    return caller !== undefined && this.#mayRead(caller, name);
  };

  /** Throws AppError 'not-found'. */
  value(name: string): string {
    const value = this.#stored(name);
    if (value === undefined) {
      throw new AppError('not-found', `Environment variable ${name} not found`);
    }
    return value;
  }

  /** Those that the caller may read, by name. */
  list(caller: Caller): ShownVariable[] {
    const { table, tags } = this.parts;
    return [...table.values()]
      .filter(({ name }) => this.#mayRead(caller, name))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((stored) => variable.toJson(stored, { tags: [...tags.of(type, stored.name)] }));
  }

  /** Creates or replaces. Rejects with AppError 'bad-request'. */
  async put(name: string, value: string): Promise<void> {
    checkSent(name, value, this.parts.bytesMax);
    await this.parts.table.put({ name, value });
  }

  /** The value that it had. Rejects with AppError 'not-found'. */
  async delete(name: string): Promise<string> {
    const value = this.value(name);
    const { table, ownership } = this.parts;
    await removeWith(table, [name], ownership.removing(type, name));
    return value;
  }

  #stored(name: string): string | undefined {
    return this.parts.table.get(name)?.value;
  }

  #mayRead(caller: Caller, id: string): boolean {
    return this.parts.access.may(caller, 'READ', { type, id });
  }
}

const type = 'ENV_VARIABLE';
