-- push: adds attempts that are absent to a queue; moves those that their worker gave back or that
-- get another visibility. Atomic because an attempt must never stand in two places (invariants M8,
-- M9).
--
-- KEYS[1]  state of the type (hash)
-- KEYS[2]  ready members (zset)
-- KEYS[3]  hidden members (zset)
-- KEYS[4]  leases (hash)
-- KEYS[5]  lease ends (zset)
-- KEYS[6]  limits of waiting members (hash)
-- KEYS     from 7 on two per definition of ARGV[3]: slots (zset), rate (zset)
-- ARGV[1]  offset of test time, ms
-- ARGV[2]  MessagePack list of pushes: {member, class, visible at in epoch ms or 0, limits or
--          false, polls after which it was given back or 0}
-- ARGV[3]  MessagePack list of the names of definitions with limits that the caller knows
-- Reply    names of definitions that it must know besides; their pushes are to be sent again
-- Cost     O(pushes); the caller sends at most 500
local stateKey = KEYS[1]
local ready = KEYS[2]
local hidden = KEYS[3]
local leases = KEYS[4]
local leaseEnds = KEYS[5]
local waitingLimits = KEYS[6]
local offsetMs = tonumber(ARGV[1])
local packedPushes = ARGV[2]
local packedNames = ARGV[3]

--@include lib/queue.lua

local state = readState(stateKey)
local definitionKeys = {}
for index, name in ipairs(cmsgpack.unpack(packedNames)) do definitionKeys[name] = 5 + 2 * index end
local keys = KEYS
local unknown = {}

-- Whether the member may be placed; ends the lease that its worker gives back. A push may come again
-- when the member has gone on to somebody else: that lease counts more polls.
local function isFree(member, givenBackAtPoll)
  local lease = leaseOf(call('HGET', leases, member))
  if not lease then return true end
  if givenBackAtPoll == 0 or lease[7] > givenBackAtPoll then return false end
  if lease[4] then
    local name = definitionOf(lease[4])
    if not definitionKeys[name] then
      unknown[#unknown + 1] = name
      return false
    end
    call('ZREM', keys[definitionKeys[name]], member)
  end
  call('HDEL', leases, member)
  call('ZREM', leaseEnds, member)
  return true
end

local ordered = false
for _, push in ipairs(cmsgpack.unpack(packedPushes)) do
  local member, class, visibleAt, limits = push[1], push[2], push[3], push[4]
  if isFree(member, push[5]) and not call('ZSCORE', ready, member) then
    if visibleAt > state.now then
      call('ZADD', hidden, visibleAt * perMs + class, member)
    else
      call('ZREM', hidden, member)
      call('ZADD', ready, readyScore(state, class), member)
      ordered = true
    end
    if limits then call('HSET', waitingLimits, member, limits) end
  end
end
if ordered then saveState(state) end
return unknown
