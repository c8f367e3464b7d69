// The local times that a cron expression names, without any zone: the next one from a moment.
// Times are whole seconds; a local time is what a clock shows, read as if it were UTC.
import type { CronExpression } from './cron-expression.js';
import { daysOf } from './day-rules.js';

const daySeconds = 86_400;
/** No combination of days comes round more rarely: 29 February on one weekday, around 2100. */
const monthsMax = 12 * 41;

/** First local time at or after `from`; undefined when there is none within 40 years. */
export function firstLocalFrom(expression: CronExpression, from: number): number | undefined {
  const day = Math.floor(from / daySeconds);
  if (isNamed(expression, day)) {
    const time = firstTimeFrom(expression, from - day * daySeconds);
    if (time !== undefined) return day * daySeconds + time;
  }
  const next = dayAfter(expression, day);
  return next === undefined ? undefined : next * daySeconds + (firstTimeFrom(expression, 0) ?? 0);
}

/** `day` counts days from 1970-01-01. */
function isNamed(expression: CronExpression, day: number): boolean {
  const { year, month, dayOfMonth } = dateOf(day);
  return ((daysIn(expression, year, month) >> dayOfMonth) & 1) === 1;
}

function dayAfter(expression: CronExpression, day: number): number | undefined {
  const { year, month, dayOfMonth } = dateOf(day);
  // Bits of the days after this one.
  let mask = ~(2 ** (dayOfMonth + 1) - 1);
  for (let i = 0; i < monthsMax; i += 1) {
    const days = daysIn(expression, year, month + i) & mask;
    if (days !== 0) return dayNumber(year, month + i, 31 - Math.clz32(days & -days));
    mask = ~0;
  }
  return undefined;
}

/** `month` may lie outside 1 to 12 and then belongs to another year. */
function daysIn(expression: CronExpression, year: number, month: number): number {
  const first = new Date(Date.UTC(year, month - 1, 1));
  const within = { year: first.getUTCFullYear(), month: first.getUTCMonth() + 1 };
  if (((expression.months >> within.month) & 1) === 0) return 0;
  return daysOf(expression.dayOfMonth, expression.dayOfWeek, within);
}

function dateOf(day: number): { year: number; month: number; dayOfMonth: number } {
  const date = new Date(day * daySeconds * 1000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    dayOfMonth: date.getUTCDate(),
  };
}

function dayNumber(year: number, month: number, dayOfMonth: number): number {
  return Date.UTC(year, month - 1, dayOfMonth) / (daySeconds * 1000);
}

/** First named second of a day at or after `from`. */
function firstTimeFrom(expression: CronExpression, from: number): number | undefined {
  const { seconds, minutes, hours } = expression;
  const [hour, minute, second] = partsOf(from);
  for (const h of hours) {
    if (h < hour) continue;
    if (h > hour) return timeOf(h, minutes[0] as number, seconds[0] as number);
    for (const m of minutes) {
      if (m < minute) continue;
      if (m > minute) return timeOf(h, m, seconds[0] as number);
      const s = seconds.find((each) => each >= second);
      if (s !== undefined) return timeOf(h, m, s);
    }
  }
  return undefined;
}

function partsOf(time: number): [number, number, number] {
  return [Math.floor(time / 3600), Math.floor((time % 3600) / 60), time % 60];
}

function timeOf(hour: number, minute: number, second: number): number {
  return hour * 3600 + minute * 60 + second;
}
