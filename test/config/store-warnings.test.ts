import { expect, it } from 'vitest';
import { storeWarnings } from '../../src/redis/store-warnings.js';

const own = { redisUrl: '', appendFsync: 'always' };
const given = { redisUrl: 'redis://somewhere', appendFsync: 'always' };
const full = { usage: { limitBytes: 1024 ** 3 } };

it.each([
  ['D0', given, []],
  ['D1; confirmed by 1 replica', given, []],
  ['below D0: appendfsync everysec', given, [/keeps less than an answer promises/]],
  ['none: the store keeps no append-only file', given, [/appendonly yes/]],
  ['below D0: appendfsync everysec', { ...own, appendFsync: 'everysec' }, []],
  ['below D0: appendfsync everysec', own, [/keeps less/]],
])('a store at level %s with %j is warned of as %j', (durability, settings, warnings) => {
  const said = storeWarnings(settings, { durability, memory: full });
  expect(said).toEqual(warnings.map((text) => expect.stringMatching(text)));
});

it('a store without a memory limit is warned of, with what to set', () => {
  const memory = { usage: { limitBytes: 0 } };
  expect(storeWarnings(given, { durability: 'D0', memory })).toEqual([
    expect.stringMatching(/no memory limit.*set maxmemory there/),
  ]);
  expect(storeWarnings(own, { durability: 'D0', memory })).toEqual([
    expect.stringMatching(/--redis-memory-bytes/),
  ]);
});
