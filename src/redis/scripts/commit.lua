-- commit: applies a batch of commits, with the moves in queues and the grants that belong to it:
-- all of it if each commit's shard has the expected owner and each execution the expected head,
-- else nothing. Atomic because fence, chain and writes must be one step (invariants M1, M2); one
-- call carries many commits because a call by itself costs as much as several commits (architecture
-- section 1.3). The caller has built the commands; this only checks, then calls them.
--
-- KEYS     whatever the arguments name by its position: states of partitions (hash), executions
--          (hash, string when finished), their segments (hash), idempotency records (string), snapshots (string), indexes
--          (zset), lists of changes, and the keys of queues
-- ARGV[1]  offset of test time, ms
-- ARGV[2]  MessagePack list of what to check:
--          1 per partition {state, {shard, ..., snapshot, ...}, {fence text of each shard}}; with
--            something to note: the last field is the mark of watchers, and a fourth value {list,
--            its minute since 1970, its life in ms, {entry, ...}}
--          2 five values per commit: execution, number of its fence, head that it builds on
--            ('' = none), head that it makes, 1 if it removes the execution
--          3 per snapshot in that order {state, field, change of its count, snapshot, text or
--            false, whether it must be there}
--          4 two values per segment: number of the commit that makes it current, segment
--          5 three values per idempotency record that is to expire if it still names an execution:
--            record, epoch ms, execution
-- ARGV[3]  MessagePack list of commands: {name, key, arguments ...}, at most 128 arguments each; of
--          MSET every second one is a key
-- ARGV[4]  MessagePack list of moves, one per queue: {state (hash), ready (zset), hidden (zset),
--          leases (hash), lease ends (zset), members that are done, class and member in turn of
--          those that become ready, the same of those that were never in the queue}
-- ARGV[5]  MessagePack list of grants: {ready, leases, lease ends, members, packed leases without
--          their last field (the score), lease ends (0 = none)}
-- Reply    {0, per grant the numbers of members that were not ready, so not leased}, or
--          {1, per commit 0 nothing against it, 1 already applied, 2 stale owner, 3 wrong head,
--          5 the segment written ahead has expired; numbers of the snapshots that are missing}
--          with nothing written
-- Cost     O(commands); the caller bounds batches to 500 commits and 384 KB
local offsetMs = tonumber(ARGV[1])
local packedChecks = ARGV[2]
local packedCommands = ARGV[3]
local packedMoves = ARGV[4]
local packedGrants = ARGV[5]

--@include lib/queue.lua

local committed, alreadyApplied, staleOwner, wrongHead, segmentMissing = 0, 1, 2, 3, 5
local chunk = 64
local keys = KEYS
local checks = cmsgpack.unpack(packedChecks)
local commits, snapshots, segments = checks[2], checks[3], checks[4]

