-- stage: writes fields of a large commit ahead into a segment that is not current yet.
-- Atomic because a former owner must not write (invariants M1).
--
-- KEYS[1]  owner of the shard (hash)
-- KEYS[2]  segment of an execution (hash)
-- ARGV[1]  fence text
-- ARGV[2]  life of the segment until a commit makes it current, ms
-- ARGV[3]  MessagePack list of fields: name, value, ...
-- Reply    1 written, 0 stale owner
-- Cost     O(fields); the caller bounds a call to 128 KB or one field
local owner = KEYS[1]
local segment = KEYS[2]
local fence = ARGV[1]
local lifeMs = ARGV[2]
local packedFields = ARGV[3]

local fields = cmsgpack.unpack(packedFields)
local chunk = 64

if redis.call('HGET', owner, 'f') ~= fence then return 0 end

for first = 1, #fields, chunk do
  redis.call('HSET', segment, unpack(fields, first, math.min(first + chunk - 1, #fields)))
end
redis.call('PEXPIRE', segment, lifeMs)
return 1
