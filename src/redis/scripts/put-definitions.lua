-- put-definitions: writes or removes registered definitions and raises the revision that nodes
-- follow. Atomic because the revision must rise with every change, and conditions are checked
-- against what is stored.
--
-- KEYS[1]  definitions of one kind (hash)
-- KEYS[2]  revision (string)
-- KEYS[3]  changes: the names and the fields that each revision changed (zset by revision), the last
--          500; those of earlier versions have no fields
-- ARGV[1]  condition: 'any', or a revision, as decimal digits, after which none of the names of
--          ARGV[5] may have changed
-- ARGV[2]  MessagePack list of fields to write: name, value, ...
-- ARGV[3]  MessagePack list of fields to remove
-- ARGV[4]  MessagePack list of the names that this changes
-- ARGV[5]  MessagePack list of names, for a revision as the condition
-- Reply    new revision, 0 when the condition does not hold or cannot be told (a revision has no
--          entry in the changes), or when nothing was there to remove
-- Cost     O(fields), at most 200 from the caller, and O(changes after the revision)
local definitions = KEYS[1]
local revision = KEYS[2]
local changes = KEYS[3]
local condition = ARGV[1]
local packedFields = ARGV[2]
local packedRemoved = ARGV[3]
local packedTouched = ARGV[4]
local packedNames = ARGV[5]

local call = redis.call
local chunk = 64
local kept = 500
local fields = cmsgpack.unpack(packedFields)
local removed = cmsgpack.unpack(packedRemoved)

local function isUnchanged(since)
  local newest = tonumber(call('GET', revision) or 0)
  if newest == since then return true end
  if newest < since or newest - since > kept then return false end
  local entries = call('ZRANGEBYSCORE', changes, '(' .. since, '+inf')
  if #entries ~= newest - since then return false end
  local wanted = {}
  for _, name in ipairs(cmsgpack.unpack(packedNames)) do wanted[name] = true end
  for _, entry in ipairs(entries) do
    for _, name in ipairs(cmsgpack.unpack(entry)[2]) do
      if wanted[name] then return false end
    end
  end
  return true
end

local since = tonumber(condition)
if since and not isUnchanged(since) then return 0 end

local changed = #fields > 0
local touched = {}
for first = 1, #fields, 2 do touched[#touched + 1] = fields[first] end
for _, field in ipairs(removed) do touched[#touched + 1] = field end
for first = 1, #fields, chunk do
  call('HSET', definitions, unpack(fields, first, math.min(first + chunk - 1, #fields)))
end
for first = 1, #removed, chunk do
  if call('HDEL', definitions, unpack(removed, first, math.min(first + chunk - 1, #removed))) > 0 then
    changed = true
  end
end
if not changed then return 0 end
local newest = call('INCR', revision)
call(
  'ZADD', changes, newest, cmsgpack.pack({ newest, cmsgpack.unpack(packedTouched), touched })
)
call('ZREMRANGEBYRANK', changes, 0, -kept - 1)
return newest
