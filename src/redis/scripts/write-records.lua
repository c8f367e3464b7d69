-- write-records: writes or removes administrative records, all or none, and raises the revision that
-- nodes follow. Atomic because conditions are checked against what is stored, and every change needs
-- a revision of its own.
--
-- KEYS[1]  revisions (hash: kind to its newest revision, '' to the newest of all)
-- KEYS     from 2 on two per kind: records (hash), changes (zset of ids by revision)
-- ARGV[1]  MessagePack list of kinds, in the order of KEYS
-- ARGV[2]  MessagePack list of writes: {number of the kind, id, text or false to remove it,
--          condition: 'any', 'absent', 'present' or the record's revision}
-- ARGV[3]  revision after which certain records of the first kind must not have changed, decimal
--          digits; '': there are none
-- ARGV[4]  how the ids of those records end
-- Reply    {1, new revision}, or {0, position of the first write whose condition does not hold, -1
--          when one of those records has changed, or more than 1000 of the kind}
-- Cost     O(writes log records), at most 1000 from the caller, and O(changes after ARGV[3])
local revisions = KEYS[1]
local packedKinds = ARGV[1]
local packedWrites = ARGV[2]
local since = ARGV[3]
local idEnd = ARGV[4]

local keys = KEYS
local call = redis.call
local kinds = cmsgpack.unpack(packedKinds)
local writes = cmsgpack.unpack(packedWrites)

local function holds(condition, records, changes, id)
  if condition == 'any' then return true end
  local exists = call('HEXISTS', records, id) == 1
  if condition == 'absent' then return not exists end
  if condition == 'present' then return exists end
  return exists and tonumber(call('ZSCORE', changes, id)) == condition
end

local function isUnchanged(changes)
  local most = 1000
  local ids = call('ZRANGEBYSCORE', changes, '(' .. since, '+inf', 'LIMIT', 0, most + 1)
  if #ids > most then return false end
  for _, id in ipairs(ids) do
    if id:sub(-#idEnd) == idEnd then return false end
  end
  return true
end

if since ~= '' and not isUnchanged(keys[3]) then return { 0, -1 } end
for position, write in ipairs(writes) do
  local first = 2 * write[1]
  if not holds(write[4], keys[first], keys[first + 1], write[2]) then return { 0, position - 1 } end
end

local revision = call('HINCRBY', revisions, '', 1)
for _, write in ipairs(writes) do
  local first = 2 * write[1]
  local id, text = write[2], write[3]
  if text then call('HSET', keys[first], id, text) else call('HDEL', keys[first], id) end
  call('ZADD', keys[first + 1], revision, id)
end
for _, kind in ipairs(kinds) do call('HSET', revisions, kind, revision) end
return { 1, revision }
