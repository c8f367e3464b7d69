-- set-owner: gives a shard a new owner, or none, if its owner record is still the expected one. The
-- record of a shard that was given back stays, because epochs go on from it. Atomic because two
-- nodes may decide at the same time that the record may be taken, and a former owner must not free
-- what another one has taken (invariants M1).
--
-- KEYS[1]  state of the partition (hash)
-- ARGV[1]  shard
-- ARGV[2]  fence text that is expected, '' = none
-- ARGV[3]  new fence text
-- ARGV[4]  packed node id and boot id, '' = no owner
-- Reply    1 done, 0 the record is another one
-- Cost     O(1)
local state = KEYS[1]
local shard = ARGV[1]
local expected = ARGV[2]
local fence = ARGV[3]
local node = ARGV[4]

if (redis.call('HGET', state, shard) or '') ~= expected then return 0 end
redis.call('HSET', state, shard, fence, shard .. 'n', node)
return 1
