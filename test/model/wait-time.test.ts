import { describe, expect, it } from 'vitest';
import { parseWaitDuration, parseWaitUntil } from '../../src/model/wait-time.js';

describe('a duration', () => {
  it.each<[string, number | undefined]>([
    ['', 0],
    ['90 seconds', 90_000],
    ['1d2h', 93_600_000],
    ['1 DAY 1 hr 1 mins 1 s', 90_061_000],
    ['2 seconds 1 minute', undefined],
    ['5', undefined],
    ['1.5 h', undefined],
    ['-1 s', undefined],
    ['3 parsecs', undefined],
  ])('%j is %s ms', (text, expected) => {
    expect(parseWaitDuration(text)).toBe(expected);
  });
});

describe('a date', () => {
  it.each<[string, string | undefined]>([
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2024-05-01 10:30', '2024-05-01T10:30:00.000Z'],
    ['2024-05-01 10:30 GMT+04:00', '2024-05-01T06:30:00.000Z'],
    ['2024-07-01 10:30 Europe/Paris', '2024-07-01T08:30:00.000Z'],
    ['2024-01-01 10:30 Europe/Paris', '2024-01-01T09:30:00.000Z'],
    ['2024-03-31 03:30 Europe/Paris', '2024-03-31T01:30:00.000Z'],
    ['2024-07-01 00:00 PST', '2024-07-01T07:00:00.000Z'],
    ['2023-02-29', undefined],
    ['2024-13-01', undefined],
    ['2024-05-01 24:00', undefined],
    ['2024-05-01 10:30 Nowhere', undefined],
    ['tomorrow', undefined],
  ])('%s is %s', (text, expected) => {
    const moment = parseWaitUntil(text);
    expect(moment === undefined ? undefined : new Date(moment).toISOString()).toBe(expected);
  });

  it('without a zone is read in the given one', () => {
    expect(parseWaitUntil('2024-01-01 00:00', 'Asia/Tokyo')).toBe(Date.UTC(2023, 11, 31, 15));
  });
});
