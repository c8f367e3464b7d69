// A search over human tasks (contract-admin 10.8): how it is read, and whether an entry fits what
// no index answers.
import { AppError } from '../errors.js';
import { toJsonText } from '../json-text.js';
import { fitsPattern, parseFieldQuery } from './field-query.js';
import { parseTexts, present, RecordReader } from '../record-reader.js';
import { comparedName, humanUserTypes, type HumanUser } from './human-definition.js';
import { humanStates, type HumanState, type HumanTaskEntry } from './human-entry.js';

export interface HumanSearch {
  readonly searchType?: 'ADMIN' | 'INBOX';
  readonly start: number;
  readonly size: number;
  readonly states: readonly HumanState[];
  readonly assignees: readonly HumanUser[];
  readonly claimants: readonly HumanUser[];
  readonly definitionNames: readonly string[];
  readonly displayNames: readonly string[];
  readonly taskRefNames: readonly string[];
  readonly workflowIds: readonly string[];
  readonly workflowNames: readonly string[];
  readonly fullTextQuery: string;
  readonly taskInputQuery: string;
  readonly taskOutputQuery: string;
  readonly updateStartTime?: number;
  readonly updateEndTime?: number;
  /** Absent: newest change first. */
  readonly sort?: 'dueTime:ASC';
}

/** Orders that a search may ask for; the first one is meant when it asks for none. */
export const humanSorts = ['updatedOn:DESC', 'dueTime:ASC'] as const;
export const humanSearchSizeMax = 1000;
const valuesMax = 200;
const queryCharsMax = 10_000;

/** Throws AppError 'bad-request' that names the field. */
export function parseHumanSearch(input: unknown): HumanSearch {
  const reader = new RecordReader(input, '');
  const start = reader.integer('start', 0);
  const size = reader.integer('size', 15);
  if (start < 0) throw new AppError('bad-request', 'start must not be negative');
  if (size < 0 || size > humanSearchSizeMax) {
    throw new AppError('bad-request', `size must be 0 to ${humanSearchSizeMax}`);
  }
  return {
    ...{ start, size },
    states: statesOf(reader),
    assignees: usersOf(reader, 'assignees'),
    claimants: usersOf(reader, 'claimants'),
    definitionNames: textsOf(reader, 'definitionNames'),
    displayNames: textsOf(reader, 'displayNames'),
    taskRefNames: textsOf(reader, 'taskRefNames'),
    workflowIds: textsOf(reader, 'workflowIds'),
    workflowNames: textsOf(reader, 'workflowNames'),
    fullTextQuery: queryOf(reader, 'fullTextQuery'),
    taskInputQuery: queryOf(reader, 'taskInputQuery'),
    taskOutputQuery: queryOf(reader, 'taskOutputQuery'),
    ...present({
      searchType: reader.text('searchType') === '' ? undefined : searchTypeOf(reader),
      updateStartTime: reader.long('updateStartTime', 0) || undefined,
      updateEndTime: reader.long('updateEndTime', 0) || undefined,
      sort: sortOf(reader),
    }),
  };
}

function searchTypeOf(reader: RecordReader): 'ADMIN' | 'INBOX' | undefined {
  return reader.choice('searchType', ['ADMIN', 'INBOX'] as const);
}

function sortOf(reader: RecordReader): 'dueTime:ASC' | undefined {
  if (reader.text('sort') === '') return undefined;
  return reader.choice('sort', humanSorts) === 'dueTime:ASC' ? 'dueTime:ASC' : undefined;
}

/** Due first, those that are never due behind, both with the longest waiting first. */
export function byDueTime(
  a: Pick<HumanTaskEntry, 'dueTime' | 'createdOn'>,
  b: Pick<HumanTaskEntry, 'dueTime' | 'createdOn'>,
): number {
  return (a.dueTime ?? never) - (b.dueTime ?? never) || a.createdOn - b.createdOn;
}

/** Behind all moments. */
const never = Number.MAX_SAFE_INTEGER;

function statesOf(reader: RecordReader): HumanState[] {
  return textsOf(reader, 'states').map((text) => {
    const state = humanStates.find((each) => each === text);
    if (state !== undefined) return state;
    throw new AppError('bad-request', `states may hold ${humanStates.join(', ')}`);
  });
}

