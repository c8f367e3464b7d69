import { describe, expect, it } from 'vitest';
import { describeStoreTrouble } from '../../src/placement/store-trouble.js';

const heard = { sinceRenewalMs: 0, waitingMs: 0 };

describe('what is wrong with the store', () => {
  it.each([
    ['The store refused: READONLY You cannot write', /replica/],
    ['The store refused: OOM command not allowed', /memory limit/],
    ['The store refused: LOADING Redis is loading', /loading/],
    ['The store refused: BUSY Redis is busy', /script/],
    ['The store refused: MISCONF Redis is configured', /disk/],
    ["The store refused: Stream isn't writeable", /no connection to Redis/],
    ['something else', /something else/],
  ])('%s', (failure, sentence) => {
    expect(describeStoreTrouble(failure, heard)).toMatch(sentence);
  });

  it('tells for how long nothing has been heard', () => {
    const silence = { sinceRenewalMs: 3_049, waitingMs: 2_049 };
    expect(describeStoreTrouble('', silence)).toBe('Redis has not answered for 2 s');
    expect(describeStoreTrouble('', { ...silence, waitingMs: 0 })).toBe(
      'This node has not renewed its lease for 3 s',
    );
  });
});
