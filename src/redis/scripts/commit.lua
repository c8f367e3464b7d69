-- commit: applies the commits of a batch, each if its shard's owner record and its head are the expected ones.
-- Atomic because fence, chain and writes must be one step (invariants M1, M2); one call carries many commits because a
-- call by itself costs as much as several commits (architecture section 1, idea 3).
--
-- KEYS     per shard of the batch, four in a row: owner (hash), timers (zset), dirty (set), snapshot references (hash);
--          per commit in a row: execution (hash), then the keys that its operations name (of the kind they need)
-- ARGV[1]  MessagePack list of shards: {fence text, index of the owner key, commits}; a commit is
--          {index of its execution key, id, head it builds on ('' = none), head it makes, fields (name, value, ...),
--           removed fields or false, wake-up (false = as it is, 0 = none, epoch ms), dirty (0 = as it is, 1 = set, 2 = struck off),
--           mode (0, 1 = write the hash anew, 2 = remove it), operations or false, snapshot to count {hash, key offset, text or
--           false} or false, snapshot to discount {hash, key offset} or false, key offsets of segments or false, key offset of
--           the segment that it makes current or false}
-- Reply    one number per commit in order: 0 committed, 1 already applied, 2 stale owner, 3 wrong head, 4 snapshot missing,
--          5 the segment written ahead has expired
-- Cost     O(fields of the batch); the caller bounds batches to 500 commits and 256 KB
local batch = ARGV[1]

local keys = KEYS
local shards = cmsgpack.unpack(batch)

local committed, alreadyApplied, staleOwner, wrongHead, snapshotMissing, segmentMissing = 0, 1, 2, 3, 4, 5
local chunk = 64
local replies = {}
local count = 0
local call = redis.call

-- Everything is checked before anything is written.
local carried = {}
for _, shard in ipairs(shards) do
  local fence, ownerIndex, commits = shard[1], shard[2], shard[3]
  local owned = call('HGET', keys[ownerIndex], 'f') == fence
  local references = keys[ownerIndex + 3]
  for _, commit in ipairs(commits) do
    local reply = staleOwner
    if owned then
      local stored = call('HGET', keys[commit[1]], 'h') or ''
      local remove = commit[9] == 2
      if stored == commit[4] or (remove and stored == '') then
        reply = alreadyApplied
      elseif stored ~= commit[3] then
        reply = wrongHead
      elseif commit[14] and call('EXISTS', keys[commit[1] + commit[14]]) == 0 then
        reply = segmentMissing
      else
        reply = committed
        local snapshot = commit[11]
        if snapshot then
          local name = references .. snapshot[1]
          if snapshot[3] then
            carried[name] = true
          elseif not carried[name] and not call('HGET', references, snapshot[1]) then
            reply = snapshotMissing
          end
        end
      end
    end
    count = count + 1
    replies[count] = reply
  end
end

local function inChunks(command, key, list)
  local length = #list
  for first = 1, length, chunk do
    local last = first + chunk - 1
    if last > length then last = length end
    call(command, key, unpack(list, first, last))
  end
end

local operations = {
  function(key, score, member) call('ZADD', key, score, member) end,
  function(key, member) call('ZREM', key, member) end,
  function(key, value) call('SET', key, value) end,
  function(key) call('DEL', key) end,
  function(key) call('PERSIST', key) end,
  function(key, at) call('PEXPIREAT', key, at) end,
  -- An idempotency record ends with its execution unless it names another one by now.
  function(key, at, id)
    local record = call('GET', key)
    if record and string.find(record, id, 1, true) then call('PEXPIREAT', key, at) end
  end,
}

local discounts = {}
local number = 0
for _, shard in ipairs(shards) do
  local ownerIndex = shard[2]
  local timers, dirtySet, references = keys[ownerIndex + 1], keys[ownerIndex + 2], keys[ownerIndex + 3]
  for _, commit in ipairs(shard[3]) do
    number = number + 1
    if replies[number] == committed then
      local base, id, fields, removed = commit[1], commit[2], commit[5], commit[6]
      local wakeAt, dirty, mode = commit[7], commit[8], commit[9]
      local execution = keys[base]
      if mode ~= 0 then call('DEL', execution) end
      if #fields > 0 then inChunks('HSET', execution, fields) end
      if removed then
        inChunks('HDEL', execution, removed)
        for _, offset in ipairs(commit[13] or {}) do inChunks('HDEL', keys[base + offset], removed) end
      end
      if wakeAt then
        if wakeAt == 0 then call('ZREM', timers, id) else call('ZADD', timers, wakeAt, id) end
      end
      if dirty == 1 then call('SADD', dirtySet, id) elseif dirty == 2 then call('SREM', dirtySet, id) end
      for _, operation in ipairs(commit[10] or {}) do
        operations[operation[1]](keys[base + operation[2]], operation[3], operation[4])
      end
      local snapshot = commit[11]
      if snapshot then
        local named = call('HINCRBY', references, snapshot[1], 1)
        if named == 1 then call('SET', keys[base + snapshot[2]], snapshot[3]) end
      end
      if commit[12] then
        discounts[#discounts + 1] = { references, commit[12][1], keys[base + commit[12][2]] }
      end
    end
  end
end

-- Last, so that a snapshot dropped by one commit and named by another of the same batch stays.
for _, discount in ipairs(discounts) do
  local references, hash, key = discount[1], discount[2], discount[3]
  if call('HINCRBY', references, hash, -1) <= 0 then
    call('HDEL', references, hash)
    call('DEL', key)
  end
end

return replies