function textsOf(reader: RecordReader, name: string): string[] {
  const value = reader.raw(name);
  const texts = value === undefined || value === '' ? [] : parseTexts(value, name);
  if (texts.length > valuesMax) {
    throw new AppError('bad-request', `${name} may have ${valuesMax} entries at most`);
  }
  return texts.filter((text) => text !== '');
}

function usersOf(reader: RecordReader, name: string): HumanUser[] {
  const users = reader.list(name, (item, path) => {
    const user = new RecordReader(item, path);
    const userType = user.choice('userType', humanUserTypes);
    if (userType === undefined) throw new AppError('bad-request', `${path}.userType is required`);
    return { userType, user: comparedName(userType, user.text('user') ?? '') };
  });
  if (users.length > valuesMax) {
    throw new AppError('bad-request', `${name} may have ${valuesMax} entries at most`);
  }
  return users;
}

function queryOf(reader: RecordReader, name: string): string {
  const text = reader.text(name) ?? '';
  if (text.length > queryCharsMax) {
    throw new AppError('bad-request', `${name} may have ${queryCharsMax} characters at most`);
  }
  return text.trim();
}

/** Users with `*` at an end stand for many. */
export function isPattern({ user }: HumanUser): boolean {
  return user.startsWith('*') || user.endsWith('*');
}

/** The part of a search that no index answers; undefined when there is none. */
export function restOf(search: HumanSearch): ((entry: HumanTaskEntry) => boolean) | undefined {
  const checks: ((entry: HumanTaskEntry) => boolean)[] = [];
  const among = (values: readonly string[], valueOf: (entry: HumanTaskEntry) => string): void => {
    if (values.length > 0) checks.push((entry) => values.includes(valueOf(entry)));
  };
  among(search.displayNames, ({ displayName }) => displayName);
  among(search.workflowIds, ({ workflowId }) => workflowId);
  among(search.workflowNames, ({ workflowName }) => workflowName);
  if (search.taskRefNames.length > 0) {
    checks.push(({ taskRefName }) =>
      search.taskRefNames.some(
        (ref) => ref === taskRefName || ref === taskRefName.replace(/__\d+$/, ''),
      ),
    );
  }
  if (search.assignees.some(isPattern)) {
    checks.push(({ assignee }) => search.assignees.some((user) => fitsUser(user, assignee)));
  }
  if (search.claimants.some(isPattern)) {
    checks.push(({ claimant }) => search.claimants.some((user) => fitsUser(user, claimant)));
  }
  const { updateStartTime, updateEndTime } = search;
  if (updateStartTime !== undefined) checks.push(({ updatedOn }) => updatedOn >= updateStartTime);
  if (updateEndTime !== undefined) checks.push(({ updatedOn }) => updatedOn <= updateEndTime);
  if (search.fullTextQuery !== '' && search.fullTextQuery !== '*') {
    const alternatives = wordsOf(search.fullTextQuery);
    checks.push((entry) => {
      const text = fullTextOf(entry);
      return alternatives.some((words) => words.every((word) => text.includes(word)));
    });
  }
  for (const part of ['input', 'output'] as const) {
    const query = part === 'input' ? search.taskInputQuery : search.taskOutputQuery;
    if (query === '') continue;
    const fits = parseFieldQuery(query, part === 'input' ? 'taskInputQuery' : 'taskOutputQuery');
    checks.push((entry) => fits(entry[part]));
  }
  return checks.length === 0 ? undefined : (entry) => checks.every((check) => check(entry));
}

function fitsUser(wanted: HumanUser, user: HumanUser | undefined): boolean {
  return user?.userType === wanted.userType && fitsPattern(wanted.user, user.user);
}

/** The text that full-text search reads, in lower case. */
export function fullTextOf({ input, output }: HumanTaskEntry): string {
  return `${toJsonText(input)} ${toJsonText(output)}`.toLowerCase();
}

/**
 * Alternatives of words that a full text must all hold: words joined by AND (also when nothing
 * joins them) and OR; OR binds less.
 */
export function wordsOf(query: string): string[][] {
  return query
    .toLowerCase()
    .split(/\s+or\s+/)
    .map((part) => part.split(/\s+(?:and\s+)?/).map((word) => word.replace(/^["*]+|["*]+$/g, '')));
}
