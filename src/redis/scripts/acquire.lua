-- acquire: gives a shard a new owner if its owner record is still the one that the caller has
-- looked at. Atomic because two nodes may decide at the same time that the record may be taken
-- (invariants M1).
--
-- KEYS[1]  owner of the shard (hash)
-- ARGV[1]  fence text that the caller has seen, '' = none
-- ARGV[2]  new fence text
-- ARGV[3]  node id
-- ARGV[4]  boot id
-- Reply    1 taken, 0 somebody else was first
-- Cost     O(1)
local owner = KEYS[1]
local seen = ARGV[1]
local fence = ARGV[2]
local node = ARGV[3]
local boot = ARGV[4]

if (redis.call('HGET', owner, 'f') or '') ~= seen then return 0 end
redis.call('HSET', owner, 'f', fence, 'node', node, 'boot', boot)
return 1
