-- release: gives a shard back, so that another node may take it at once. The record stays, because
-- epochs must go on from it. Atomic because a former owner must not free what another one has taken
-- (invariants M1).
--
-- KEYS[1]  state of the partition (hash)
-- ARGV[1]  shard
-- ARGV[2]  fence text of the owner
-- Reply    1 released, 0 it was not the owner
-- Cost     O(1)
local state = KEYS[1]
local shard = ARGV[1]
local fence = ARGV[2]

if redis.call('HGET', state, shard) ~= fence then return 0 end
-- The former fence is void as well: what its owner may still have under way is refused.
redis.call('HSET', state, shard, fence .. ':released', shard .. 'n', '')
return 1
