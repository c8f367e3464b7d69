// Turns declared schemas into those of the API description. One with a title stands once among the
// components and is referred to elsewhere, so that schemas may refer to themselves.
import type { JsonMap } from '../../model/json.js';
import type { Schema } from '../../model/schema.js';

export class Schemas {
  readonly #byTitle = new Map<string, { readonly schema: Schema; readonly written: JsonMap }>();

  /** Schemas that have been compared with the first one of their title. */
  readonly #compared = new WeakSet<Schema>();

  /** Throws when two different schemas have one title. */
  schemaOf(schema: Schema): JsonMap {
    const { title } = schema;
    if (title === undefined) return this.#expanded(schema);
    const known = this.#byTitle.get(title);
    if (known === undefined) {
      const written: JsonMap = {};
      this.#byTitle.set(title, { schema, written });
      Object.assign(written, this.#expanded(schema));
    } else if (known.schema !== schema) this.#compare(known.written, schema);
    return { $ref: `#/components/schemas/${title}` };
  }

  /** Everything with a title that was met so far, by title. */
  get components(): JsonMap {
    const titles = [...this.#byTitle.keys()].sort();
    return Object.fromEntries(
      titles.map((title) => [title, this.#byTitle.get(title)?.written ?? {}]),
    );
  }

  #compare(written: JsonMap, schema: Schema): void {
    if (this.#compared.has(schema)) return;
    this.#compared.add(schema);
    const { description: _first, ...one } = written;
    const { description: _second, ...other } = this.#expanded(schema);
    if (JSON.stringify(one) === JSON.stringify(other)) return;
    throw new Error(`Two schemas are called ${schema.title ?? ''}`);
  }

  #expanded(schema: Schema): JsonMap {
    const { properties, items, anyOf, additionalProperties: others, ...plain } = schema;
    const written = { ...plain } as JsonMap;
    if (properties !== undefined) {
      written['properties'] = Object.fromEntries(
        Object.keys(properties).map((name) => [name, this.schemaOf(properties[name] as Schema)]),
      );
    }
    if (items !== undefined) written['items'] = this.schemaOf(items);
    if (anyOf !== undefined) written['anyOf'] = anyOf.map((each) => this.schemaOf(each));
    if (others !== undefined) {
      written['additionalProperties'] =
        typeof others === 'boolean' ? others : this.schemaOf(others);
    }
    return written;
  }
}
