-- finish: removes attempts that are no longer wanted, wherever they are; frees the slot of the
-- lease that they hold. Atomic because the attempt moves between the places that it is removed
-- from.
--
-- KEYS[1]  ready members (zset)
-- KEYS[2]  hidden members (zset)
-- KEYS[3]  leases (hash)
-- KEYS[4]  lease ends (zset)
-- KEYS[5]  limits of waiting members (hash)
-- KEYS     from 6 on two per definition of ARGV[2]: slots (zset), rate (zset)
-- ARGV[1]  MessagePack list of members
-- ARGV[2]  MessagePack list of the names of definitions with limits that the caller knows
-- Reply    names of definitions that it must know besides; then nothing was done
-- Cost     O(members); the caller sends at most 500
local ready = KEYS[1]
local hidden = KEYS[2]
local leases = KEYS[3]
local leaseEnds = KEYS[4]
local waitingLimits = KEYS[5]
local packedMembers = ARGV[1]
local packedNames = ARGV[2]

local call = redis.call
local chunk = 64
local keys = KEYS
local definitionKeys = {}
for index, name in ipairs(cmsgpack.unpack(packedNames)) do definitionKeys[name] = 4 + 2 * index end

local members = cmsgpack.unpack(packedMembers)
local slots, unknown = {}, {}
for first = 1, #members, chunk do
  local last = math.min(first + chunk - 1, #members)
  for position, packed in ipairs(call('HMGET', leases, unpack(members, first, last))) do
    local limits = packed and cmsgpack.unpack(packed)[4]
    if limits then
      local name = cmsgpack.unpack(limits)[1]
      if definitionKeys[name] then
        slots[#slots + 1] = { keys[definitionKeys[name]], members[first + position - 1] }
      else
        unknown[#unknown + 1] = name
      end
    end
  end
end
if #unknown > 0 then return unknown end

for _, slot in ipairs(slots) do call('ZREM', slot[1], slot[2]) end
for first = 1, #members, chunk do
  local last = math.min(first + chunk - 1, #members)
  call('ZREM', ready, unpack(members, first, last))
  call('ZREM', hidden, unpack(members, first, last))
  call('HDEL', leases, unpack(members, first, last))
  call('ZREM', leaseEnds, unpack(members, first, last))
  call('HDEL', waitingLimits, unpack(members, first, last))
end
return unknown
