// Dates of jq, in UTC: broken-down times, `strftime` and `strptime`.
import type { Json } from './json.js';
import { isNumber, JqError } from './values.js';

const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const monthNames = [
  'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October',
  'November', 'December',
]; // prettier-ignore
const dayMs = 86_400_000;

/**
 * Broken-down time of jq: year, month from 0, day, hours, minutes, seconds, day of week, day of
 * year.
 */
export function toBrokenDown(value: Json): Json[] {
  if (!isNumber(value)) throw new JqError('gmtime() requires a number');
  const seconds = Number(value);
  const date = new Date(Math.floor(seconds) * 1000);
  if (Number.isNaN(date.getTime()))
    throw new JqError('error converting number of seconds since epoch to datetime');
  const fraction = seconds - Math.floor(seconds);
  return [
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds() + fraction,
    date.getUTCDay(),
    Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs),
  ];
}

/** Seconds since 1970 of a broken-down time. */
export function fromBrokenDown(value: Json): number {
  if (!Array.isArray(value) || value.length < 6 || !value.every(isNumber)) {
    throw new JqError('mktime requires array of 6 numbers');
  }
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = value.map(Number);
  return Math.floor(Date.UTC(year, month, day, hours, minutes, Math.floor(seconds)) / 1000);
}

export function formatTime(value: Json, format: Json): string {
  const parts = Array.isArray(value) ? value : toBrokenDown(value);
  if (typeof format !== 'string') throw new JqError('strftime/1 requires a string format');
  const date = new Date(fromBrokenDown(parts) * 1000);
  return format.replace(
    /%([a-zA-Z%])/g,
    (whole, letter: string) => timeField(date, letter) ?? whole,
  );
}

function timeField(date: Date, letter: string): string | undefined {
  const pad = (value: number, width = 2): string => String(value).padStart(width, '0');
  const weekday = dayNames[date.getUTCDay()] as string;
  const month = monthNames[date.getUTCMonth()] as string;
  switch (letter) {
    case 'Y':
      return String(date.getUTCFullYear());
    case 'm':
      return pad(date.getUTCMonth() + 1);
    case 'd':
      return pad(date.getUTCDate());
    case 'e':
      return String(date.getUTCDate()).padStart(2);
    case 'H':
      return pad(date.getUTCHours());
    case 'I':
      return pad(date.getUTCHours() % 12 || 12);
    case 'M':
      return pad(date.getUTCMinutes());
    case 'S':
      return pad(date.getUTCSeconds());
    case 'p':
      return date.getUTCHours() < 12 ? 'AM' : 'PM';
    case 'Z':
      return 'UTC';
    case 'z':
      return '+0000';
    case 'A':
      return weekday;
    case 'a':
      return weekday.slice(0, 3);
    case 'B':
      return month;
    case 'b':
    case 'h':
      return month.slice(0, 3);
    case 'j':
      return pad(
        Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs) + 1,
        3,
      );
    case 's':
      return String(Math.floor(date.getTime() / 1000));
    case 'u':
      return String(date.getUTCDay() || 7);
    case 'w':
      return String(date.getUTCDay());
    case 'y':
      return pad(date.getUTCFullYear() % 100);
    case 'F':
      return date.toISOString().slice(0, 10);
    case 'T':
      return date.toISOString().slice(11, 19);
    case 'R':
      return date.toISOString().slice(11, 16);
    case '%':
      return '%';
    default:
      return undefined;
  }
}

/**
 * Reads a text by a format of `strptime`: the numeric fields, names of months and days, and the
 * zone.
 */
export function parseTime(text: Json, format: Json): Json[] {
  if (typeof text !== 'string')
    throw new JqError(`strptime/1 requires string inputs and arguments`);
  if (typeof format !== 'string')
    throw new JqError(`strptime/1 requires string inputs and arguments`);
  const date = { year: 1970, month: 0, day: 1, hours: 0, minutes: 0, seconds: 0, offset: 0 };
  const expanded = format
    .replaceAll('%T', '%H:%M:%S')
    .replaceAll('%F', '%Y-%m-%d')
    .replaceAll('%R', '%H:%M');
  const refuse = (): never => {
    throw new JqError(`date "${text}" does not match format "${format}"`);
  };
  let at = 0;
  const take = (pattern: RegExp): string => {
    const match = pattern.exec(text.slice(at, at + 64)) ?? refuse();
    at += match[0].length;
    return match[0];
  };
  for (let i = 0; i < expanded.length; i++) {
    const c = expanded[i] as string;
    if (c !== '%') {
      if (text[at] !== c) refuse();
      at++;
      continue;
    }
    readField(expanded[++i] ?? '', take, date);
  }
  if (at !== text.length) refuse();
  const ms = Date.UTC(date.year, date.month, date.day, date.hours, date.minutes, date.seconds);
  return toBrokenDown(ms / 1000 - date.offset);
}

interface ReadDate {
  year: number;
  month: number;
  day: number;
  hours: number;
  minutes: number;
  seconds: number;
  /** Seconds east of Greenwich. */
  offset: number;
}

function readField(letter: string, take: (pattern: RegExp) => string, date: ReadDate): void {
  const number = (pattern: RegExp): number => Number(take(pattern));
  switch (letter) {
    case 'Y':
      date.year = number(/^-?\d{1,4}/);
      return;
    case 'm':
      date.month = number(/^\d{1,2}/) - 1;
      return;
    case 'd':
    case 'e':
      date.day = number(/^ ?\d{1,2}/);
      return;
    case 'H':
      date.hours = number(/^\d{1,2}/);
      return;
    case 'M':
      date.minutes = number(/^\d{1,2}/);
      return;
    case 'S':
      date.seconds = number(/^\d{1,2}/);
      return;
    case 'b':
    case 'B':
    case 'h': {
      const name = take(/^[A-Za-z]{3,9}/)
        .slice(0, 3)
        .toLowerCase();
      date.month = monthNames.findIndex((each) => each.slice(0, 3).toLowerCase() === name);
      if (date.month < 0) throw new JqError(`"${name}" is no month`);
      return;
    }
    case 'a':
    case 'A':
      take(/^[A-Za-z]{3,9}/);
      return;
    case 'Z':
      take(/^[A-Za-z]{1,5}/);
      return;
    case 'z': {
      const zone = take(/^(?:Z|[+-]\d{2}:?\d{2})/);
      if (zone === 'Z') return;
      const sign = zone.startsWith('-') ? -1 : 1;
      date.offset = sign * (Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(-2)) * 60);
      return;
    }
    default:
      throw new JqError(`strptime: unknown directive %${letter}`);
  }
}
