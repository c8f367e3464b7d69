-- confirm: sets provisional leases to their full length after the owner's claim, or sets the end of
-- a current lease anew. Atomic because a lease that has gone back or on to somebody else must not
-- be touched (invariants M7).
--
-- KEYS[1]  leases (hash)
-- KEYS[2]  lease ends (zset)
-- KEYS     from 3 on two per definition of ARGV[3]: slots (zset), rate (zset)
-- ARGV[1]  offset of test time, ms
-- ARGV[2]  MessagePack list of {member, lease number or 0 for the current one, end in epoch ms (0 =
--          none), and to confirm: worker or false, first start, poll count}
-- ARGV[3]  MessagePack list of the names of definitions with limits that the caller knows
-- Reply    {1 or 0 per lease: whether it was set, names of definitions that it must know besides;
--          then the call is to be repeated}
-- Cost     O(leases); the caller sends at most 500
local leases = KEYS[1]
local leaseEnds = KEYS[2]
local offsetMs = tonumber(ARGV[1])
local packedLeases = ARGV[2]
local packedNames = ARGV[3]

--@include lib/queue.lua

local definitionKeys = {}
for index, name in ipairs(cmsgpack.unpack(packedNames)) do definitionKeys[name] = 1 + 2 * index end
local keys = KEYS
local unknown = {}
local set = {}

for position, wanted in ipairs(cmsgpack.unpack(packedLeases)) do
  set[position] = 0
  local member, number, endAt, worker = wanted[1], wanted[2], wanted[3], wanted[4]
  local lease = leaseOf(call('HGET', leases, member))
  local name = lease and lease[4] and definitionOf(lease[4])
  if lease and (number == 0 or lease[2] == number) then
    if name and not definitionKeys[name] then
      unknown[#unknown + 1] = name
    else
      lease[3], lease[8] = 1, endAt
      if worker ~= nil then lease[5], lease[6], lease[7] = worker, wanted[5], wanted[6] end
      call('HSET', leases, member, cmsgpack.pack(lease))
      if endAt == 0 then call('ZREM', leaseEnds, member) else call('ZADD', leaseEnds, endAt, member) end
      if name then
        call('ZADD', keys[definitionKeys[name]], endAt == 0 and endless or endAt, member)
      end
      set[position] = 1
    end
  end
end
return { set, unknown }
