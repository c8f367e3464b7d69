import { expect, it } from 'vitest';
import { SummedLog } from '../../src/telemetry/summed-log.js';

it('logs the first of a flood at once and counts the others', () => {
  const lines: unknown[] = [];
  let now = 0;
  const log = { warn: (fields: object, message: string) => void lines.push([message, fields]) };
  const summed = new SummedLog({ log, monotonic: () => now }, 'a flood');
  for (let i = 0; i < 1000; i++) summed.warn({ i });
  now = 10_000;
  summed.warn({ i: 1000 });
  expect(lines).toEqual([
    ['a flood', { i: 0 }],
    ['a flood', { i: 1000, more: 999 }],
  ]);
});
