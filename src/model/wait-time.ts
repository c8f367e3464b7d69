// The texts that say how long or until when a WAIT waits (contract-core 6.4, semantics 4.13).

const unit = (letters: string): string => `(?:(\\d{1,9})\\s*(?:${letters}))?\\s*`;

/**
 * Days, hours, minutes, seconds in this order, each optional; every part is bounded, so matching is
 * linear.
 */
const durationPattern = new RegExp(
  `^\\s*${unit('days?|d')}${unit('hours?|hrs?|h')}${unit('minutes?|mins?|m')}${unit(
    'seconds?|secs?|s',
  )}$`,
  'i',
);
const durationCharsMax = 200;

/**
 * Milliseconds of a duration such as "1 days 2 h 30m"; an empty text is 0. Undefined when it is
 * none.
 */
export function parseWaitDuration(text: string): number | undefined {
  if (text.length > durationCharsMax) return undefined;
  const match = durationPattern.exec(text);
  if (match === null) return undefined;
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ];
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
}

const datePattern = /^(\d{4})-(\d{2})-(\d{2})(?: (\d{2}):(\d{2})(?: (\S{1,64}))?)?$/;

/**
 * Moment of "yyyy-MM-dd HH:mm", the same with a zone ("Europe/Paris", "PST", "GMT+04:00"), or
 * "yyyy-MM-dd", as epoch ms. Without a zone `defaultZone` counts. Undefined when the text is no
 * such date.
 */
export function parseWaitUntil(text: string, defaultZone = 'UTC'): number | undefined {
  const match = datePattern.exec(text.trim());
  if (match === null) return undefined;
  const [year, month, day, hour, minute] = match.slice(1, 6).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const local = Date.UTC(year, month - 1, day, hour, minute);
  const date = new Date(local);
  const exists =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60;
  if (!exists) return undefined;
  const offset = offsetAt(match[6] ?? defaultZone, local);
  return offset === undefined ? undefined : local - offset;
}

const fixedOffset = /^(?:GMT|UTC)?([+-])(\d{1,2})(?::?(\d{2}))?$/;

/** Short names that the tz database does not know. */
const zoneAliases: ReadonlyMap<string, string> = new Map([
  ['PST', 'America/Los_Angeles'],
  ['PDT', 'America/Los_Angeles'],
  ['MDT', 'America/Denver'],
  ['CST', 'America/Chicago'],
  ['CDT', 'America/Chicago'],
  ['EDT', 'America/New_York'],
  ['IST', 'Asia/Kolkata'],
  ['JST', 'Asia/Tokyo'],
  ['BST', 'Europe/London'],
  ['CEST', 'Europe/Paris'],
  ['Z', 'UTC'],
]);

/** Milliseconds east of UTC at the given local time; undefined for an unknown zone. */
function offsetAt(zone: string, local: number): number | undefined {
  const fixed = fixedOffset.exec(zone);
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3] ?? 0);
    return (fixed[1] === '-' ? -minutes : minutes) * 60_000;
  }
  const format = zoneFormat(zoneAliases.get(zone) ?? zone);
  if (format === undefined) return undefined;
  // The offset at the moment found with a first guess; the second guess corrects times beside a
  // change of the clocks.
  const first = local - wallTime(format, local) + local;
  return wallTime(format, first) - first;
}

function zoneFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The time on the clocks of the zone at `moment`, read as if it were UTC. */
function wallTime(format: Intl.DateTimeFormat, moment: number): number {
  const parts: { [type: string]: number } = {};
  for (const { type, value } of format.formatToParts(moment)) parts[type] = Number(value);
  const { year, month, day, hour, minute, second } = parts as {
    [name in 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second']: number;
  };
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
