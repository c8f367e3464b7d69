// The moments that a cron expression names in a time zone, with both changes of the clocks defined
// (docs/schedules.md):
//
//   Forward: the local times between the old and the new time do not exist. A time there moves
//   forward by the change: 02:30 becomes 03:30 where the clocks go from 02:00 to 03:00. Two times
//   that fall together so are one moment.
//   Backward: the local times of the repeated stretch exist twice. The first of the two counts.
//
// An expression that names every hour follows elapsed time instead: nothing moves forward, and both
// passes of the repeated stretch count. So "every ten minutes" stays every ten minutes.
//
// A zone is a row of stretches of constant offset (`time-zone.ts`). Within one, a moment is its
// local time minus the offset; only its first part needs care, where a change has just happened.
import type { CronExpression } from './cron-expression.js';
import { firstLocalFrom } from './local-times.js';
import type { Stretch, TimeZone } from './time-zone.js';

/** More than any zone ever changed its offset by. */
const offsetChangeMax = 26 * 3600;

/** First moment strictly after `afterMs` (epoch ms); undefined when there is none in 40 years. */
export function nextTime(
  expression: CronExpression,
  zone: TimeZone,
  afterMs: number,
): number | undefined {
  let from = Math.floor(afterMs / 1000) + 1;
  for (;;) {
    const stretch = zone.stretchAt(from);
    const moved = firstMoved(expression, stretch, from);
    if (moved !== undefined) return moved * 1000;
    const local = firstLocalFrom(expression, from + stretch.offset);
    if (local === undefined) return undefined;
    const own = firstOwn(expression, stretch, from);
    if (own !== undefined) return own * 1000;
    // Nothing before that local time, whatever the offset is by then.
    from = Math.max(stretch.end, local - stretch.offset - offsetChangeMax);
  }
}

/** Seconds that the clocks were put forward by at the start of the stretch; 0 otherwise. */
function gapOf(expression: CronExpression, stretch: Stretch): number {
  return expression.everyHour ? 0 : Math.max(0, stretch.offset - stretch.offsetBefore);
}

/** First local time of the stretch that is not a repetition. */
function localStart(expression: CronExpression, stretch: Stretch): number {
  const offset = expression.everyHour
    ? stretch.offset
    : Math.max(stretch.offset, stretch.offsetBefore);
  return stretch.start + offset;
}

/**
 * The first moment that the stretch has when one was moved into it from a gap; undefined when none
 * was. It may also be a moment of the stretch's own that comes first.
 */
function firstMoved(
  expression: CronExpression,
  stretch: Stretch,
  from: number,
): number | undefined {
  const gap = gapOf(expression, stretch);
  if (from >= stretch.start + gap) return undefined;
  const local = firstLocalFrom(expression, Math.max(from, stretch.start) + stretch.offsetBefore);
  if (local === undefined || local >= stretch.start + stretch.offset) return undefined;
  const moved = local - stretch.offsetBefore;
  return Math.min(moved, firstOwn(expression, stretch, from) ?? moved);
}

function firstOwn(expression: CronExpression, stretch: Stretch, from: number): number | undefined {
  const start = Math.max(from + stretch.offset, localStart(expression, stretch));
  const local = firstLocalFrom(expression, start);
  if (local === undefined || local - stretch.offset >= stretch.end) return undefined;
  return local - stretch.offset;
}
