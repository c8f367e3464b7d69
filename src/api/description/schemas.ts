// Turns forms into the schemas of the API description. A form with a title stands once among the
// components and is referred to elsewhere, so that forms may refer to themselves.
import type { JsonMap } from '../../model/json.js';
import type { Form } from '../form.js';

export class Schemas {
  readonly #byTitle = new Map<string, { readonly form: Form; readonly schema: JsonMap }>();

  /** Forms that have been compared with the first one of their title. */
  readonly #compared = new WeakSet<Form>();

  /** Throws when two different forms have one title. */
  schemaOf(form: Form): JsonMap {
    const { title } = form;
    if (title === undefined) return this.#expanded(form);
    const known = this.#byTitle.get(title);
    if (known === undefined) {
      const schema: JsonMap = {};
      this.#byTitle.set(title, { form, schema });
      Object.assign(schema, this.#expanded(form));
    } else if (known.form !== form) this.#compare(known.schema, form);
    return { $ref: `#/components/schemas/${title}` };
  }

  /** Everything with a title that was met so far, by title. */
  get components(): JsonMap {
    const titles = [...this.#byTitle.keys()].sort();
    return Object.fromEntries(
      titles.map((title) => [title, this.#byTitle.get(title)?.schema ?? {}]),
    );
  }

  #compare(schema: JsonMap, form: Form): void {
    if (this.#compared.has(form)) return;
    this.#compared.add(form);
    const { description: _first, ...one } = schema;
    const { description: _second, ...other } = this.#expanded(form);
    if (JSON.stringify(one) === JSON.stringify(other)) return;
    throw new Error(`Two forms are called ${form.title ?? ''}`);
  }

  #expanded(form: Form): JsonMap {
    const { properties, items, anyOf, additionalProperties: others, ...plain } = form;
    const schema = { ...plain } as JsonMap;
    if (properties !== undefined) {
      schema['properties'] = Object.fromEntries(
        Object.keys(properties).map((name) => [name, this.schemaOf(properties[name] as Form)]),
      );
    }
    if (items !== undefined) schema['items'] = this.schemaOf(items);
    if (anyOf !== undefined) schema['anyOf'] = anyOf.map((each) => this.schemaOf(each));
    if (others !== undefined) {
      schema['additionalProperties'] = typeof others === 'boolean' ? others : this.schemaOf(others);
    }
    return schema;
  }
}
