// Which days of a month a cron expression names. The two day fields hold plain numbers and these
// extensions, alone or in lists (semantics 7.1):
//
//   day of month   L        the last day            day of week   nL    the last n of the month
//                  L-n      n days before it                      n#k   the k-th n of the month
//                  LW       the last weekday
//                  nW       the weekday nearest to n, in the same month; none where n is no day
//                           of the month
//
// A day counts when both fields name it.

/** The days that a day field names. An empty rule names none. */
export interface DayOfMonthRule {
  /** Bit n: day n, 1 to 31. */
  readonly days: number;
  /** Days before the last one: 0 for L. */
  readonly beforeLast: readonly number[];
  /** nW. */
  readonly nearestWeekday: readonly number[];
  /** LW. */
  readonly lastWeekday: boolean;
}

export interface DayOfWeekRule {
  /** Bit n: day of the week n, 0 = Sunday. */
  readonly days: number;
  /** nL. */
  readonly last: readonly number[];
  /** n#k. */
  readonly nth: readonly { readonly weekday: number; readonly nth: number }[];
}

/** The shape of one month: its number of days and the weekday of its first. */
interface MonthShape {
  readonly lastDay: number;
  /** 0 = Sunday. */
  readonly firstWeekday: number;
}

/** The days of a month (1 to 12) that both rules name: bit n is day n. */
export function daysOf(
  dayOfMonth: DayOfMonthRule,
  dayOfWeek: DayOfWeekRule,
  { year, month }: { year: number; month: number },
): number {
  const shape: MonthShape = {
    lastDay: new Date(Date.UTC(year, month, 0)).getUTCDate(),
    firstWeekday: new Date(Date.UTC(year, month - 1, 1)).getUTCDay(),
  };
  return byDayOfMonth(dayOfMonth, shape) & byDayOfWeek(dayOfWeek, shape);
}

function byDayOfMonth(rule: DayOfMonthRule, shape: MonthShape): number {
  const { lastDay } = shape;
  // Bits 1 to lastDay; 2 ** 32 does not fit into the shift of 32 bits.
  let days = rule.days & (2 ** (lastDay + 1) - 2);
  for (const before of rule.beforeLast) if (before < lastDay) days |= 1 << (lastDay - before);
  for (const day of rule.nearestWeekday) {
    if (day <= lastDay) days |= 1 << nearestWeekday(day, shape);
  }
  if (rule.lastWeekday) days |= 1 << nearestWeekday(lastDay, shape);
  return days;
}

function nearestWeekday(day: number, shape: MonthShape): number {
  const weekday = weekdayOf(day, shape);
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === shape.lastDay ? day - 2 : day + 1;
  return day;
}

function byDayOfWeek(rule: DayOfWeekRule, shape: MonthShape): number {
  let days = 0;
  for (let day = 1; day <= shape.lastDay; day += 1) {
    if ((rule.days >> weekdayOf(day, shape)) & 1) days |= 1 << day;
  }
  for (const weekday of rule.last) {
    days |= 1 << (firstOf(weekday, shape) + 7 * weeksAfterFirst(weekday, shape));
  }
  for (const { weekday, nth } of rule.nth) {
    if (nth - 1 <= weeksAfterFirst(weekday, shape)) {
      days |= 1 << (firstOf(weekday, shape) + 7 * (nth - 1));
    }
  }
  return days;
}

function weekdayOf(day: number, { firstWeekday }: MonthShape): number {
  return (firstWeekday + day - 1) % 7;
}

function firstOf(weekday: number, { firstWeekday }: MonthShape): number {
  return 1 + ((weekday - firstWeekday + 7) % 7);
}

function weeksAfterFirst(weekday: number, shape: MonthShape): number {
  return Math.floor((shape.lastDay - firstOf(weekday, shape)) / 7);
}
