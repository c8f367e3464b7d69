// A noun: a kind of stored record, declared once. Its fields are told apart by who gives them:
//
//   written   the caller writes it, and it is stored with the record
//   beside    the caller writes it, and it is kept elsewhere (tags)
//   kept      the server adds it, and everybody sees it (who created it, and when); under the name
//             of a written one (a version that may be left to the server) it is what is stored
//   hidden    the server adds it, and nobody sees it; a field of another sort may have its name
//   derived   told with the record and stored nowhere; under the name of a written one it is how
//             that is told
//
// From these come the types, the parser, the schemas of requests and replies, the JSON of a reply
// and the stored form with its version.
import type { Schema, Shape } from '../model/schema.js';
import type { JsonMap } from '../model/json.js';
import { parseJson, toJsonText } from '../model/json-text.js';
import { RecordReader } from '../model/record-reader.js';
import {
  sealedField,
  type RecordCodec,
  type SealedPart,
} from '../operation/records/record-table.js';
import type { RecordKind } from '../store/record-kinds.js';
import type { Field } from '../model/field.js';
import { schemaOf, readFields, type Fields, type Values } from '../model/record.js';
import { withPlainIds } from '../model/subject.js';

/** Fields that the caller writes; one that the server keeps under the same name stands instead. */
type Over<W extends Fields, K extends Fields> = { readonly [N in Exclude<keyof W, keyof K>]: W[N] };
type StoredValues<W extends Fields, K extends Fields, H extends Fields> = Values<
  Over<W, K> & K & H
>;

type Told<W extends Fields, B extends Fields, K extends Fields, D extends Fields> = Values<
  Over<W, K & D> & B & K & D
>;

/** The fields of a noun that declares none of a sort. */
type NoFields = Readonly<Record<never, Field<unknown>>>;

/** An absent member has no fields, and no effect. */
interface NounDeclaration<
  W extends Fields,
  B extends Fields,
  K extends Fields,
  H extends Fields,
  D extends Fields,
> {
  /** Name of its schema; that of requests ends with `Request`. */
  readonly title: string;
  /** Names of its fields in forms and tables; absent: the words of their own names. */
  readonly labels?: { readonly [Name in keyof NoInfer<W & B & K & D>]?: string };
  readonly written: W;
  readonly beside?: B;
  readonly kept: K;
  readonly hidden?: H;
  readonly derived?: D;
  /** Rules between fields; `pathOf` names a field in refusals. Throws AppError 'bad-request'. */
  readonly check?: (fields: Values<W & B>, pathOf: (name: string) => string) => void;
  readonly stored: {
    readonly kind: RecordKind;
    /** Unique within the kind. */
    readonly idOf: (stored: StoredValues<W, K, H>) => string;
    /**
     * Makes the newest form of older ones: the first step turns version 1 into 2, and so on. So the
     * version that is written is one more than there are steps.
     */
    readonly upgrades?: readonly ((stored: JsonMap) => JsonMap)[];
    /**
     * The owner of the value in its field `sealed` (access/secret-box.ts); absent: no such field.
     */
    readonly sealedFor?: (stored: StoredValues<W, K, H>) => string;
    /** A sealed part that stands elsewhere than in the field `sealed`. */
    readonly sealed?: SealedPart<StoredValues<W, K, H>>;
  };
}

export interface Noun<Written, Stored, Derived, Shown> {
  readonly request: Shape<Written>;
  readonly shown: { readonly schema: Schema<Shown> };
  readonly record: RecordCodec<Stored>;
  toJson(stored: Stored, derived: Derived): Shown;
}

/** The types of a noun. */
export type WrittenOf<N> = N extends { request: { parse(input: unknown): infer T } } ? T : never;
export type StoredOf<N> = N extends { record: { read(text: string): infer T } } ? T : never;
export type ShownOf<N> = N extends { toJson(...args: never[]): infer T } ? T : never;

export function noun<
  W extends Fields,
  K extends Fields,
  B extends Fields = NoFields,
  H extends Fields = NoFields,
  D extends Fields = NoFields,
>(
  declared: NounDeclaration<W, B, K, H, D>,
): Noun<Values<W & B>, StoredValues<W, K, H>, Values<B & D>, Told<W, B, K, D>> {
  const { title, written, kept, check } = declared;
  const { beside = {}, derived = {}, hidden = {} } = declared;
  const sent = { ...written, ...beside };
  const always = ['required', 'always'] as const;
  const shown = labelled({ ...written, ...beside, ...kept, ...derived }, declared.labels ?? {});
  const hiddenNames = new Set(Object.keys(hidden));
  return {
    request: {
      schema: schemaOf(`${title}Request`, labelled(sent, declared.labels ?? {}), ['required']),
      parse(input, path = '') {
        const reader = new RecordReader(input, path);
        const fields = readFields(reader, sent) as Values<W & B>;
        check?.(fields, (name) => reader.pathOf(name));
        return fields;
      },
    },
    shown: { schema: schemaOf(title, shown, always) },
    record: recordCodec(declared.stored),
    toJson(stored, more) {
      const seen = Object.entries(withPlainIds<object>(stored)).filter(
        ([name]) => !hiddenNames.has(name),
      );
      const all = [...seen, ...Object.entries(more)].filter(([, value]) => value !== undefined);
      return Object.fromEntries(all) as Told<W, B, K, D>;
    },
  };
}

function labelled(fields: Fields, labels: Readonly<Record<string, string | undefined>>): Fields {
  const named = Object.entries(fields).map(([name, of]): [string, Field<unknown>] => {
    const label = labels[name];
    return [name, label === undefined ? of : { ...of, schema: { ...of.schema, 'x-label': label } }];
  });
  return Object.fromEntries(named);
}

/** Member of a stored record that names its version; version 1 has none. */
const versionMember = '@version';

function recordCodec<T>({
  kind,
  idOf,
  upgrades = [],
  sealedFor,
  sealed = sealedFor && sealedField<T & { readonly sealed?: string }>(sealedFor),
}: {
  readonly kind: RecordKind;
  readonly idOf: (stored: T) => string;
  readonly upgrades?: readonly ((stored: JsonMap) => JsonMap)[];
  readonly sealedFor?: (stored: T) => string;
  readonly sealed?: SealedPart<T>;
}): RecordCodec<T> {
  const newest = upgrades.length + 1;
  return {
    kind,
    idOf,
    write: (record) =>
      toJsonText(newest === 1 ? (record as JsonMap) : { ...record, [versionMember]: newest }),
    read(text) {
      const { [versionMember]: version = 1, ...fields } = parseJson(text) as JsonMap;
      if (typeof version !== 'number') throw new Error(`A ${kind} has a version that is no number`);
      if (version > newest) {
        throw new Error(`A ${kind} of version ${version} was written by a newer server`);
      }
      return upgrades.slice(version - 1).reduce((stored, up) => up(stored), fields) as T;
    },
    ...(sealed && { sealed }),
  };
}
