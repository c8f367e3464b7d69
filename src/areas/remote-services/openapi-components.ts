// Component schemas of an OpenAPI 3 or Swagger 2 description (contract-admin 15.4, Discovery), each
// as a JSON Schema that stands alone: what it refers to comes along under `$defs`. A component that
// cannot be registered is passed over, because the description is foreign.
import type { Json, JsonMap } from '../../model/json.js';
import { isMap } from '../../model/record-reader.js';
import type { NamedSchema } from '../schemas/port.js';

/** Nesting of one component. */
const depthMax = 100;
/** Components of one description. */
const componentsMax = 500;
const reference = /^#\/(?:components\/schemas|definitions)\/([^/]+)$/;

export function componentSchemas(description: Json): NamedSchema[] {
  const api = isMap(description) ? description : {};
  const holder = isMap(api['components']) ? api['components']['schemas'] : api['definitions'];
  const components = new Map(
    Object.entries(isMap(holder) ? holder : {})
      .slice(0, componentsMax)
      .flatMap(([name, schema]) => {
        const component = readComponent(schema);
        return component === undefined ? [] : [[name, component] as const];
      }),
  );
  return [...components.keys()].flatMap((name) => {
    const data = standingAlone(components, name);
    return data === undefined ? [] : [{ name, data }];
  });
}

interface Component {
  readonly schema: JsonMap;
  /** Names of the components that it refers to. */
  readonly refers: ReadonlySet<string>;
}

/** undefined for what is no schema object or nests too deep. */
function readComponent(schema: unknown): Component | undefined {
  if (!isMap(schema)) return undefined;
  const refers = new Set<string>();
  const copied = withLocalReferences(schema as JsonMap, refers, depthMax);
  return copied === undefined ? undefined : { schema: copied as JsonMap, refers };
}

/** A copy whose references point into `$defs`; adds their names to `refers`. */
function withLocalReferences(value: Json, refers: Set<string>, depth: number): Json | undefined {
  if (value === null || typeof value !== 'object') return value;
  if (depth === 0) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item) => withLocalReferences(item, refers, depth - 1));
    return items.includes(undefined) ? undefined : (items as Json);
  }
  const copy = Object.create(null) as { [key: string]: Json };
  for (const [key, field] of Object.entries(value as JsonMap)) {
    const target = key === '$ref' && typeof field === 'string' ? reference.exec(field) : null;
    if (target?.[1] !== undefined) refers.add(nameIn(target[1]));
    const copied =
      target === null ? withLocalReferences(field, refers, depth - 1) : `#/$defs/${target[1]}`;
    if (copied === undefined) return undefined;
    copy[key] = copied;
  }
  return copy;
}

/** A name as it stands in a JSON pointer of a URL. */
function nameIn(segment: string): string {
  try {
    return decodeURIComponent(segment).replace(/~1/g, '/').replace(/~0/g, '~');
  } catch {
    return segment;
  }
}

/** With everything that it reaches; undefined when it refers to what is not there. */
function standingAlone(
  components: ReadonlyMap<string, Component>,
  name: string,
): JsonMap | undefined {
  const start = components.get(name) as Component;
  const reached = new Set(start.refers);
  const definitions = Object.create(null) as { [key: string]: Json };
  for (const each of reached) {
    const component = components.get(each);
    if (component === undefined) return undefined;
    definitions[each] = component.schema;
    for (const next of component.refers) reached.add(next);
  }
  return reached.size === 0 ? start.schema : { ...start.schema, $defs: definitions };
}
