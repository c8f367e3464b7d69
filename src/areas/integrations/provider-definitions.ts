// The kinds of integrations (contract-admin 14.2, `/def`): those that this server knows, and those
// that an administrator has registered; a registered one stands in for a known one.
import {
  anyObject,
  flag,
  list,
  objectOf,
  text,
  type Schema,
  type Shape,
} from '../../model/schema.js';
import { AppError, wrongField } from '../../model/errors.js';
import { textFrom } from '../../model/json-text.js';
import type { JsonMap } from '../../model/json.js';
import { categories, type Category } from '../../model/provider-category.js';
import { parseList, RecordReader } from '../../model/record-reader.js';
import { checkBytes, nameOf } from '../../model/registry/fields.js';
import { jsonCodec, type RecordTable } from '../../operation/records/record-table.js';
import { listedMax } from './integration.js';
import { categoryOf, knownDefinitions } from './provider-types.js';

export interface ProviderDefinition {
  readonly name: string;
  readonly definition: JsonMap;
}

export const definitionRecord = jsonCodec<ProviderDefinition>(
  'integration-definition',
  ({ name }) => name,
);

const definitionBytesMax = 128 * 1024;

/** Clients may add members of their own. */
export const definitionSchema: Schema<JsonMap> = objectOf(
  'IntegrationDef',
  {
    ...{ name: text(), type: text(), category: text(), categoryLabel: text() },
    ...{ description: text(), enabled: flag(), iconName: text() },
    ...{ tags: list(text()), configuration: list(anyObject), apis: list(anyObject) },
  },
  ['name'],
);

export const sentDefinitions: Shape<readonly ProviderDefinition[]> = {
  schema: list(definitionSchema),
  parse: (input) =>
    parseList(input, '', (item, path) => {
      const reader = new RecordReader(item, path);
      const name = nameOf(reader);
      const definition = item as JsonMap;
      checkBytes(definition, path, definitionBytesMax);
      return { name, definition };
    }),
};

export class ProviderDefinitions {
  readonly #known: ReadonlyMap<string, JsonMap>;

  constructor(private readonly table: RecordTable<ProviderDefinition>) {
    this.#known = new Map(knownDefinitions().map((each) => [textFrom(each['name']), each]));
  }

  /** By name. */
  list(): JsonMap[] {
    const all = new Map(this.#known);
    for (const { name, definition } of this.table.values()) all.set(name, definition);
    return [...all.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  }

  /** Throws AppError 'not-found'. */
  get(name: string): JsonMap {
    const found = this.table.get(name)?.definition ?? this.#known.get(name);
    if (found !== undefined) return found;
    throw new AppError('not-found', `No such integration definition: ${name.slice(0, 255)}`);
  }

  /** Of the providers of a type; undefined for a type that is neither known nor registered. */
  categoryOf(type: string): Category | undefined {
    const registered = [...this.table.values()].find(
      ({ name, definition }) => (definition['type'] ?? name) === type,
    )?.definition['category'];
    return categories.find((each) => each === registered) ?? categoryOf(type);
  }

  /** Throws AppError 'bad-request'. */
  async register(definitions: readonly ProviderDefinition[]): Promise<void> {
    if (definitions.length > listedMax || this.table.size + definitions.length > listedMax) {
      throw wrongField('the body', `may not bring the registered definitions above ${listedMax}`);
    }
    for (const definition of definitions) await this.table.put(definition);
  }
}
