-- clear-dirty: removes executions of a shard from the dirty set of their partition. Atomic because
-- a former owner must not remove what the new one has set (invariants M1).
--
-- KEYS[1]  state of the partition (hash)
-- KEYS[2]  dirty set of the partition (zset)
-- ARGV[1]  shard
-- ARGV[2]  fence text
-- ARGV[3]  MessagePack list of short execution ids
-- Reply    1 done, 0 stale owner
-- Cost     O(ids); the caller sends at most 1000
local state = KEYS[1]
local dirty = KEYS[2]
local shard = ARGV[1]
local fence = ARGV[2]
local packedIds = ARGV[3]

local ids = cmsgpack.unpack(packedIds)
local chunk = 64

if redis.call('HGET', state, shard) ~= fence then return 0 end

for first = 1, #ids, chunk do
  redis.call('ZREM', dirty, unpack(ids, first, math.min(first + chunk - 1, #ids)))
end
return 1
