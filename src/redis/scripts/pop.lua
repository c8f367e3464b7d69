-- pop: gives visible members a provisional lease, in order, within the limits of their definitions.
-- Atomic because two nodes must never get the same member, and limits are counted over the leases
-- that it sets (invariants M7, M10).
--
-- KEYS[1]  state of the type (hash)
-- KEYS[2]  ready members (zset)
-- KEYS[3]  hidden members (zset)
-- KEYS[4]  leases (hash)
-- KEYS[5]  lease ends (zset)
-- KEYS[6]  limits of waiting members (hash)
-- KEYS     from 7 on two per definition of ARGV[4]: slots (zset), rate (zset)
-- ARGV[1]  offset of test time, ms
-- ARGV[2]  how many at most (1 to 500)
-- ARGV[3]  length of the provisional lease, ms
-- ARGV[4]  MessagePack list of the names of definitions with limits that the caller knows
-- Reply    {member and lease number in turn, 1 if members are still ready, epoch ms when a hidden
--          one becomes visible, a rate window opens or the lease in a slot ends (0 = none), '' or
--          'concurrency' or 'rate', names of definitions that it must know besides}
-- Cost     O(count) members; with limits it looks at 200 members more, and due hidden ones are
--          moved 100 at a time
local stateKey = KEYS[1]
local ready = KEYS[2]
local hidden = KEYS[3]
local leases = KEYS[4]
local leaseEnds = KEYS[5]
local waitingLimits = KEYS[6]
local offsetMs = tonumber(ARGV[1])
local count = tonumber(ARGV[2])
local leaseMs = tonumber(ARGV[3])
local packedNames = ARGV[4]

--@include lib/queue.lua

local state = readState(stateKey)
local now = state.now
local moveMax = 100
local lookAhead = 200
local chunk = 50
local keys = KEYS

local due = call('ZRANGEBYSCORE', hidden, '-inf', (now + 1) * perMs - 1, 'WITHSCORES', 'LIMIT', 0, moveMax)
for index = 1, #due, 2 do
  local member, class = due[index], tonumber(due[index + 1]) % perMs
  call('ZREM', hidden, member)
  call('ZADD', ready, readyScore(state, class), member)
end

local endAt = now + leaseMs
local taken, newLeases, newEnds = {}, {}, {}
local function take(member, score, limits)
  state.lease = state.lease + 1
  taken[#taken + 1] = member
  taken[#taken + 1] = state.lease
  newLeases[#newLeases + 1] = member
  newLeases[#newLeases + 1] = cmsgpack.pack({ 1, state.lease, 0, limits, false, 0, 0, endAt, score })
  newEnds[#newEnds + 1] = endAt
  newEnds[#newEnds + 1] = member
end

local blockedBy, opensAt = '', 0
local unknown = {}
if call('EXISTS', waitingLimits) == 0 then
  local popped = call('ZPOPMIN', ready, count)
  for index = 1, #popped, 2 do take(popped[index], tonumber(popped[index + 1]), false) end
else
  local definitionKeys, rooms = {}, {}
  for index, name in ipairs(cmsgpack.unpack(packedNames)) do definitionKeys[name] = 5 + 2 * index end

  -- The free part of a definition's limits: hand-outs, and the reason why there are none.
  local function roomOf(limits)
    local name, concurrent, perWindow, windowSeconds = limits[1], limits[2], limits[3], limits[4]
    local room = rooms[name]
    if room then return room end
    room = { slots = keys[definitionKeys[name]], rate = keys[definitionKeys[name] + 1], left = endless }
    rooms[name] = room
    if concurrent > 0 then
      call('ZREMRANGEBYSCORE', room.slots, '-inf', now)
      room.left = concurrent - call('ZCARD', room.slots)
      room.reason = 'concurrency'
    end
    if perWindow > 0 and windowSeconds > 0 then
      local windowMs = windowSeconds * 1000
      call('ZREMRANGEBYSCORE', room.rate, '-inf', now - windowMs)
      local left = perWindow - call('ZCARD', room.rate)
      room.counted = true
      if left < room.left then
        room.left = left
        room.reason = 'rate'
      end
    end
    return room
  end

  local function takeLimited(member, score, packed)
    local limits = cmsgpack.unpack(packed)
    local name = limits[1]
    if not definitionKeys[name] then
      unknown[#unknown + 1] = name
      return
    end
    local room = roomOf(limits)
    if room.left <= 0 then
      if blockedBy ~= 'concurrency' then blockedBy = room.reason end
      if not room.opensAt then
        if room.reason == 'rate' then
          local oldest = call('ZRANGE', room.rate, -limits[3], -limits[3], 'WITHSCORES')[2]
          room.opensAt = tonumber(oldest) + limits[4] * 1000 + 1
        else
          -- A slot opens by itself when its lease ends, at whichever node.
          room.opensAt = tonumber(call('ZRANGE', room.slots, 0, 0, 'WITHSCORES')[2] or endless)
        end
        if room.opensAt < endless and (opensAt == 0 or room.opensAt < opensAt) then opensAt = room.opensAt end
      end
      return
    end
    room.left = room.left - 1
    call('ZREM', ready, member)
    call('HDEL', waitingLimits, member)
    take(member, score, packed)
    call('ZADD', room.slots, endAt, member)
    if room.counted then
      call('ZADD', room.rate, now, member .. '#' .. state.lease)
      call('PEXPIRE', room.rate, limits[4] * 1000 + 1000)
    end
  end

  local candidates = call('ZRANGE', ready, 0, count + lookAhead - 1, 'WITHSCORES')
  local wanted = 2 * count
  for first = 1, #candidates, 2 * chunk do
    if #taken >= wanted then break end
    local last = math.min(first + 2 * chunk - 1, #candidates)
    local members = {}
    for index = first, last, 2 do members[#members + 1] = candidates[index] end
    local limits = call('HMGET', waitingLimits, unpack(members))
    for position, member in ipairs(members) do
      if #taken >= wanted then break end
      local score = tonumber(candidates[first + 2 * position - 1])
      if limits[position] then
        takeLimited(member, score, limits[position])
      else
        call('ZREM', ready, member)
        take(member, score, false)
      end
    end
  end
end

for first = 1, #newLeases, 2 * chunk do
  local last = math.min(first + 2 * chunk - 1, #newLeases)
  call('HSET', leases, unpack(newLeases, first, last))
  call('ZADD', leaseEnds, unpack(newEnds, first, last))
end
if #taken > 0 or #due > 0 then saveState(state) end

local nextAt = opensAt
local firstHidden = call('ZRANGE', hidden, 0, 0, 'WITHSCORES')[2]
if firstHidden then
  local visibleAt = floor(tonumber(firstHidden) / perMs)
  if nextAt == 0 or visibleAt < nextAt then nextAt = visibleAt end
end
return { taken, call('EXISTS', ready), nextAt, blockedBy, unknown }
