import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/model/errors.js';
import { parseCron } from '../../../../src/areas/schedules/cron/parse-cron.js';

function refusalOf(text: string): string {
  try {
    parseCron(text, 'cronSchedules[1].cronExpression');
  } catch (error) {
    if (error instanceof AppError && error.kind === 'bad-request') return error.message;
    throw error;
  }
  return 'accepted';
}

describe('a cron expression', () => {
  it.each([
    ['', 'six fields'],
    ['nope', 'six fields'],
    ['0 12 * * *', 'six fields'],
    ['0 0 12 * * * 2030', 'six fields'],
    ['@fortnightly', 'a macro must be one of'],
    ['60 * * * * *', 'second'],
    ['* 60 * * * *', 'minute'],
    ['* * 24 * * *', 'hour'],
    ['* * * 0 * *', 'day-of-month'],
    ['* * * 32 * *', 'day-of-month'],
    ['* * * * 13 *', 'month'],
    ['* * * * FOO *', 'month'],
    ['* * * * * 8', 'day-of-week'],
    ['* * * * * XYZ', 'day-of-week'],
    ['* * * * * XYZL', 'day-of-week'],
    ['* * * * * L', 'day-of-week'],
    ['* * * * * MON#6', 'day-of-week'],
    ['* * * * * MON#0', 'day-of-week'],
    ['* * * 0W * *', 'day-of-month'],
    ['* * * W * *', 'day-of-month'],
    ['* * * L-31 * *', 'day-of-month'],
    ['* * * 1,,2 * *', 'day-of-month'],
    ['* * 1,,2 * * *', 'hour'],
    ['* * ? * * *', 'hour'],
    ['H * * * * *', 'second'],
    ['*/0 * * * * *', 'second'],
    ['*/61 * * * * *', 'second'],
    ['* */ * * * *', 'minute'],
    ['* * 5-2 * * *', 'hour'],
    ['1.5 * * * * *', 'second'],
    ['-1 * * * * *', 'second'],
    ['0 0 0 30 FEB *', 'never name the same day'],
    ['0 0 0 31 4,6 ?', 'never name the same day'],
    [`0 0 0 ${'1,'.repeat(300)}1 * *`, 'characters at most'],
  ])('is refused as %j with the field that is wrong', (text, part) => {
    const refusal = refusalOf(text);
    expect(refusal).toContain(part);
    expect(refusal).toContain('cron expression');
    expect(refusal).toContain('cronSchedules[1].cronExpression');
  });

  it.each([
    ['0 0 12 * * *'],
    ['  0   0 12 * *  ? '],
    ['0 0 12 ? * mon-fri'],
    ['0 0/5 14,18 * * ?'],
    ['0 0 0 L,15,1W * *'],
    ['0 0 0 ? JAN,jul FRIL,MON#1,3'],
    ['0 0 0 29 2 ?'],
    ['@Daily'],
    ['@midnight'],
    ['@annually'],
  ])('is accepted as %j', (text) => {
    expect(refusalOf(text)).toBe('accepted');
  });

  it.each([
    ['*/2', 'MON,WED,FRI,SUN'],
    ['*/3', 'MON,THU,SUN'],
    ['*/7', 'MON'],
    ['0/2', 'SUN,TUE,THU,SAT'],
    ['SUN/2', 'SUN'],
    ['7/2', 'SUN'],
    ['FRI/2', 'FRI,SUN'],
    ['MON-FRI,FRI,1', 'MON,TUE,WED,THU,FRI'],
  ])('names with %j the days %s', (days, list) => {
    const of = (field: string): unknown => parseCron(`0 0 0 ? * ${field}`, 'x').dayOfWeek;
    expect(of(days)).toEqual(of(list));
  });

  it('may name a value twice', () => {
    expect(parseCron('0 0 9,8-10,9 * * *', 'x').hours).toEqual([8, 9, 10]);
  });
});
