// The first line of an answer says its status in the words of HTTP, whichever listener serves it.
import { STATUS_CODES } from 'node:http';
import { expect, it } from 'vitest';
import { statusLine } from '../../src/api/http-limits.js';

it.each([200, 204, 302, 308, 404, 413, 503])('%i is named as HTTP names it', (status) => {
  const ours = status === 413 ? 'Content Too Large' : STATUS_CODES[status];
  expect(statusLine(status)).toBe(`${status} ${ours}`);
});
