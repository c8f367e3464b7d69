// Requests that are wrong in one place, made from the description of the API that a server gives of
// itself: a complete request of each operation, in which one path variable, query value, header or
// member of the body is replaced by a hostile value.
import fc from 'fast-check';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minimum?: number;
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly parameters: readonly DescribedParameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** One operation with where it is called. */
export interface Target {
  readonly method: string;
  readonly path: string;
  readonly operation: DescribedOperation;
}

export interface HostileRequest {
  readonly method: string;
  /** Path and query, escaped. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export function targetsOf({ paths }: Description): Target[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** Values as JSON texts, so that duplicate and special members get through. */
export const hostileJson: readonly string[] = [
  'null', 'true', '0', '-1', '1.5', '1e400', '-9223372036854775809', '9007199254740993', '2147483648',
  '""', '" "', '"__proto__"', '"constructor"', '"toString"', '"\\u0000"', '"\\ud800"', '"💥\\u202e"', '"${a"',
  '"${workflow.input.__proto__}"', '"a:b|c,d/e"', '"2024-01-01T00:00:00Z"', `"${'x'.repeat(70_000)}"`,
  '[]', '{}', '[null]', '[[]]', '[{}]', '["a","a"]', '{"":null}', '{"__proto__":{"status":7}}',
  '{"constructor":{"prototype":1},"toString":1,"hasOwnProperty":null}', '{"a":1,"a":2}', deep(60),
  `[${'0,'.repeat(3_000)}0]`, `${'['.repeat(120)}${']'.repeat(120)}`,
]; // prettier-ignore

/** Bodies that are no JSON, or no value that any operation reads. */
const brokenBodies: readonly (string | undefined)[] = [
  undefined, '', '{', '"', '\u0000', '{"a":1}{}', "{'a':1}", '[1,]', 'NaN', '\ufeff{}', '['.repeat(20_000), deep(5_000),
]; // prettier-ignore

/** Escaped already, so that texts which are no UTF-8 get through. */
const hostileTexts: readonly string[] = [
  '', '0', '-1', '1.5', '1e3', '0x10', 'NaN', 'null', 'true', '2147483648', '9223372036854775808', '99999999999999999999999',
  '__proto__', 'constructor', 'toString', '%00', '%ED%A0%80', '%FF', '%F0%9F%92%A5', 'a%2Fb', 'a%3Ab', '%20', '%0D%0AX-A%3A%201',
  '%25', '*', '((', '%5B%5D', '%7B%7D', "'", '%22', 'a,b,,c', 'x'.repeat(3_000), 'ADMIN', '%C4%B0', '%E2%80%AE',
]; // prettier-ignore

const hostileHeaders: readonly string[] = [
  '', '0', '-1', '1e3', 'null', '__proto__', 'constructor', ',', '"', '💥', 'x'.repeat(2_000), 'FAIL', 'é',
]; // prettier-ignore

/** Waits that are given to calls that wait; they are never replaced by a long one. */
const waits: Readonly<Record<string, string>> = {
  timeout: '20',
  timeoutMillis: '20',
  waitForSeconds: '1',
};

/** Makes complete values of the schemas that the description shows. */
export class Samples {
  constructor(
    private readonly schemas: Readonly<Record<string, Schema>>,
    /** Values of members by name, for instance names of what exists. */
    private readonly known: Readonly<Record<string, unknown>>,
  ) {}

  /** A value of the schema; nested schemas end after `depth` levels. */
  valueOf(schema: Schema, name = '', depth = 4): unknown {
    if (name in this.known) return this.known[name];
    const form = this.#resolved(schema);
    if (form.enum !== undefined) return form.enum[0];
    switch (form.type) {
      case 'integer':
      case 'number':
        return Math.max(form.minimum ?? 0, 1);
      case 'boolean':
        return false;
      case 'string':
        return 'text';
      case 'array':
        return depth === 0 ? [] : [this.valueOf(form.items ?? {}, '', depth - 1)];
      default:
        return this.#objectOf(form, depth);
    }
  }

  textOf({ name, schema }: DescribedParameter): string {
    return waits[name] ?? String(this.valueOf(schema, name, 1));
  }

  #objectOf(form: Schema, depth: number): unknown {
    if (depth === 0) return {};
    const members = Object.entries(form.properties ?? {});
    return Object.fromEntries(
      members.map(([name, schema]) => [name, this.valueOf(schema, name, depth - 1)]),
    );
  }

