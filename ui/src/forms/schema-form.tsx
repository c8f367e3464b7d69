// A form made from a JSON Schema: one field per property, checked as one types. Properties that
// have no simple field are edited as JSON.
import { Validator, type OutputUnit } from '@cfworker/json-schema';
import { useMemo, type ComponentType, type ReactElement } from 'react';
import type { ApiError } from '../api/client';
import type { JsonObject } from '../api/types';
import { Field, FieldBox } from '../design/controls';
import { partsOf, type FormField } from './form-layout';
import { localText } from '../state/format';
import { PickField, type PickFrom } from './pick-field';
import { wireWords } from './wire-words';

export interface FormSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  /** `password`: what is typed is not shown. `epoch-ms`: a moment, picked in local time. */
  readonly format?: string;
  readonly properties?: Readonly<Record<string, FormSchema>>;
  readonly required?: readonly string[];
  /** Of a list; a list of texts is written on one line, with commas. */
  readonly items?: FormSchema;
  /** Empties a field that a save without it leaves as it was. */
  readonly emptied?: unknown;
  /** Of a list of names: those that the server knows are offered to tick. */
  readonly pickFrom?: PickFrom;
}

/** A schema with properties; undefined for what is none. Parts that make no sense are left out. */
export function readSchema(value: unknown): FormSchema | undefined {
  const schema = readPart(value);
  return schema?.properties === undefined ? undefined : schema;
}

function readPart(value: unknown): FormSchema | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  const { properties, required, enum: choices, items, title, description, ...rest } = value as Raw;
  const isMap = properties !== null && typeof properties === 'object';
  return {
    ...rest,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(Array.isArray(choices) ? { enum: choices as unknown[] } : {}),
    ...(Array.isArray(required) ? { required: required.map(String) } : {}),
    ...(readPart(items) === undefined ? {} : { items: readPart(items) as FormSchema }),
    ...(isMap ? { properties: readProperties(properties) } : {}),
  };
}

type Raw = Readonly<Record<string, unknown>>;

function readProperties(properties: object): Readonly<Record<string, FormSchema>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, readPart(property) ?? {}]),
  );
}

/** Texts of the fields as typed, by property. */
export type Typed = Readonly<Record<string, string>>;

interface SchemaFormProps {
  readonly schema: FormSchema;
  readonly typed: Typed;
  readonly onChange: (typed: Typed) => void;
  /** The `templateUI` of the form. */
  readonly layout?: unknown;
  /** The errors from the server, by property. */
  readonly errors?: Readonly<Record<string, string>>;
  /** Edits what has no simple field; absent: its JSON is a text. */
  readonly json?: ComponentType<JsonFieldProps>;
}

export interface JsonFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function SchemaForm(props: SchemaFormProps): ReactElement {
  const parts = useMemo(() => partsOf(props.schema, props.layout), [props.schema, props.layout]);
  return (
    <div className="stack">
      {parts.map(({ title, fields }, index) =>
        title === '' ? (
          <Fields key={index} {...props} fields={fields} />
        ) : (
          <fieldset key={index} className="panel">
            <legend>{title}</legend>
            <Fields {...props} fields={fields} />
          </fieldset>
        ),
      )}
    </div>
  );
}

interface FieldsProps extends SchemaFormProps {
  readonly fields: readonly FormField[];
}

function Fields(props: FieldsProps): ReactElement {
  const { schema, typed, onChange, errors = {}, fields, json: Json } = props;
  const problems = useMemo(() => problemsOf(schema, typed), [schema, typed]);
  return (
    <div className="stack">
      {fields.map(({ name, label }) => {
        const property = schema.properties?.[name] ?? {};
        const kind = kindOf(property);
        const isMissing = (typed[name] ?? '') === '';
        const problem = errors[name] ?? (isMissing ? undefined : problems[name]);
        if (property.pickFrom !== undefined) {
          return (
            <PickField
              key={name}
              label={label ?? property.title ?? name}
              from={property.pickFrom}
              value={typed[name] ?? ''}
              hint={property.description}
              onChange={(value) => onChange({ ...typed, [name]: value })}
            />
          );
        }
        const shared = {
          label: `${label ?? property.title ?? name}${schema.required?.includes(name) ? ' *' : ''}`,
          value: typed[name] ?? '',
          onChange: (value: string) => onChange({ ...typed, [name]: value }),
        };
        return (
          <div key={name} data-refused={errors[name] === undefined ? undefined : true}>
            {kind === 'text' && typeOf(property) !== 'string' && Json !== undefined ? (
              <FieldBox label={shared.label} hint={property.description} error={problem}>
                <Json {...shared} />
              </FieldBox>
            ) : (
              <Field
                {...shared}
                kind={kind}
                options={['', ...(property.enum ?? booleans).map(String)]}
                words={wireWords}
                hint={property.description}
                error={problem}
              />
            )}
          </div>
        );
      })}
    </div>
  );
}

const booleans: readonly unknown[] = [true, false];

function typeOf({ type }: FormSchema): string {
  return (typeof type === 'string' ? type : type?.find((each) => each !== 'null')) ?? '';
}

type FieldKind = 'line' | 'text' | 'number' | 'moment' | 'secret' | 'select';

