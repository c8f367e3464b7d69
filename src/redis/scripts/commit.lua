-- commit: applies the commits of a batch, each if its shard's owner record and its head are the
-- expected ones. Atomic because fence, chain and writes must be one step (invariants M1, M2); one
-- call carries many commits because a call by itself costs as much as several commits (architecture
-- section 1, idea 3).
--
-- KEYS     per shard of the batch: owner (hash), then per commit in a row: execution (hash), and
--          the keys that its operations
--          name (of the kind they need)
-- ARGV[1]  MessagePack list of shards: {fence text, index of the owner key, commits}; a commit is
--          {index of its execution key, head it builds on ('' = none), fields (name, value, ...;
--          last 'h' and the head it makes)},
--          and, where it does more than write fields, fourth a list {removed fields or false, mode
--          (0, 1 = write the hash anew, 2 =
--          remove it), operations or false, snapshot to count {hash, key offset, text or false, key
--          offset of the shard's references}
--          or false, snapshot to discount {hash, key offset, key offset of the references} or
--          false, key offsets of segments or
--          false, key offset of the segment that it makes current or false}. Offsets count from the
--          execution key.
-- Reply    one number per commit in order: 0 committed, 1 already applied, 2 stale owner, 3 wrong
--          head, 4 snapshot missing,
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

-- What stands against a commit besides its head. `carried`: snapshots whose text comes with an
-- earlier commit.
local carried = {}
local function checkRest(base, rest)
  local snapshot, staged = rest[4], rest[7]
  if staged and call('EXISTS', keys[base + staged]) == 0 then return segmentMissing end
  if snapshot then
    local references = keys[base + snapshot[4]]
    local name = references .. snapshot[1]
    if snapshot[3] then
      carried[name] = true
    elseif not carried[name] and not call('HGET', references, snapshot[1]) then
      return snapshotMissing
    end
  end
  return committed
end

-- Everything is checked before anything is written.
for _, shard in ipairs(shards) do
  local commits = shard[3]
  local owned = call('HGET', keys[shard[2]], 'f') == shard[1]
  for position = 1, #commits do
    local commit = commits[position]
    local reply = staleOwner
    if owned then
      local fields, rest = commit[3], commit[4]
      local stored = call('HGET', keys[commit[1]], 'h') or ''
      if stored == fields[#fields] or (stored == '' and rest and rest[2] == 2) then
        reply = alreadyApplied
      elseif stored ~= commit[2] then
        reply = wrongHead
      elseif rest then
        reply = checkRest(commit[1], rest)
      else
        reply = committed
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
  function(key, member) call('SADD', key, member) end,
  function(key, member) call('SREM', key, member) end,
}

local discounts = {}
local function writeRest(base, rest)
  local removed, snapshot, discount = rest[1], rest[4], rest[5]
  if removed then
    inChunks('HDEL', keys[base], removed)
    for _, offset in ipairs(rest[6] or {}) do inChunks('HDEL', keys[base + offset], removed) end
  end
  for _, operation in ipairs(rest[3] or {}) do
    operations[operation[1]](keys[base + operation[2]], operation[3], operation[4])
  end
  if snapshot then
    local named = call('HINCRBY', keys[base + snapshot[4]], snapshot[1], 1)
    if named == 1 then call('SET', keys[base + snapshot[2]], snapshot[3]) end
  end
  if discount then
    discounts[#discounts + 1] = { keys[base + discount[3]], discount[1], keys[base + discount[2]] }
  end
end

local number = 0
for _, shard in ipairs(shards) do
  local commits = shard[3]
  for position = 1, #commits do
    local commit = commits[position]
    number = number + 1
    if replies[number] == committed then
      local base, fields, rest = commit[1], commit[3], commit[4]
      local mode = rest and rest[2] or 0
      if mode ~= 0 then call('DEL', keys[base]) end
      if mode ~= 2 then inChunks('HSET', keys[base], fields) end
      if rest then writeRest(base, rest) end
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
