// How a task type is declared: what it is called and does, which parameters it takes, and what a
// new one begins with. Palette, forms, new tasks and completion are made of these declarations.

export type FieldKind =
  /** Any text. */
  | 'line'
  /** A script or a long text. */
  | 'text'
  | 'number'
  | 'flag'
  | 'choice'
  /** Any JSON value. */
  | 'json'
  /** Values by name. */
  | 'map'
  /** A list of texts, written with commas. */
  | 'texts';

export interface TaskField {
  readonly title: string;
  /** Where it stands in the task, such as `['inputParameters', 'http_request', 'uri']`. */
  readonly path: readonly string[];
  readonly kind: FieldKind;
  readonly options?: readonly string[];
  readonly hint?: string;
}

export type TypeGroup = 'Work' | 'Flow' | 'Executions' | 'Other systems' | 'Documents' | 'Models';

export interface TaskTypeKind {
  readonly type: string;
  readonly title: string;
  readonly about: string;
  readonly group: TypeGroup;
  readonly fields: readonly TaskField[];
  /** Members of a new one, beside its names. */
  readonly begins?: Readonly<Record<string, unknown>>;
  /** Why nobody should use it for something new; it is not offered. */
  readonly isOld?: boolean;
}

type More = Partial<Pick<TaskField, 'options' | 'hint'>>;
export const field =
  (kind: FieldKind, ...root: readonly string[]) =>
  (title: string, name: string, more: More = {}): TaskField => ({
    ...{ title, kind, ...more },
    path: [...root, ...name.split('.').filter(Boolean)],
  });
export const own = {
  line: field('line'),
  text: field('text'),
  number: field('number'),
  flag: field('flag'),
  choice: field('choice'),
  json: field('json'),
  texts: field('texts'),
};
export const input = {
  line: field('line', 'inputParameters'),
  text: field('text', 'inputParameters'),
  number: field('number', 'inputParameters'),
  flag: field('flag', 'inputParameters'),
  choice: field('choice', 'inputParameters'),
  json: field('json', 'inputParameters'),
  map: field('map', 'inputParameters'),
  texts: field('texts', 'inputParameters'),
};

export const seconds = { hint: 'Seconds' };
export const ms = { hint: 'Milliseconds' };

export const kind = (
  type: string,
  group: TypeGroup,
  words: readonly [title: string, about: string],
  fields: readonly TaskField[] = [],
  begins: Readonly<Record<string, unknown>> = {},
): TaskTypeKind => ({ type, group, title: words[0], about: words[1], fields, begins });
export const old = (of: TaskTypeKind): TaskTypeKind => ({ ...of, isOld: true });
