-- acquire: gives a shard a new owner if its owner record is still the one that the caller has read.
-- Atomic because two nodes may decide at the same time that the record may be taken (invariants
-- M1).
--
-- KEYS[1]  state of the partition (hash)
-- ARGV[1]  shard
-- ARGV[2]  fence text that the caller has seen, '' = none
-- ARGV[3]  new fence text
-- ARGV[4]  packed node id and boot id
-- Reply    1 taken, 0 somebody else was first
-- Cost     O(1)
local state = KEYS[1]
local shard = ARGV[1]
local seen = ARGV[2]
local fence = ARGV[3]
local node = ARGV[4]

if (redis.call('HGET', state, shard) or '') ~= seen then return 0 end
redis.call('HSET', state, shard, fence, shard .. 'n', node)
return 1
