// The endpoints of a server as its API description has them, with the schemas of their bodies.
import type { Session } from '../../testkit/secured-server.js';

/** The part of a JSON Schema that attacks go by; references are followed, as deep as bodies go. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface Endpoint {
  readonly name: string;
  readonly method: string;
  /** With variables as `{name}`. */
  readonly pattern: string;
  readonly query: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly isText: boolean;
  }[];
  /** undefined: it has no body. */
  readonly body: Schema | undefined;
}

interface Described extends Omit<Schema, 'type' | 'items' | 'properties'> {
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly items?: Described;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly allOf?: readonly Described[];
  readonly anyOf?: readonly Described[];
  readonly oneOf?: readonly Described[];
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    name: string;
    in: string;
    required?: boolean;
    schema?: Described;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema?: Described }>> };
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Described>> };
}

/** Schemas nest without end (tasks in tasks): further in they are left out. */
const nestingMax = 8;

export async function describedEndpoints(nobody: Session): Promise<Endpoint[]> {
  const { paths, components } = (await nobody.get('/api-docs.json')).body as Description;
  const forms = components?.schemas ?? {};
  return Object.entries(paths).flatMap(([pattern, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...{ name: operation.operationId, method: method.toUpperCase(), pattern },
      query: (operation.parameters ?? [])
        .filter(({ in: place }) => place === 'query')
        .map(({ name, required = false, schema }) => ({
          ...{ name, required },
          isText: isText(resolved(schema ?? {}, forms, 0)),
        })),
      body: bodyOf(operation, forms),
    })),
  );
}

/** Whether it may hold the name of something. */
export function isText({ type }: Schema): boolean {
  return type === undefined || !['integer', 'number', 'boolean', 'null'].includes(type);
}

function bodyOf(
  { requestBody }: Operation,
  forms: Readonly<Record<string, Described>>,
): Schema | undefined {
  if (requestBody === undefined) return undefined;
  const [content] = Object.values(requestBody.content);
  return resolved(content?.schema ?? {}, forms, 0);
}

function resolved(
  described: Described,
  forms: Readonly<Record<string, Described>>,
  depth: number,
): Schema {
  const { $ref, allOf, anyOf, oneOf, items, properties, ...own } = described;
  const ownType = typeof own.type === 'string' ? own.type : own.type?.[0];
  if (depth > nestingMax) return ownType === undefined ? {} : { type: ownType };
  const parts = [...(allOf ?? []), ...(anyOf ?? []), ...(oneOf ?? [])];
  if ($ref !== undefined) parts.push(forms[$ref.replace(/.*\//, '')] ?? {});
  // Of alternatives every field counts, and the first one says what type it is.
  const merged = parts.map((part) => resolved(part, forms, depth + 1));
  const fields = Object.entries(properties ?? {}).map(
    ([name, form]) => [name, resolved(form, forms, depth + 1)] as const,
  );
  const all = Object.fromEntries([
    ...merged.flatMap((part) => Object.entries(part.properties ?? {})),
    ...fields,
  ]);
  const inner = items === undefined ? merged.find((part) => part.items)?.items : undefined;
  const element = items === undefined ? inner : resolved(items, forms, depth + 1);
  const type = ownType ?? merged.find((part) => part.type !== undefined)?.type;
  const required = [...(own.required ?? []), ...merged.flatMap((part) => part.required ?? [])];
  const choices = own.enum ?? merged.find((part) => part.enum !== undefined)?.enum;
  return {
    required,
    ...(type === undefined ? {} : { type }),
    ...(choices === undefined ? {} : { enum: choices }),
    ...(element === undefined ? {} : { items: element }),
    ...(Object.keys(all).length === 0 ? {} : { properties: all }),
  };
}
