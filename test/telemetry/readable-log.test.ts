// The log as a person at a terminal reads it.
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { readableLine } from '../../src/telemetry/readable-log.js';

const shown = (line: unknown): string =>
  stripVTControlCharacters(readableLine(`${JSON.stringify(line)}\n`));

it('shows time, level and sentence, and the fields that say more', () => {
  const time = new Date(2026, 10, 23, 7, 8, 9, 45).getTime();
  const line = {
    level: 40,
    time,
    pid: 1,
    hostname: 'h',
    port: 8080,
    msg: 'it is late',
    queue: 'q',
  };
  expect(shown(line)).toBe('[07:08:09.045] WARN: it is late\n    queue: "q"\n');
});

it('shows the stack of an error', () => {
  const err = { type: 'Error', message: 'no', stack: 'Error: no\n    at a.js:1' };
  expect(shown({ level: 50, time: 0, msg: 'failed', err })).toMatch(
    /ERROR: failed\n {4}Error: no\n {8}at a\.js:1\n$/,
  );
});

it('leaves what is no line of the log as it is', () => {
  expect(readableLine('plain\n')).toBe('plain\n');
});
