-- sweep-expired: clears away what finished executions leave behind when they expire: the record
-- itself, index entries, the count of their snapshot. An execution that was started again under the
-- same id (an idempotency key whose record has ended) stays. Atomic because an execution may be
-- reopened by its owner at the same time, and a former owner must not touch it.
--
-- KEYS     owner (hash), expiry (zset) and snapshot references (hash) of the shard, then per entry
--          in a row: execution (hash),
--          its name and status (zset), its status (zset), snapshot (string), correlated (zset; the
--          first zset again when there
--          is no correlation id), then its segments (hash)
-- ARGV[1]  fence text
-- ARGV[2]  epoch ms up to which entries have expired
-- ARGV[3]  MessagePack list of entries: {member, execution id, snapshot hash, number of segments}
-- Reply    number of entries cleared, -1 stale owner
-- Cost     O(entries); the caller sends at most 200
local owner = KEYS[1]
local expiry = KEYS[2]
local references = KEYS[3]
local fence = ARGV[1]
local untilAt = tonumber(ARGV[2])
local packedEntries = ARGV[3]

local entries = cmsgpack.unpack(packedEntries)
local keys = KEYS
local call = redis.call

if call('HGET', owner, 'f') ~= fence then return -1 end

local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local roundingMs = 1000

-- The record of the run that expired has gone, or expires at that very moment; a later run under
-- its id has no expiry or another.
local function isOfLaterRun(lifeMs, at)
  return lifeMs == -1 or (lifeMs >= 0 and math.abs(now + lifeMs - at) > roundingMs)
end

local cleared = 0
local nextKey = 4
for _, entry in ipairs(entries) do
  local member, id, hash, segments = entry[1], entry[2], entry[3], entry[4]
  local execution, named, inStatus = keys[nextKey], keys[nextKey + 1], keys[nextKey + 2]
  local snapshot, correlated = keys[nextKey + 3], keys[nextKey + 4]
  local at = call('ZSCORE', expiry, member)
  if at and tonumber(at) <= untilAt then
    for segment = 1, segments do call('DEL', keys[nextKey + 4 + segment]) end
    local lifeMs = call('PTTL', execution)
    if not isOfLaterRun(lifeMs, tonumber(at)) then
      call('DEL', execution)
      call('ZREM', correlated, id)
    end
    -- A later run that has not ended stands in the indexes of another status.
    if lifeMs == -1 or not isOfLaterRun(lifeMs, tonumber(at)) then
      call('ZREM', named, id)
      call('ZREM', inStatus, id)
    end
    if call('HINCRBY', references, hash, -1) <= 0 then
      call('HDEL', references, hash)
      call('DEL', snapshot)
    end
    call('ZREM', expiry, member)
    cleared = cleared + 1
  end
  nextKey = nextKey + 5 + segments
end
return cleared