  #resolved(schema: Schema): Schema {
    const title = schema.$ref?.split('/').pop();
    return title === undefined ? schema : (this.schemas[title] ?? schema);
  }
}

/** The JSON text of a value with another member at the path; an absent text leaves it out. */
export function replaced(value: unknown, path: readonly string[], by: string | undefined): string {
  const [key, ...rest] = path;
  if (key === undefined) return by ?? 'null';
  const textOf = (name: string, member: unknown): string | undefined =>
    name === key ? (rest.length === 0 ? by : replaced(member, rest, by)) : JSON.stringify(member);
  const members = Object.entries(value as Record<string, unknown>).flatMap(([name, member]) => {
    const text = textOf(name, member);
    return text === undefined ? [] : [{ name, text }];
  });
  return Array.isArray(value)
    ? `[${members.map(({ text }) => text).join(',')}]`
    : `{${members.map(({ name, text }) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/** Paths of the value and of all members in it. */
export function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const members = Object.entries(value);
  return [path, ...members.flatMap(([name, member]) => pathsIn(member, [...path, name]))];
}

interface Place {
  readonly parameter?: DescribedParameter;
  readonly member?: readonly string[];
  /** The whole body, by something that is no JSON. */
  readonly broken?: true;
}

/** Requests of the operation with one hostile place, or with none. */
export function requestsOf(target: Target, samples: Samples): fc.Arbitrary<HostileRequest> {
  const { operation } = target;
  const [contentType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body = content === undefined ? undefined : samples.valueOf(content.schema);
  const places: Place[] = [
    {},
    ...operation.parameters.map((parameter) => ({ parameter })),
    ...(body === undefined ? [] : [{ broken: true } as const]),
    ...(body === undefined ? [] : pathsIn(body).map((member) => ({ member }))),
  ];
  const hostile = fc.record({
    place: fc.constantFrom(...places),
    text: fc.constantFrom(...hostileTexts),
    header: fc.constantFrom(...hostileHeaders),
    json: fc.option(fc.constantFrom(...hostileJson), { nil: undefined, freq: 20 }),
    broken: fc.constantFrom(...brokenBodies),
    type: fc.constantFrom(contentType ?? 'application/json', 'application/json', 'text/plain', 'x'),
  });
  return hostile.map(({ place, text, header, json, broken, type }) => {
    const plain = body === undefined ? undefined : JSON.stringify(body);
    const sent =
      place.broken === true
        ? broken
        : place.member === undefined
          ? plain
          : replaced(body, place.member, json);
    return {
      method: target.method,
      path: pathOf(target, samples, place.parameter, text),
      headers: {
        ...headersOf(target, samples, place.parameter, header),
        ...(sent === undefined ? {} : { 'content-type': type }),
      },
      body: sent,
    };
  });
}

/** A wait of 0, or one that is not read because it is no ASCII, is the usual one of 10 s. */
function mayReplace(name: string, text: string): boolean {
  return !(name in waits && (Number(text) >= 0 || !/^[ -~]*$/.test(text)));
}

function pathOf(
  { path, operation }: Target,
  samples: Samples,
  hostile: DescribedParameter | undefined,
  text: string,
): string {
  let made = path;
  const query: string[] = [];
  for (const parameter of operation.parameters) {
    const { name } = parameter;
    const isHostile = parameter === hostile && mayReplace(name, text);
    const value = isHostile ? text : encodeURIComponent(samples.textOf(parameter));
    // An empty segment would be another path.
    if (parameter.in === 'path') made = made.replace(`{${name}}`, value === '' ? '%20' : value);
    else if (parameter.in === 'query' && (isHostile || name in waits))
      query.push(`${name}=${value}`);
  }
  return query.length === 0 ? made : `${made}?${query.join('&')}`;
}

function headersOf(
  { operation }: Target,
  samples: Samples,
  hostile: DescribedParameter | undefined,
  text: string,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'header') continue;
    const isHostile = parameter === hostile && mayReplace(parameter.name, text);
    if (isHostile) headers[parameter.name] = Buffer.from(text).toString('latin1');
    else if (parameter.name in waits) headers[parameter.name] = samples.textOf(parameter);
  }
  return headers;
}
