-- Common parts of the scripts that touch queues. They rely on the local `offsetMs`, which each
-- script names before it includes this.
--
-- Order numbers: store time since 2025 in ms, times 128, raised by one where several fall into the
-- same millisecond. So they rise strictly (first in, first out), and their upper bits are the
-- highest store time seen (invariants M11). Score of a ready member: urgency class (1 to 99, then
-- 100 for priority 0) times 2^46, plus order number; below 2^53. Score of a hidden member: moment
-- in ms times 128, plus class. Lease record: {format, number, 1 if full or 0 if provisional, limits
-- or false, worker or false, first start, poll count, end in epoch ms (0 = none), score of the
-- ready member}. Limits: packed {definition name, concurrent, per window, window in s}.
local call = redis.call
local floor = math.floor
local classStep = 70368744177664
local perMs = 128
local timeBase = 1735689600000
local endless = 9007199254740991

local time = call('TIME')
local clock = time[1] * 1000 + floor(time[2] / 1000) + offsetMs

-- Store time, and the newest order and lease numbers of a type. Lease numbers follow store time in
-- us, so that those which nodes draw for their grants and those drawn here rise together.
local function readState(key)
  local stored = call('HMGET', key, 'c', 'n')
  local order = tonumber(stored[1]) or 0
  local now = math.max(clock, floor(order / perMs) + timeBase)
  return {
    key = key,
    now = now,
    order = math.max(order, (now - timeBase) * perMs),
    lease = math.max(tonumber(stored[2]) or 0, now * 1000),
  }
end

local function saveState(state)
  local order, lease = string.format('%.0f', state.order), string.format('%.0f', state.lease)
  call('HSET', state.key, 'c', order, 'n', lease)
end

-- Takes the next order number.
local function readyScore(state, class)
  state.order = state.order + 1
  return class * classStep + state.order
end

local function leaseOf(packed)
  return packed and cmsgpack.unpack(packed)
end

local function definitionOf(limits)
  return cmsgpack.unpack(limits)[1]
end
