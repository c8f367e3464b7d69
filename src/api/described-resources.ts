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
  path: text({ about: 'With {variables}: the members of the key, in their order', required: true }),
  sends: choice(['list', 'value'], {
    about: 'A list with the record, or its member `value` as a text; absent: the record',
  }),
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
  type: choice(targetTypes, { about: 'Their type in grants; absent: roles alone decide' }),
  key: texts({ about: 'Members that name one, in the order of its path' }),
  list: custom(call.schema, (sent, path) => call.parse(sent, path), { required: true }),
  within: text({ about: 'Member of an item of the list that holds records; absent: items do' }),
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

/**
 * The endpoints together with the one that describes their resources. They are described when
 * somebody first asks: a start needs none of it.
 */
export function withResources(endpoints: readonly Endpoint[]): Endpoint[] {
  let all: Described[] | undefined;
  return [
    ...endpoints,
    endpoint({
      method: 'GET',
      pattern: '/api/resources',
      name: 'listResources',
      summary: 'Describes the resources of this server: their calls, fields, table and form.',
      access: { rule: 'caller' },
      reply: listOf<Described>(described.shown),
      handle: () => (all ??= describeAll(endpoints)),
    }),
  ];
}

function describeAll(endpoints: readonly Endpoint[]): Described[] {
  return endpoints.flatMap((each) =>
    each.lists === undefined ? [] : [describe(each, each.lists, endpoints)],
  );
}

function describe(
  list: Endpoint,
  lists: ListedResource,
  endpoints: readonly Endpoint[],
): Described {
  const { pattern } = list;
  const { called, about, written, shown, columns, within, query } = lists;
  const behind = (each: Endpoint): string =>
    each.pattern.startsWith(`${pattern}/`) ? each.pattern.slice(pattern.length + 1) : '';
  const depth = lists.rows === 'versions' ? 2 : 1;
  const own = endpoints.filter((each) =>
    lists.one === undefined
      ? variablesAt(behind(each))?.length === depth
      : each.pattern === lists.one,
  );
  const all = endpoints.filter((each) => lists.one === undefined && each.pattern === pattern);
  const from = (method: Endpoint['method'], ...places: Endpoint[][]) =>
    places.flat().find((each) => each.method === method && each !== list && saves(each, written));
  const [put, post] = [from('PUT', own, all), from('POST', all, own)];
  const create = post ?? put;
  const remove = own.find(({ method }) => method === 'DELETE');
  const versions = endpoints.find((each) => /^:\w+\/versions$/.test(behind(each)));
  const { access } = remove ?? list;
  const key = lists.key ?? variablesAt(remove ? behind(remove) : '') ?? ['name'];
  const inPath = create?.pattern.includes('/:') ? key : [];
  const plural = `${called}s`;
  return {
    name: plural.toLowerCase().replaceAll(' ', '-'),
    title: plural,
    one: called.toLowerCase(),
    ...(about !== undefined && { about }),
    ...('type' in access && { type: access.type }),
    key,
    list: callOf(list, query === undefined ? '' : `?${query}`),
    ...(within !== undefined && { within }),
    ...(create && { create: callOf(create) }),
    ...(post && put && { replace: callOf(put) }),
    ...(remove && { remove: callOf(remove) }),
    ...(versions && { versions: callOf(versions) }),
    hasNewVersion: create?.parameters['newVersion'] !== undefined,
    form: formOf(withMembers(written, shown, inPath)),
    columns: columnsOf(written, shown, columns),
  };
}

/** A text is written only where the record has a member `value`, which it is. */
function saves({ body }: Endpoint, { properties }: Schema): boolean {
  return body?.schema.type !== 'string' || properties?.['value'] !== undefined;
}

/** The fields that are written, with those that only the path of one says. */
function withMembers(written: Schema, shown: Schema, names: readonly string[]): Schema {
  const known = { ...shown.properties, ...written.properties };
  const added = names.map((name): [string, Schema] => [name, known[name] ?? {}]);
  return {
    ...written,
    properties: { ...Object.fromEntries(added), ...written.properties },
    required: [...new Set([...names, ...(written.required ?? [])])],
  };
}

function callOf({ method, pattern, body }: Endpoint, more = ''): ReturnType<typeof call.parse> {
  const sent = body?.schema.type;
  return {
    ...{ method, path: `${pattern.replaceAll(/:(\w+)/g, '{$1}')}${more}` },
    ...(sent === 'array' && { sends: 'list' as const }),
    ...(sent === 'string' && { sends: 'value' as const }),
  };
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

/** Of a field that takes one or several, the several. */
function fieldOf({ anyOf = [], ...own }: Schema): Schema {
  return { ...own, ...anyOf.find(({ type }) => type === 'array') };
}

function isSimple(field: Schema): boolean {
  const { type, items } = fieldOf(field);
  return type === 'array' ? items?.type === 'string' : type !== 'object' && type !== undefined;
}

/** The fields, without what is inside of them: required ones first, then simple ones, then JSON. */
function formOf({ properties = {}, required = [] }: Schema): JsonMap {
  const rank = (name: string): number =>
    required.includes(name) ? 0 : name === 'tags' ? 3 : isSimple(properties[name] ?? {}) ? 1 : 2;
  const names = Object.keys(properties).sort((a, b) => rank(a) - rank(b));
  const parts = names.map((name): [string, JsonMap] => {
    const field = fieldOf(properties[name] as Schema);
    const { type, description, minimum, maximum, maxLength, maxItems, items } = field;
    const own = {
      ...{ type, description, minimum, maximum, maxLength, maxItems },
      format: field['x-unit'] ?? field.format,
      ...{ enum: field.enum, default: field.default, title: labelOf(name, field) },
      items: items && { type: items.type, enum: items.enum, title: items.title },
      pickFrom: field['x-names'],
      emptied: field['x-emptied'],
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
