-- put-definitions: writes or removes registered definitions and raises the revision that nodes
-- follow. Atomic because the revision must rise with every change, and conditions are checked
-- against what is stored.
--
-- KEYS[1]  definitions of one kind (hash)
-- KEYS[2]  revision (string)
-- ARGV[1]  condition: 'any'; of the first field 'absent' or 'present'; or the revision that must be
--          the newest one, as decimal digits
-- ARGV[2]  MessagePack list of fields to write: name, value, ...
-- ARGV[3]  MessagePack list of fields to remove
-- Reply    new revision, 0 when the condition does not hold or nothing was there to remove
-- Cost     O(fields); the caller sends at most 200
local definitions = KEYS[1]
local revision = KEYS[2]
local condition = ARGV[1]
local packedFields = ARGV[2]
local packedRemoved = ARGV[3]

local call = redis.call
local chunk = 64
local fields = cmsgpack.unpack(packedFields)
local removed = cmsgpack.unpack(packedRemoved)

local expected = tonumber(condition)
if expected then
  if tonumber(call('GET', revision) or 0) ~= expected then return 0 end
elseif condition ~= 'any' then
  local exists = call('HEXISTS', definitions, fields[1]) == 1
  if exists ~= (condition == 'present') then return 0 end
end

local changed = #fields > 0
for first = 1, #fields, chunk do
  call('HSET', definitions, unpack(fields, first, math.min(first + chunk - 1, #fields)))
end
for first = 1, #removed, chunk do
  if call('HDEL', definitions, unpack(removed, first, math.min(first + chunk - 1, #removed))) > 0 then
    changed = true
  end
end
if not changed then return 0 end
return call('INCR', revision)
