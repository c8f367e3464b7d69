-- give-back: puts leased members back to ready at their old place: those whose delivery failed, and
-- provisional leases that have ended. Returns full leases that have ended; they stay, and are
-- returned again later, until they are finished. Atomic because a lease that has been confirmed or
-- has gone on must not be touched (invariants M7).
--
-- KEYS[1]  state of the type (hash)
-- KEYS[2]  ready members (zset)
-- KEYS[3]  leases (hash)
-- KEYS[4]  lease ends (zset)
-- KEYS[5]  limits of waiting members (hash)
-- KEYS     from 6 on two per definition of ARGV[4]: slots (zset), rate (zset)
-- ARGV[1]  offset of test time, ms
-- ARGV[2]  MessagePack list of {member, lease number} whose delivery failed
-- ARGV[3]  how many ended leases to look at
-- ARGV[4]  MessagePack list of the names of definitions with limits that the caller knows
-- ARGV[5]  ms after which an ended full lease is returned again
-- Reply    {members of ended full leases, epoch ms of the next lease end (0 = none), names of
--          definitions that it must know besides}
-- Cost     O(leases); the caller sends and asks for at most 500
local stateKey = KEYS[1]
local ready = KEYS[2]
local leases = KEYS[3]
local leaseEnds = KEYS[4]
local waitingLimits = KEYS[5]
local offsetMs = tonumber(ARGV[1])
local packedFailed = ARGV[2]
local endedMax = tonumber(ARGV[3])
local packedNames = ARGV[4]
local againMs = tonumber(ARGV[5])

--@include lib/queue.lua

local now = readState(stateKey).now
local definitionKeys = {}
for index, name in ipairs(cmsgpack.unpack(packedNames)) do definitionKeys[name] = 4 + 2 * index end
local keys = KEYS
local unknown = {}

local function putBack(member, lease)
  local limits = lease[4]
  if limits then
    local name = definitionOf(limits)
    local slots = definitionKeys[name]
    if not slots then
      unknown[#unknown + 1] = name
      return
    end
    call('ZREM', keys[slots], member)
    -- A delivery that failed is no hand-out.
    call('ZREM', keys[slots + 1], member .. '#' .. lease[2])
    call('HSET', waitingLimits, member, limits)
  end
  call('HDEL', leases, member)
  call('ZREM', leaseEnds, member)
  call('ZADD', ready, lease[9], member)
end

for _, failed in ipairs(cmsgpack.unpack(packedFailed)) do
  local lease = leaseOf(call('HGET', leases, failed[1]))
  if lease and lease[2] == failed[2] then putBack(failed[1], lease) end
end

local ended = {}
if endedMax > 0 then
  for _, member in ipairs(call('ZRANGEBYSCORE', leaseEnds, '-inf', now, 'LIMIT', 0, endedMax)) do
    local lease = leaseOf(call('HGET', leases, member))
    if not lease then
      call('ZREM', leaseEnds, member)
    elseif lease[3] == 0 then
      putBack(member, lease)
    else
      ended[#ended + 1] = member
      call('ZADD', leaseEnds, now + againMs, member)
    end
  end
end
local nextEnd = call('ZRANGE', leaseEnds, 0, 0, 'WITHSCORES')[2]
return { ended, tonumber(nextEnd or 0), unknown }
