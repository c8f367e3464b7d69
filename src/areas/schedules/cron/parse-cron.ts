// Cron expressions of the field's dialect (semantics 7.1, contract-core 19.4): six fields, second
// minute hour day-of-month month day-of-week, or a macro. The package cron-parser reads what all
// dialects share (lists, ranges, steps, names, bounds); what it lacks is read here: the extensions
// of the two day fields (`day-rules.ts`), both of which must name a day, and Sunday as 7.
import { CronExpressionParser } from 'cron-parser';
import { AppError } from '../../../model/errors.js';
import type { CronExpression } from './cron-expression.js';
import type { DayOfMonthRule, DayOfWeekRule } from './day-rules.js';
import { firstLocalFrom } from './local-times.js';

const macros: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 0 1 1 *'],
  ['@annually', '0 0 0 1 1 *'],
  ['@monthly', '0 0 0 1 * *'],
  ['@weekly', '0 0 0 * * 0'],
  ['@daily', '0 0 0 * * *'],
  ['@midnight', '0 0 0 * * *'],
  ['@hourly', '0 0 * * * *'],
]);

const expressionCharsMax = 500;
/** Parsed expressions that are kept: schedules often share them. */
const parsedKeptMax = 5000;
const parsed = new Map<string, CronExpression>();

/**
 * Parses an expression. Throws AppError 'bad-request' whose text names `path`, the word cron, the
 * part that is wrong and the rule that it breaks.
 */
export function parseCron(text: string, path: string): CronExpression {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const expression = parse(text, (rule) => {
    const shown = text.slice(0, shownCharsMax);
    return new AppError('bad-request', `Invalid cron expression '${shown}' in ${path}: ${rule}`);
  });
  if (parsed.size >= parsedKeptMax) parsed.clear();
  parsed.set(text, expression);
  return expression;
}

const shownCharsMax = 100;

/** Makes the refusal of an expression that breaks this rule. */
type Refusal = (rule: string) => AppError;

function parse(text: string, refusal: Refusal): CronExpression {
  if (text.length > expressionCharsMax) {
    throw refusal(`it may have ${expressionCharsMax} characters at most`);
  }
  const trimmed = text.trim();
  const spelled = trimmed.startsWith('@') ? macros.get(trimmed.toLowerCase()) : trimmed;
  if (spelled === undefined) {
    throw refusal(`a macro must be one of ${[...macros.keys()].join(', ')}`);
  }
  const fields = spelled.split(/\s+/);
  if (trimmed === '' || fields.length !== 6) {
    throw refusal(
      'it must have six fields: second minute hour day-of-month month day-of-week; ' +
        `this one has ${trimmed === '' ? 0 : fields.length}`,
    );
  }
  const expression = { text, ...readFields(fields as SixFields, refusal) };
  if (firstLocalFrom(expression, 0) === undefined) {
    throw refusal('its day-of-month, month and day-of-week never name the same day');
  }
  return expression;
}

type SixFields = [string, string, string, string, string, string];

function readFields(fields: SixFields, refusal: Refusal): Omit<CronExpression, 'text'> {
  const [second, minute, hour, dayOfMonth, month, dayOfWeek] = fields;
  const hours = plainValues('hour', hour, refusal);
  return {
    seconds: plainValues('second', second, refusal),
    minutes: plainValues('minute', minute, refusal),
    hours,
    months: bitsOf(plainValues('month', month, refusal)),
    dayOfMonth: readDayOfMonth(dayOfMonth, refusal),
    dayOfWeek: readDayOfWeek(dayOfWeek, refusal),
    everyHour: hours.length === 24,
  };
}

type FieldName = 'second' | 'minute' | 'hour' | 'dayOfMonth' | 'month' | 'dayOfWeek';

interface FieldRule {
  readonly position: number;
  readonly shown: string;
  readonly stepMax: number;
  /** The characters of the field, beside the extensions of the day fields. */
  readonly characters: RegExp;
}

const digits = /^[\d*/,-]+$/;
const names = /^[\dA-Za-z*/,-]+$/;

const fieldRules: Readonly<Record<FieldName, FieldRule>> = {
  second: { position: 0, shown: 'second', stepMax: 59, characters: digits },
  minute: { position: 1, shown: 'minute', stepMax: 59, characters: digits },
  hour: { position: 2, shown: 'hour', stepMax: 23, characters: digits },
  dayOfMonth: { position: 3, shown: 'day-of-month', stepMax: 31, characters: digits },
  month: { position: 4, shown: 'month', stepMax: 12, characters: names },
  dayOfWeek: { position: 5, shown: 'day-of-week', stepMax: 7, characters: names },
};

const shorthands = new Map<string, readonly number[]>();

