import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nextTime } from '../../../../src/areas/schedules/cron/cron-times.js';
import { parseCron } from '../../../../src/areas/schedules/cron/parse-cron.js';
import { timeZone, type TimeZone } from '../../../../src/areas/schedules/cron/time-zone.js';

/** When an expression fires between two moments (epoch seconds): see calendars.py. */
interface Calendar {
  zone: string;
  cron: string;
  from: number;
  to: number;
  first: number | null;
  /** From each time to the next, and how often in a row. */
  steps: [step: number, times: number][];
}

const calendars = JSON.parse(
  fs.readFileSync(new URL('./calendars.json', import.meta.url), 'utf8'),
) as Calendar[];

function timesOf({ first, steps }: Calendar): number[] {
  if (first === null) return [];
  const times = [first];
  for (const [step, count] of steps) {
    for (let i = 0; i < count; i += 1) times.push((times.at(-1) as number) + step);
  }
  return times;
}

function zoneOf(id: string): TimeZone {
  const zone = timeZone(id);
  if (zone === undefined) throw new Error(`no zone ${id}`);
  return zone;
}

function forward({ cron, zone, from, to }: Calendar): number[] {
  const expression = parseCron(cron, 'cronExpression');
  const times: number[] = [];
  let at = from * 1000 - 1;
  for (;;) {
    at = nextTime(expression, zoneOf(zone), at) ?? Number.POSITIVE_INFINITY;
    if (at >= to * 1000) return times;
    times.push(at / 1000);
  }
}

const iso = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString();

function next(cron: string, zone: string, after: string): string | undefined {
  return iso(nextTime(parseCron(cron, 'cronExpression'), zoneOf(zone), Date.parse(after)));
}

describe('times of cron expressions', () => {
  it('are those of calendars computed by trying every moment', () => {
    expect(calendars.length).toBeGreaterThan(200);
    for (const calendar of calendars) {
      const { zone, cron } = calendar;
      expect({ zone, cron, times: forward(calendar) }).toEqual({
        zone,
        cron,
        times: timesOf(calendar),
      });
    }
  });

  it('move forward out of an hour that does not exist', () => {
    expect(next('0 30 2 * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z')).toBe(
      '2026-03-29T01:30:00.000Z',
    );
    expect(next('0 30 2 * * *', 'Australia/Sydney', '2026-10-03T15:00:00Z')).toBe(
      '2026-10-03T16:30:00.000Z',
    );
  });

  it('come once in an hour that exists twice, in its first pass', () => {
    const first = '2026-10-25T00:30:00.000Z';
    expect(next('0 30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z')).toBe(first);
    expect(next('0 30 2 * * *', 'Europe/Berlin', first)).toBe('2026-10-26T01:30:00.000Z');
    const south = '2026-04-04T15:30:00.000Z';
    expect(next('0 30 2 * * *', 'Australia/Sydney', '2026-04-04T12:00:00Z')).toBe(south);
    expect(next('0 30 2 * * *', 'Australia/Sydney', south)).toBe('2026-04-05T16:30:00.000Z');
  });

  it('come strictly after the moment asked for, whatever its milliseconds', () => {
    expect(next('* * * * * *', 'UTC', '2026-01-01T00:00:00.000Z')).toBe('2026-01-01T00:00:01.000Z');
    expect(next('* * * * * *', 'UTC', '2026-01-01T00:00:00.999Z')).toBe('2026-01-01T00:00:01.000Z');
    expect(next('0 0 0 * * *', 'UTC', '2025-12-31T23:59:59.999Z')).toBe('2026-01-01T00:00:00.000Z');
  });

  it('are found decades away', () => {
    expect(next('0 0 0 29 2 MON', 'Europe/Berlin', '2072-03-01T00:00:00Z')).toBe(
      '2112-02-28T23:00:00.000Z',
    );
  });

  it('are found in zones with a fixed offset', () => {
    expect(next('0 0 0 * * *', 'GMT+05:30', '2026-01-01T00:00:00Z')).toBe(
      '2026-01-01T18:30:00.000Z',
    );
    expect(next('0 0 0 * * *', '-3', '2026-01-01T00:00:00Z')).toBe('2026-01-01T03:00:00.000Z');
    expect(next('0 0 0 * * *', 'Z', '2026-01-01T00:00:00Z')).toBe('2026-01-02T00:00:00.000Z');
  });

  it('need a zone that exists', () => {
    for (const id of ['Mars/Olympus', '+99:00', 'UTC+', '', 'x'.repeat(100)]) {
      expect(timeZone(id)).toBeUndefined();
    }
  });
});