function kindOf(schema: FormSchema): FieldKind {
  if (schema.format === 'password') return 'secret';
  if (schema.format === momentFormat) return 'moment';
  if (schema.enum !== undefined || typeOf(schema) === 'boolean') return 'select';
  const type = typeOf(schema);
  if (isTexts(schema) || isTags(schema)) return 'line';
  if (type === 'integer' || type === 'number') return 'number';
  const isLong = type === 'string' && (schema.maxLength ?? 0) >= longFrom;
  return isLong || type === 'object' || type === 'array' ? 'text' : 'line';
}

/** A text that may have so many characters has lines, such as a script or a template. */
const longFrom = 65_536;

const momentFormat = 'epoch-ms';

/** Tags are written on one line, as `key:value`. */
function isTags({ items }: FormSchema): boolean {
  return items?.title === 'Tag';
}

function tagOf(text: string): JsonObject {
  const [key = '', ...value] = text.trim().split(':');
  return { key, value: value.join(':') };
}

function isTexts(schema: FormSchema): boolean {
  return (
    typeOf(schema) === 'array' && schema.items !== undefined && typeOf(schema.items) === 'string'
  );
}

/** The value that the fields say; empty fields are left out. */
export function valueOf(schema: FormSchema, typed: Typed): JsonObject {
  const value: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const text = typed[name] ?? '';
    if (text !== '') value[name] = parsed(property, text);
  }
  return value;
}

/** As `valueOf`, of a record that is there: fields that have been emptied empty what is stored. */
export function changedValueOf(schema: FormSchema, before: Typed, typed: Typed): JsonObject {
  const emptied = Object.entries(schema.properties ?? {}).filter(
    ([name, property]) =>
      property.emptied !== undefined && (before[name] ?? '') !== '' && typed[name] === '',
  );
  return {
    ...valueOf(schema, typed),
    ...Object.fromEntries(emptied.map(([name, property]) => [name, property.emptied])),
  };
}

/** Numbers, booleans and JSON where the schema says so or where there is no schema. */
function parsed(schema: FormSchema, text: string): unknown {
  if (typeOf(schema) === 'string') return text;
  if (isTexts(schema) && !text.startsWith('[')) {
    return text.split(',').map((each) => each.trim());
  }
  if (isTags(schema) && !text.startsWith('[')) return text.split(',').map(tagOf);
  if (schema.format === momentFormat) return Date.parse(text);
  const choice = schema.enum?.find((each) => String(each) === text);
  if (choice !== undefined) return choice;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Without a schema lists are written as JSON. */
export function typedOf(value: JsonObject, schema: FormSchema = {}): Typed {
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, textOf(each, schema.properties?.[name])]),
  );
}

function textOf(value: unknown, schema: FormSchema | undefined): string {
  if (typeof value === 'string') return value;
  // 0 is a time that is not set.
  if (schema?.format === momentFormat) return value === 0 ? '' : localText(Number(value));
  const isPlain = Array.isArray(value) && value.every((each) => /^[^,]+$/.test(String(each)));
  if (isPlain && schema !== undefined && isTexts(schema)) return value.join(', ');
  if (Array.isArray(value) && schema !== undefined && isTags(schema)) {
    const tags = (value as readonly JsonObject[]).map((each) => `${each['key']}:${each['value']}`);
    if (tags.every((each) => !each.includes(','))) return tags.join(', ');
  }
  return JSON.stringify(value, undefined, typeof value === 'object' ? 2 : undefined);
}

/** The problems, by property; '' holds those that name no property. */
export function problemsOf(schema: FormSchema, typed: Typed): Readonly<Record<string, string>> {
  const problems: Record<string, string> = {};
  for (const { instanceLocation, error, keyword } of violations(schema, valueOf(schema, typed))) {
    const named = keyword === 'required' ? /"([^"]+)"/.exec(error)?.[1] : undefined;
    const name = named ?? instanceLocation.replace(/^#\/?/, '').split('/')[0] ?? '';
    if (keyword !== 'properties') problems[name] ??= named === undefined ? error : missing;
  }
  return problems;
}

/** The fields of a form that the server refuses, with its rules: it names the field first. */
export function refusedFields(
  { properties = {} }: FormSchema,
  { message, validationErrors }: Pick<ApiError, 'message' | 'validationErrors'>,
): Readonly<Record<string, string>> {
  const told = [
    ...validationErrors.map((each) => `${each.path.split('.').at(-1) ?? ''} ${each.message}`),
    message,
  ];
  const refused = told.flatMap((each): [string, string][] => {
    const [name = ''] = /^[\w$-]*/.exec(each) ?? [];
    return Object.hasOwn(properties, name) ? [[name, each]] : [];
  });
  return Object.fromEntries(refused);
}

const missing = 'is needed';

/** A field and what is against it, as a sentence. */
export function problemWords(name: string, problem: string): string {
  return problem === missing ? `${name} ${missing}` : `${name}: ${problem}`;
}

/** Nothing for a schema that cannot be checked here; the server checks it all the same. */
function violations(schema: FormSchema, value: JsonObject): OutputUnit[] {
  try {
    return new Validator(schema as never, '2020-12', false).validate(value).errors;
  } catch {
    return [];
  }
}
