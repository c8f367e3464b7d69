-- clear-dirty: strikes executions off the dirty set of their shard.
-- Atomic because a former owner must not strike off what the new one has set (invariants M1).
--
-- KEYS[1]  owner of the shard (hash)
-- KEYS[2]  dirty set of the shard (set)
-- ARGV[1]  fence text
-- ARGV[2]  MessagePack list of execution ids
-- Reply    1 done, 0 stale owner
-- Cost     O(ids); the caller sends at most 1000
local owner = KEYS[1]
local dirty = KEYS[2]
local fence = ARGV[1]
local packedIds = ARGV[2]

local ids = cmsgpack.unpack(packedIds)
local chunk = 64

if redis.call('HGET', owner, 'f') ~= fence then return 0 end

for first = 1, #ids, chunk do
  redis.call('SREM', dirty, unpack(ids, first, math.min(first + chunk - 1, #ids)))
end
return 1