-- Everything is checked before anything is written.
local owned, counted, watched = {}, {}, {}
for _, part in ipairs(checks[1]) do
  local stored, texts, note = call('HMGET', keys[part[1]], unpack(part[2])), part[3], part[4]
  local mark = note and table.remove(stored)
  if mark then watched[#watched + 1] = { state = keys[part[1]], mark = mark, note = note } end
  for position, text in ipairs(texts) do owned[#owned + 1] = stored[position] == text end
  for position = #texts + 1, #stored do counted[#counted + 1] = stored[position] end
end

-- A finished execution is a string that begins with its head (at most 60 characters).
local function headOf(key)
  local head = redis.pcall('HGET', key, 'h')
  if type(head) ~= 'table' then return head or '' end
  local _, first = cmsgpack.unpack_one(call('GETRANGE', key, 0, 63))
  return first
end

-- Of executions that a first commit makes nothing is stored, unless it comes again.
local fresh = {}
for at = 1, #commits, 5 do
  if commits[at + 2] == '' then fresh[#fresh + 1] = keys[commits[at]] end
end
local found = 0
for at = 1, #fresh, chunk do
  found = found + call('EXISTS', unpack(fresh, at, math.min(at + chunk - 1, #fresh)))
end

local replies, missing = {}, {}
local refused = false
for first = 1, #commits, 5 do
  local reply = committed
  if not owned[commits[first + 1]] then
    reply = staleOwner
  else
    local isNew = found == 0 and commits[first + 2] == ''
    local stored = isNew and '' or headOf(keys[commits[first]])
    if stored == commits[first + 3] or (stored == '' and commits[first + 4] == 1) then
      reply = alreadyApplied
    elseif stored ~= commits[first + 2] then
      reply = wrongHead
    end
  end
  replies[#replies + 1] = reply
  refused = refused or reply ~= committed
end
for first = 1, #segments, 2 do
  local number = segments[first]
  if replies[number] == committed and call('EXISTS', keys[segments[first + 1]]) == 0 then
    replies[number] = segmentMissing
    refused = true
  end
end
for number, snapshot in ipairs(snapshots) do
  if snapshot[6] and not snapshot[5] and not counted[number] then
    missing[#missing + 1] = number
    refused = true
  end
end
if refused then return { 1, replies, missing } end

for _, command in ipairs(cmsgpack.unpack(packedCommands)) do
  for at = 2, command[1] == 'MSET' and #command or 2, 2 do command[at] = keys[command[at]] end
  call(unpack(command))
end

for _, snapshot in ipairs(snapshots) do
  local state, field, change = keys[snapshot[1]], snapshot[2], snapshot[3]
  if change ~= 0 then
    local named = call('HINCRBY', state, field, change)
    if named <= 0 then
      call('HDEL', state, field)
      call('DEL', keys[snapshot[4]])
    elseif named == change and snapshot[5] then
      call('SET', keys[snapshot[4]], snapshot[5])
    end
  end
end

-- An idempotency record ends with its execution unless it names another one by now.
local records = checks[5]
for first = 1, #records, 3 do
  local record = call('GET', keys[records[first]])
  if record and string.find(record, records[first + 2], 1, true) then
    call('PEXPIREAT', keys[records[first]], records[first + 1])
  end
end

local function inChunks(command, key, list)
  for first = 1, #list, chunk do
    call(command, key, unpack(list, first, math.min(first + chunk - 1, #list)))
  end
end

-- Notes the changes while a watcher asks for them. A call that does not note its changes ends the
-- mark, so that a watcher sees that it has missed something: when the mark has lapsed, and when the
-- list is no longer or not yet read (the call was under way for a minute, or the clocks differ by
-- as much).
local function noteChanges(state, mark, list, minute, lifeMs, entries)
  local endsAt, field = tonumber(string.match(mark, '^%d+')), 'w'
  if clock >= endsAt or math.abs(floor(clock / 60000) - minute) > 1 then
    call('HDEL', state, field)
  else
    inChunks('RPUSH', list, entries)
    call('PEXPIRE', list, lifeMs)
  end
end

for _, each in ipairs(watched) do
  local note = each.note
  noteChanges(each.state, each.mark, keys[note[1]], note[2], note[3], note[4])
end

-- Attempts that became SCHEDULED are added unless they are there already (invariants M9).
local function makeReady(move, state)
  local ready, hidden, leases, added = keys[move[2]], keys[move[3]], keys[move[4]], move[7]
  for first = 1, #added, chunk do
    local last = math.min(first + chunk - 1, #added)
    local members, entries = {}, { 'ZADD', ready, 'NX' }
    for position = first + 1, last, 2 do members[#members + 1] = added[position] end
    local leased = call('HMGET', leases, unpack(members))
    local delayed = call('ZMSCORE', hidden, unpack(members))
    for position, member in ipairs(members) do
      if not leased[position] and not delayed[position] then
        entries[#entries + 1] = readyScore(state, added[first + 2 * position - 2])
        entries[#entries + 1] = member
      end
    end
    if #entries > 3 then call(unpack(entries)) end
  end
end

-- A task that was never in the queue is in none of its places.
local function addFresh(ready, added, state)
  for first = 1, #added, 2 * chunk do
    local entries = { 'ZADD', ready, 'NX' }
    for position = first, math.min(first + 2 * chunk - 1, #added), 2 do
      entries[#entries + 1] = readyScore(state, added[position])
      entries[#entries + 1] = added[position + 1]
    end
    call(unpack(entries))
  end
end

for _, move in ipairs(cmsgpack.unpack(packedMoves)) do
  local done = move[6]
  inChunks('ZREM', keys[move[2]], done)
  inChunks('HDEL', keys[move[4]], done)
  inChunks('ZREM', keys[move[5]], done)
  if #move[7] > 0 or #move[8] > 0 then
    local state = readState(keys[move[1]])
    makeReady(move, state)
    addFresh(keys[move[2]], move[8], state)
    saveState(state)
  end
end

-- A task that is still in ready is wanted: its owner takes it out of there, as a pop would.
local function grant(wanted)
  local ready, members = keys[wanted[1]], wanted[4]
  local refused = {}
  for first = 1, #members, chunk do
    local last = math.min(first + chunk - 1, #members)
    local scores = call('ZMSCORE', ready, unpack(members, first, last))
    local taken, newLeases, newEnds = {}, {}, {}
    for position = first, last do
      local member, score = members[position], scores[position - first + 1]
      if not score then
        refused[#refused + 1] = position
      else
        taken[#taken + 1] = member
        newLeases[#newLeases + 1] = member
        newLeases[#newLeases + 1] = wanted[5][position] .. cmsgpack.pack(tonumber(score))
        if wanted[6][position] ~= 0 then
          newEnds[#newEnds + 1] = wanted[6][position]
          newEnds[#newEnds + 1] = member
        end
      end
    end
    if #taken > 0 then
      call('ZREM', ready, unpack(taken))
      call('HSET', keys[wanted[2]], unpack(newLeases))
    end
    if #newEnds > 0 then call('ZADD', keys[wanted[3]], unpack(newEnds)) end
  end
  return refused
end

local notReady = {}
for position, wanted in ipairs(cmsgpack.unpack(packedGrants)) do
  notReady[position] = grant(wanted)
end
return { 0, notReady }
