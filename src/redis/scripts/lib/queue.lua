-- Common parts of the queue scripts. They rely on the locals `state` (key of the type's state) and
-- `offsetMs`, which each script names before it includes this.
--
-- Order numbers: store time since 2025 in ms, times 128, raised by one where several fall into the
-- same millisecond. So they rise strictly (first in, first out), and their upper bits are the
-- highest store time seen (invariants M11). Score of a ready member: urgency class (1 to 99, then
-- 100 for priority 0) times 2^46, plus order number; below 2^53. Score of a hidden member: moment
-- in ms times 128, plus class. Lease record: {format, number, score of the ready member, 1 if full
-- or 0 if provisional, limits or false, worker or false, first start, poll count, end in epoch ms
-- (0 = none)}. Limits: packed {definition name, concurrent, per window, window in s}.
local call = redis.call
local floor = math.floor
local classStep = 70368744177664
local perMs = 128
local timeBase = 1735689600000
local endless = 9007199254740991

local time = call('TIME')
local now = time[1] * 1000 + floor(time[2] / 1000) + offsetMs
local stored = call('HMGET', state, 'c', 'n')
local order = tonumber(stored[1]) or 0
local leaseNumber = tonumber(stored[2]) or 0
now = math.max(now, floor(order / perMs) + timeBase)
order = math.max(order, (now - timeBase) * perMs)

local function readyScore(class)
  order = order + 1
  return class * classStep + order
end

local function classOf(score)
  return floor(score / classStep)
end

local function saveState()
  call('HSET', state, 'c', string.format('%.0f', order), 'n', string.format('%.0f', leaseNumber))
end

local function leaseOf(packed)
  return packed and cmsgpack.unpack(packed)
end

local function definitionOf(limits)
  return cmsgpack.unpack(limits)[1]
end
