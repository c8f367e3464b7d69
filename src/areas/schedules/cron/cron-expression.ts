// A parsed cron expression (semantics 7.1): what `parse-cron.ts` makes of the text and what the
// calendar (`local-times.ts`, `cron-times.ts`) works with.
import type { DayOfMonthRule, DayOfWeekRule } from './day-rules.js';

export interface CronExpression {
  readonly text: string;
  /** Ascending, none empty. */
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Bit n: month n, 1 to 12. */
  readonly months: number;
  readonly dayOfMonth: DayOfMonthRule;
  readonly dayOfWeek: DayOfWeekRule;
  /**
   * Every hour of the day counts: such an expression follows elapsed time where clocks change
   * (`cron-times.ts`).
   */
  readonly everyHour: boolean;
}
