import { describe, expect, it } from 'vitest';
import { describeStoreTrouble } from '../../src/placement/store-trouble.js';

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
    expect(describeStoreTrouble(failure, 0)).toMatch(sentence);
  });

  it('tells for how long nothing has been heard', () => {
    expect(describeStoreTrouble('', 3_049)).toBe('Redis has not answered for 3 s');
  });
});
