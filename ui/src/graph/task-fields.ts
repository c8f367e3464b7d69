// Reads and writes the declared fields of a task, or of a definition, as text.
import type { TaskField } from './task-type';
import { commonFields, definitionFields, taskTypeKind, taskTypes } from './task-types';
import type { RawTask } from './task-lists';

/** Members of a task or of a definition. */
export type Members = Readonly<Record<string, unknown>>;

/** Members that the graph itself shows, or that stand in the head of the panel. */
const shownElsewhere = [
  ...['taskReferenceName', 'name', 'type', 'inputParameters'],
  ...['decisionCases', 'defaultCase', 'forkTasks', 'loopOver'],
];

/** The fields of its type. A request of HTTP stands in `http_request`, or in the input itself. */
export function fieldsOf(task: RawTask): readonly TaskField[] {
  const { fields } = taskTypeKind(String(task['type'] ?? 'SIMPLE'));
  const given = membersOf(task['inputParameters']);
  if ('http_request' in given || !('uri' in given)) return fields;
  return fields.map((field) => ({
    ...field,
    path: field.path.filter((part) => part !== 'http_request'),
  }));
}

function membersOf(value: unknown): Members {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Members)
    : {};
}

export function valueAt(members: Members, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, part) => membersOf(value)[part], members);
}

/** The members with another value at a path; undefined removes it, and what is empty then. */
export function withValue<T extends Members>(
  members: T,
  [part = '', ...rest]: readonly string[],
  value: unknown,
): T {
  const { [part]: before, ...others }: Members = members;
  const next = rest.length === 0 ? value : withValue(membersOf(before), rest, value);
  const isGone =
    next === undefined ||
    (rest.length > 0 && value === undefined && Object.keys(next as Members).length === 0);
  if (isGone) return others as T;
  return { ...members, [part]: next };
}

export function fieldText(members: Members, { path, kind }: TaskField): string {
  const value = valueAt(members, path);
  if (value === undefined || value === null) return '';
  if (kind === 'texts' && Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' && kind !== 'json' ? value : JSON.stringify(value, undefined, 2);
}

/** The members with a field as it was typed; '' removes it. Throws what does not fit. */
export function withField<T extends Members>(members: T, field: TaskField, text: string): T {
  return withValue(members, field.path, text === '' ? undefined : valueOf(text, field.kind));
}

const isReference = (text: string): boolean => /^\$\{.*\}$/.test(text);

function valueOf(text: string, kind: TaskField['kind']): unknown {
  switch (kind) {
    case 'json':
    case 'map':
      return isReference(text) ? text : (JSON.parse(text) as unknown);
    case 'number': {
      if (isReference(text)) return text;
      const number = Number(text);
      if (text.trim() === '' || !Number.isFinite(number))
        throw new Error('A number, or a reference such as ${workflow.input.count}.');
      return number;
    }
    case 'flag':
      return text === 'true';
    case 'texts':
      return text
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '');
    default:
      return text;
  }
}

/** One value of a map: JSON where it is some, else a text. */
export function plainText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return isJson(value) ? JSON.stringify(value) : value;
}

export function plainValue(text: string): unknown {
  return isJson(text) ? (JSON.parse(text) as unknown) : text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The members that have no field, as JSON. */
export function othersText(task: RawTask): string {
  const hidden = hiddenIn(task);
  const others = Object.entries(task).filter(([member]) => !hidden.has(member));
  return others.length === 0 ? '' : JSON.stringify(Object.fromEntries(others), undefined, 2);
}

/** Throws unless the text is a JSON object without members that have fields. */
export function withOthers(task: RawTask, text: string): RawTask {
  const value: unknown = JSON.parse(text === '' ? '{}' : text);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new Error('It must be a JSON object.');
  const hidden = hiddenIn(task);
  const twice = Object.keys(value).find((member) => hidden.has(member));
  if (twice !== undefined) throw new Error(`${twice} has a place of its own.`);
  const kept = Object.entries(task).filter(([member]) => hidden.has(member));
  return { ...Object.fromEntries(kept), ...value } as RawTask;
}

function hiddenIn(task: RawTask): ReadonlySet<string> {
  const own = [...fieldsOf(task), ...commonFields].flatMap(({ path }) => path.slice(0, 1));
  return new Set([...shownElsewhere, ...own]);
}

/** Names of members that the text of a definition can have, for its completion. */
export const fieldNames: readonly string[] = [
  ...new Set(
    [...definitionFields, ...commonFields, ...taskTypes.flatMap(({ fields }) => fields)]
      .flatMap(({ path }) => path.slice(0, 1))
      .filter((member) => member !== 'inputParameters'),
  ),
];
