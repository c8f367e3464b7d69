import { expect, it } from 'vitest';
import { retentionMs } from '../../src/model/retention.js';

const rules = {
  seconds: 1,
  byStatus: new Map([['FAILED', 2]]),
  byDefinition: new Map([
    ['order', 3],
    ['order/FAILED', 4],
  ]),
};

it.each([
  ['other', {}, 'COMPLETED', 1],
  ['other', {}, 'FAILED', 2],
  ['order', {}, 'COMPLETED', 3],
  ['order', {}, 'FAILED', 4],
  ['order', { retentionSeconds: 5 }, 'FAILED', 5],
  ['order', { retentionSeconds: { FAILED: 6 } }, 'FAILED', 6],
  ['order', { retentionSeconds: { FAILED: 6 } }, 'COMPLETED', 3],
  // A definition that was stored before the rule.
  ['order', { retentionSeconds: 'a week' }, 'COMPLETED', 3],
  ['order', { retentionSeconds: { COMPLETED: -1 } }, 'COMPLETED', 3],
] as const)('%s with metadata %j keeps %s executions for %d s', (name, metadata, status, kept) => {
  expect(retentionMs(rules, { name, metadata }, status)).toBe(kept * 1000);
});
