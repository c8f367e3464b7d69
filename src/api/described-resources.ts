// Describes the resources of this server to pages that draw a table and a form of each. All of it
// comes from the table of endpoints: a list says which resource it lists, the calls are those that
// have the path of the list, and the fields are those of the schemas.
import { targetTypes } from '../access/access-rules.js';
import { record, type Values } from '../model/record.js';
import { choice, custom, flag, list, text, texts } from '../model/field.js';
import { anyObject, type Schema } from '../model/schema.js';
import type { JsonMap } from '../model/json.js';
import { isMap } from '../model/record-reader.js';
import { endpoint, listOf, type Endpoint, type ListedResource } from './endpoint.js';

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const;

const call = record('ResourceCall', {
  method: choice(methods, { required: true }),
  path: text({ about: 'With {variables}: members of the record', required: true }),
});

const column = record('ResourceColumn', {
  member: text({ required: true }),
  label: text({ required: true }),
});

const asIs = (value: unknown): JsonMap => value as JsonMap;
const callField = (about: string) =>
  custom({ ...call.schema, description: about }, (sent, path) => call.parse(sent, path));

const fields = {
  name: text({ about: 'Unique; made of what they are called', required: true }),
  title: text({ about: 'All of them, as a heading', required: true }),
  one: text({ about: 'One of them, in a sentence', required: true }),
  about: text({ about: 'Why there are such records, in a sentence' }),
  type: choice(targetTypes, { about: 'Their type in grants', required: true }),
  key: texts({ about: 'Members that name one, in the order of its path' }),
  list: custom(call.schema, (sent, path) => call.parse(sent, path), { required: true }),
  create: callField('Creates one; without `replace` it also replaces'),
  replace: callField('Replaces one'),
  remove: callField('Deletes one'),
  versions: callField('Lists the versions of one'),
  hasNewVersion: flag({ about: 'create?newVersion=true stores a further version', default: false }),
  form: custom({ ...anyObject, description: 'JSON Schema of what is written' }, asIs, {
    required: true,
  }),
  columns: list(column, { about: 'Fields that stand in a table' }),
};
const described = record('DescribedResource', fields);
type Described = Values<typeof fields>;

/** The endpoints together with the one that describes their resources. */
export function withResources(endpoints: readonly Endpoint[]): Endpoint[] {
  const all = endpoints.flatMap((each) =>
    each.lists === undefined ? [] : [describe(each, each.lists, endpoints)],
  );
  return [
    ...endpoints,
    endpoint({
      method: 'GET',
      pattern: '/api/resources',
      name: 'listResources',
      summary: 'Describes the resources of this server: their calls, fields, table and form.',
      access: { rule: 'caller' },
      reply: listOf<Described>(described.shown),
      handle: () => all,
    }),
  ];
}

/** Throws Error for a list that says nothing of the type of its rows. */
function describe(
  { pattern, access }: Endpoint,
  { called, about, written, shown, columns, rows }: ListedResource,
  endpoints: readonly Endpoint[],
): Described {
  if (access.rule !== 'each') throw new Error(`${pattern} lists resources without a type`);
  const below = endpoints
    .filter((each) => each.pattern.startsWith(`${pattern}/:`))
    .map((each) => ({ ...each, variables: variablesAt(each.pattern.slice(pattern.length + 1)) }));
  const variables = rows === 'versions' ? 2 : 1;
  const oneOf = (method: Endpoint['method']) =>
    below.find((each) => each.method === method && each.variables?.length === variables);
  const saving = endpoints.find((each) => each.method === 'POST' && each.pattern === pattern);
  const replace =
    oneOf('PUT') ?? endpoints.find((each) => each.method === 'PUT' && each.pattern === pattern);
  const remove = oneOf('DELETE');
  const versions = below.find((each) =>
    /^\/:\w+\/versions$/.test(each.pattern.slice(pattern.length)),
  );
  const plural = `${called}s`;
  return {
    name: plural.toLowerCase().replaceAll(' ', '-'),
    title: plural,
    one: called.toLowerCase(),
    ...(about !== undefined && { about }),
    type: access.type,
    key: remove?.variables ?? ['name'],
    list: callOf('GET', pattern),
    ...(saving && { create: callOf('POST', pattern) }),
    ...(replace && { replace: callOf('PUT', replace.pattern) }),
    ...(remove && { remove: callOf('DELETE', remove.pattern) }),
    ...(versions && { versions: callOf('GET', versions.pattern) }),
    hasNewVersion: saving?.parameters['newVersion'] !== undefined,
    form: formOf(written),
    columns: columnsOf(written, shown, columns),
  };
}

function callOf(method: Endpoint['method'], pattern: string): ReturnType<typeof call.parse> {
  return { method, path: pattern.replaceAll(/:(\w+)/g, '{$1}') };
}

/** The variables of a path that has nothing else; undefined for another one. */
function variablesAt(path: string): string[] | undefined {
  const parts = path.split('/');
  return parts.every((part) => part.startsWith(':'))
    ? parts.map((part) => part.slice(1))
    : undefined;
}

/** Columns of a table that nobody chose. */
const columnsMax = 5;

function columnsOf(
  written: Schema,
  shown: Schema,
  chosen: readonly string[] | undefined,
): Described['columns'] {
  const known = { ...written.properties, ...shown.properties };
  const simple = Object.keys(written.properties ?? {}).filter(
    (name) => isSimple(known[name] ?? {}) && known[name]?.format !== 'password',
  );
  return (chosen ?? simple.slice(0, columnsMax)).map((member) => ({
    member,
    label: labelOf(member, known[member.split('.')[0] ?? ''] ?? {}),
  }));
}

function isSimple({ type, items }: Schema): boolean {
  return type === 'array' ? items?.type === 'string' : type !== 'object' && type !== undefined;
}

/** The fields, without what is inside of them: required ones first, then simple ones, then JSON. */
function formOf({ properties = {}, required = [] }: Schema): JsonMap {
  const rank = (name: string): number =>
    required.includes(name) ? 0 : name === 'tags' ? 3 : isSimple(properties[name] ?? {}) ? 1 : 2;
  const names = Object.keys(properties).sort((a, b) => rank(a) - rank(b));
  const parts = names.map((name): [string, JsonMap] => {
    const field = properties[name] as Schema;
    const { type, description, minimum, maximum, maxLength, maxItems, items } = field;
    const own = {
      ...{ type, description, minimum, maximum, maxLength, maxItems },
      format: field['x-unit'] ?? field.format,
      ...{ enum: field.enum, default: field.default, title: labelOf(name, field) },
      items: items && { type: items.type, enum: items.enum, title: items.title },
    };
    return [name, withoutAbsent(own)];
  });
  return { type: 'object', required: [...required], properties: Object.fromEntries(parts) };
}

function withoutAbsent(value: object): JsonMap {
  const there = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    there.map(([name, each]) => [name, isMap(each) ? withoutAbsent(each) : each]),
  ) as JsonMap;
}

/** Its label, else the words of its name: `Retry delay ms` of `retryDelayMs`. */
function labelOf(name: string, schema: Schema): string {
  if (schema['x-label'] !== undefined) return schema['x-label'];
  const words = name
    .replaceAll(/[._]/g, ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(' ')
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
