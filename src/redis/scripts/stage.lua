-- stage: writes fields of a large commit ahead into a segment that is not current yet.
-- Atomic because a former owner must not write (invariants M1).
--
-- KEYS[1]  state of the partition (hash)
-- KEYS[2]  segment of an execution (hash)
-- ARGV[1]  shard
-- ARGV[2]  fence text
-- ARGV[3]  life of the segment until a commit makes it current, ms
-- ARGV[4]  MessagePack list of fields: name, value, ...
-- Reply    1 written, 0 stale owner
-- Cost     O(fields); the caller bounds a call to 128 KB or one field
local state = KEYS[1]
local segment = KEYS[2]
local shard = ARGV[1]
local fence = ARGV[2]
local lifeMs = ARGV[3]
local packedFields = ARGV[4]

local fields = cmsgpack.unpack(packedFields)
local chunk = 64

if redis.call('HGET', state, shard) ~= fence then return 0 end

for first = 1, #fields, chunk do
  redis.call('HSET', segment, unpack(fields, first, math.min(first + chunk - 1, #fields)))
end
redis.call('PEXPIRE', segment, lifeMs)
return 1