/** The values of a field without extensions, ascending. */
function plainValues(field: FieldName, text: string, refusal: Refusal): readonly number[] {
  const known = shorthands.get(`${field} ${text}`);
  if (known !== undefined) return known;
  const { position, shown, stepMax, characters } = fieldRules[field];
  if (!characters.test(text))
    throw refusal(`${shown} has characters that it may not have: ${text}`);
  for (const [, step] of text.matchAll(/\/([^,]*)/g)) {
    const isStep = /^\d{1,4}$/.test(step as string) && Number(step) >= 1 && Number(step) <= stepMax;
    if (!isStep) throw refusal(`a step in ${shown} must be from 1 to ${stepMax}: ${text}`);
  }
  const items = itemsOf(text, shown, refusal);
  const values = new Set<number>();
  try {
    // Item by item: the package refuses a list that names a value twice.
    for (const item of items) {
      const fields = ['*', '*', '*', '*', '*', '*'];
      fields[position] = item;
      const { fields: read } = CronExpressionParser.parse(fields.join(' '));
      for (const value of read[field].values) values.add(value as number);
    }
    const ascending = [...values].sort((a, b) => a - b);
    if (shorthands.size >= parsedKeptMax) shorthands.clear();
    shorthands.set(`${field} ${text}`, ascending);
    return ascending;
  } catch (error) {
    throw refusal(`${shown} cannot be read: ${text} (${(error as Error).message})`);
  }
}

const lastDayPattern = /^L(?:-(\d{1,2}))?$/i;
const nearestPattern = /^(\d{1,2})W$/i;

function readDayOfMonth(text: string, refusal: Refusal): DayOfMonthRule {
  const plain: string[] = [];
  const beforeLast: number[] = [];
  const nearestWeekday: number[] = [];
  let lastWeekday = false;
  for (const item of itemsOf(text, 'day-of-month', refusal)) {
    const last = lastDayPattern.exec(item);
    const nearest = nearestPattern.exec(item);
    if (last !== null) {
      beforeLast.push(within(Number(last[1] ?? 0), [0, 30], 'L-n in day-of-month', refusal));
    } else if (nearest !== null) {
      nearestWeekday.push(within(Number(nearest[1]), [1, 31], 'nW in day-of-month', refusal));
    } else if (item.toUpperCase() === 'LW') lastWeekday = true;
    else plain.push(item);
  }
  const days = plain.length === 0 ? [] : plainValues('dayOfMonth', plain.join(','), refusal);
  return { days: bitsOf(days), beforeLast, nearestWeekday, lastWeekday };
}

const lastOfPattern = /^([0-7]|[A-Z]{3})L$/i;
const nthPattern = /^([0-7]|[A-Z]{3})#(\d{1,2})$/i;

function readDayOfWeek(text: string, refusal: Refusal): DayOfWeekRule {
  const plain: string[] = [];
  const last: number[] = [];
  const nth: { weekday: number; nth: number }[] = [];
  for (const item of itemsOf(text, 'day-of-week', refusal)) {
    const lastOf = lastOfPattern.exec(item);
    const nthOf = nthPattern.exec(item);
    if (lastOf !== null) last.push(weekdayOf(lastOf[1] as string, refusal));
    else if (nthOf !== null) {
      nth.push({
        weekday: weekdayOf(nthOf[1] as string, refusal),
        nth: within(Number(nthOf[2]), [1, 5], 'n#k in day-of-week', refusal),
      });
    } else plain.push(fromMonday(sundayInRange(item)));
  }
  const days = plain.length === 0 ? [] : plainValues('dayOfWeek', plain.join(','), refusal);
  return { days: bitsOf(days.map((day) => day % 7)), last, nth };
}

/** `?` says the same as `*`; it stands alone. */
function itemsOf(text: string, shown: string, refusal: Refusal): string[] {
  if (text === '?') return ['*'];
  const items = text.split(',');
  if (items.includes('')) throw refusal(`${shown} has an empty item: ${text}`);
  return items;
}

/** Sunday begins a range as 0 and ends it as 7, whatever it is called. */
function sundayInRange(item: string): string {
  return item.replace(/^(?:7|SUN)-/i, '0-').replace(/-(?:0|SUN)(?=\/|$)/i, '-7');
}

/** Steps over all days begin on Monday, as the week does; those from Sunday by name end there. */
function fromMonday(item: string): string {
  return item.replace(/^\*(?=\/)/, '1-7').replace(/^SUN(?=\/)/i, '7');
}

const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

function weekdayOf(text: string, refusal: Refusal): number {
  if (/^\d$/.test(text)) return Number(text) % 7;
  const weekday = weekdays.indexOf(text.toUpperCase());
  if (weekday < 0) throw refusal(`day-of-week has no day ${text}`);
  return weekday;
}

function within(
  value: number,
  [min, max]: readonly [number, number],
  shown: string,
  refusal: Refusal,
): number {
  if (value < min || value > max) throw refusal(`the number of ${shown} must be ${min} to ${max}`);
  return value;
}

function bitsOf(values: readonly number[]): number {
  return values.reduce((bits, value) => bits | (1 << value), 0);
}
