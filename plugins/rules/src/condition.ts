// Conditions that stand in the cells of a rule file (semantics 4.23): a comparison, a function of
// texts, membership of a list, or a plain value. An empty cell and `Any` hold for every value.
// Cells come from strangers: no pattern here takes more than linear time.
import { RE2JS } from 're2js';
import type { Json } from '@downbeat/plugin';
import { RuleFileError, type Cell } from './rule-table.js';

const comparison = /^(<=|>=|!=|=|<|>)\s*(.*)$/s;
const call = /^(startsWith|endsWith|contains|matches)\s*\((.*)\)$/s;
const lengthRule = /^length\s*(?:\(\s*\)\s*)?(<=|>=|!=|=|<|>)\s*(\d+)$/;
const membership = /^(!=\s*)?inList\s*\(\s*\{(.*)\}\s*\)$/s;
const listMaker = /^createList\s*\(\s*\{(.*)\}\s*\)$/s;
/** An entry of a list: in quotes, or up to the next comma. */
const entry = /(?:\s*"((?:[^"\\]|\\.)*)"\s*(?=,|$)|([^,]*))(?:,|$)/g;
const date = /^\d{4}-(?:\d{1,2}|[a-z]{3})-\d{1,2}(?:[T ].*)?$/i;
const patternCharsMax = 1000;

/** Whether the value fulfils the condition. Throws RuleFileError for a pattern that is none. */
export function holds(cell: Cell, value: Json): boolean {
  if (cell === null) return true;
  if (typeof cell !== 'string') return compare('=', value, cell);
  const text = cell.trim();
  if (text === '' || text.toLowerCase() === 'any') return true;
  const [, not, list] = membership.exec(text) ?? [];
  if (list !== undefined) {
    const isIn = entriesOf(list).some((item) => compare('=', value, item));
    return isIn === (not === undefined);
  }
  const [, lengthSign, length] = lengthRule.exec(text) ?? [];
  if (lengthSign !== undefined) {
    return compare(lengthSign, toText(value).length, Number(length));
  }
  const [, name, argument] = call.exec(text) ?? [];
  if (name !== undefined) return applies(name, toText(value), withoutQuotes(argument ?? ''));
  const [, sign, operand] = comparison.exec(text) ?? [];
  return sign === undefined
    ? compare('=', value, text)
    : compare(sign, value, withoutQuotes(operand ?? ''));
}

/** The result of a cell of an output column: its value, or the list that it asks for. */
export function resultOf(cell: Cell | undefined): Json {
  const list = typeof cell === 'string' ? listMaker.exec(cell.trim())?.[1] : undefined;
  return list === undefined ? (cell ?? null) : entriesOf(list);
}

function applies(name: string, value: string, argument: string): boolean {
  switch (name) {
    case 'startsWith':
      return value.startsWith(argument);
    case 'endsWith':
      return value.endsWith(argument);
    case 'contains':
      return value.includes(argument);
    default:
      return patternOf(argument).matches(value);
  }
}

/** Runs in linear time: the pattern is a stranger's. */
function patternOf(text: string): RE2JS {
  if (text.length > patternCharsMax) {
    throw new RuleFileError(`a pattern has more than ${patternCharsMax} characters`);
  }
  try {
    return RE2JS.compile(text.replaceAll('\\\\', '\\'));
  } catch (cause) {
    throw new RuleFileError(`${text} is no pattern`, { cause });
  }
}

/** Numbers as numbers, dates as dates, everything else as text, which has no order. */
function compare(sign: string, value: Json, operand: Cell): boolean {
  const [left, right] = comparable(value, operand);
  switch (sign) {
    case '=':
      return left === right;
    case '!=':
      return left !== right;
    default:
      return typeof left === 'number' && typeof right === 'number' && ordered(sign, left, right);
  }
}

function ordered(sign: string, left: number, right: number): boolean {
  if (sign === '<') return left < right;
  if (sign === '<=') return left <= right;
  return sign === '>' ? left > right : left >= right;
}

function comparable(value: Json, operand: Cell): [number | string, number | string] {
  for (const read of [toNumber, toMoment]) {
    const left = read(value);
    const right = read(operand);
    if (!Number.isNaN(left) && !Number.isNaN(right)) return [left, right];
  }
  return [toText(value), toText(operand)];
}

function toNumber(value: Json): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}

/** Epoch ms of a date such as 2022-04-22, 2022-apr-22 or 2022-04-22 12:20:22, in UTC. */
function toMoment(value: Json): number {
  if (typeof value !== 'string' || !date.test(value.trim())) return Number.NaN;
  const text = value.trim();
  const zone = /(?:z|[+-]\d{2}:?\d{2})$/i.test(text.slice(10)) ? '' : ' UTC';
  const isIso = /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(text);
  if (isIso) return Date.parse(zone === '' || text.length <= 10 ? text : `${text}Z`);
  return Date.parse(`${text}${zone}`);
}

function toText(value: Json): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value).trim();
}

function entriesOf(list: string): string[] {
  return [...list.matchAll(entry)].flatMap(([all, quoted, plain]) => {
    if (quoted !== undefined) return [quoted.replace(/\\(.)/g, '$1')];
    const text = plain?.trim() ?? '';
    return all === '' || text === '' ? [] : [text];
  });
}

function withoutQuotes(text: string): string {
  return /^"(.*)"$/s.exec(text.trim())?.[1] ?? text.trim();
}
