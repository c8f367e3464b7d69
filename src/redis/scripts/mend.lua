-- mend: changes derived entries (indexes, timers, marks, leases, slots) if what they were derived
-- from has not moved since it was read. Atomic because the owner of an execution writes the same
-- entries in its commits: a repair of an older state must not overwrite a newer one (invariants
-- M2).
--
-- KEYS[1]  what the entries are derived from: an execution (hash, string when finished), or a hash
-- KEYS     from 2 on the keys that change, in the same slot (zset, hash)
-- ARGV[1]  '' when KEYS[1] is an execution, else the field of the hash that is compared
-- ARGV[2]  what it must be: the execution's head or the field's value; '' = nothing is there
-- ARGV[3]  MessagePack list of commands: {name, position among the keys that change, arguments ...}
-- Reply    1 when the commands were carried out, 0 when something has moved
-- Cost     O(commands); the caller sends at most ten
local basis = KEYS[1]
local field = ARGV[1]
local expected = ARGV[2]
local packedCommands = ARGV[3]

-- A finished execution is a string that begins with its head.
local function headOf(key)
  local head = redis.pcall('HGET', key, 'h')
  if type(head) ~= 'table' then return head or '' end
  local _, first = cmsgpack.unpack_one(redis.call('GETRANGE', key, 0, 63))
  return first
end

local stored = field == '' and headOf(basis) or field ~= '' and redis.call('HGET', basis, field) or ''
if stored ~= expected then return 0 end
local keys = KEYS
for _, command in ipairs(cmsgpack.unpack(packedCommands)) do
  command[2] = keys[1 + command[2]]
  redis.call(unpack(command))
end
return 1
