// Time zones as stretches of constant offset. Cron arithmetic needs to know where a zone's clocks
// change and by how much; the platform only tells the offset at a moment. So a year of a zone is
// sampled week by week, each change is found to the second by bisection, and the result is kept.
//
// All numbers are whole seconds. A local time is what the zone's clocks show, read as if it were
// UTC.

/** A stretch of time in which the zone's offset does not change. */
export interface Stretch {
  /** First second, epoch. */
  readonly start: number;
  /** Second behind the last one, epoch. */
  readonly end: number;
  /** Seconds east of UTC. */
  readonly offset: number;
  /** Offset just before `start`: another one where the clocks change there. */
  readonly offsetBefore: number;
}

const day = 86_400;
/** No zone changes its clocks forth and back within less. */
const sampleSeconds = 7 * day;
/** Years of one zone that are kept. */
const yearsKeptMax = 128;
/** Zones that are kept; there are about 600 names. */
const zonesKeptMax = 1000;

export class TimeZone {
  readonly #years = new Map<number, readonly Stretch[]>();

  /** `offsetAt` tells the seconds east of UTC at an epoch second. */
  constructor(
    readonly id: string,
    private readonly offsetAt: (second: number) => number,
  ) {}

  /** The stretch that holds a moment. */
  stretchAt(second: number): Stretch {
    const stretches = this.#stretchesOf(new Date(second * 1000).getUTCFullYear());
    const found = stretches.find(({ end }) => second < end);
    return found ?? (stretches.at(-1) as Stretch);
  }

  #stretchesOf(year: number): readonly Stretch[] {
    const known = this.#years.get(year);
    if (known !== undefined) return known;
    if (this.#years.size >= yearsKeptMax) this.#years.clear();
    const stretches = this.#sample(Date.UTC(year, 0, 1) / 1000, Date.UTC(year + 1, 0, 1) / 1000);
    this.#years.set(year, stretches);
    return stretches;
  }

  #sample(from: number, to: number): Stretch[] {
    const stretches: Stretch[] = [];
    let start = from;
    let offset = this.offsetAt(from);
    let offsetBefore = this.offsetAt(from - 1);
    for (let at = from; at < to;) {
      const next = Math.min(at + sampleSeconds, to);
      // The last sample belongs to this year still.
      const sample = next === to ? to - 1 : next;
      const changed = this.offsetAt(sample);
      if (changed !== offset) {
        const change = this.#changeWithin(at, sample);
        stretches.push({ start, end: change, offset, offsetBefore });
        start = change;
        offsetBefore = offset;
        offset = changed;
      }
      at = next;
    }
    stretches.push({ start, end: to, offset, offsetBefore });
    return stretches;
  }

  /** First second after `before` with the offset of `after`. */
  #changeWithin(before: number, after: number): number {
    const target = this.offsetAt(after);
    let low = before;
    let high = after;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.offsetAt(middle) === target) high = middle;
      else low = middle;
    }
    return high;
  }
}

const zones = new Map<string, TimeZone>();

/**
 * A zone by its IANA name, or with a fixed offset: `Z`, `UTC+2`, `GMT-03:30`, `+05:30`. Undefined
 * for an unknown one.
 */
export function timeZone(id: string): TimeZone | undefined {
  const known = zones.get(id);
  if (known !== undefined) return known;
  const offsetAt = fixedOffset(id) ?? namedOffset(id);
  if (offsetAt === undefined) return undefined;
  if (zones.size >= zonesKeptMax) zones.clear();
  const zone = new TimeZone(id, offsetAt);
  zones.set(id, zone);
  return zone;
}

const fixedPattern = /^(?:GMT|UTC|UT)?([+-])(\d{1,2})(?::?([0-5]\d))?$/;
/** As far as clocks on Earth are apart from UTC. */
const fixedHoursMax = 18;

function fixedOffset(id: string): ((second: number) => number) | undefined {
  if (id === 'Z' || id === 'UTC') return () => 0;
  const match = fixedPattern.exec(id);
  if (match === null || Number(match[2]) > fixedHoursMax) return undefined;
  const seconds = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60;
  return () => (match[1] === '-' ? -seconds : seconds);
}

const zoneCharsMax = 64;

function namedOffset(id: string): ((second: number) => number) | undefined {
  if (id.length > zoneCharsMax) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: id, timeZoneName: 'longOffset' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return (second) => offsetIn(format.format(second * 1000));
}

const offsetPattern = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** The offset in a text such as `3/31/2024, GMT+02:00`; `GMT` alone is 0. */
function offsetIn(text: string): number {
  const [, sign, hours, minutes, seconds] = offsetPattern.exec(text) ?? [];
  const offset = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
  return sign === '-' ? -offset : offset;
}
