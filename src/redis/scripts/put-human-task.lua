-- put-human-task: replaces or removes the entry of a human task in their index, with the sets that it
-- stands in. Atomic because the sets to leave are those of the entry that was read before: a write
-- between the two, as of a former owner, would leave the task in sets of both.
--
-- KEYS[1]  entries (hash: task id to entry)
-- KEYS[2]  sets (hash: task id to the sets that it stands in)
-- KEYS[3]  ended (zset: task ids by their newest change)
-- KEYS[4]  display names (zset: names by the newest change of a task)
-- KEYS[5]  what changed in this minute (list of task ids; expires)
-- KEYS[6]  due (zset: task ids by when they are due)
-- KEYS     from 7 on the sets to leave, then the sets to stand in (zsets: task ids by newest change)
-- ARGV[1]  task id
-- ARGV[2]  entry as it was read; '' when there was none
-- ARGV[3]  new entry; '' removes the task
-- ARGV[4]  text for `sets`
-- ARGV[5]  number of sets to leave
-- ARGV[6]  newest change, epoch ms
-- ARGV[7]  1 when the task has ended, else 0
-- ARGV[8]  display name
-- ARGV[9]  display names that are kept
-- ARGV[10] life of the list of changes in ms
-- ARGV[11] when the task is due, epoch ms; 0: never
-- Reply    1, or 0 when the entry is another one than was read and nothing was stored
-- Cost     O(log tasks); the caller names eight sets at most
local entries = KEYS[1]
local sets = KEYS[2]
local ended = KEYS[3]
local names = KEYS[4]
local changed = KEYS[5]
local due = KEYS[6]
local taskId = ARGV[1]
local before = ARGV[2]
local after = ARGV[3]
local setsText = ARGV[4]
local leftCount = tonumber(ARGV[5])
local changedAt = ARGV[6]
local hasEnded = ARGV[7]
local displayName = ARGV[8]
local namesMax = tonumber(ARGV[9])
local lifeMs = ARGV[10]
local dueAt = ARGV[11]

local keys = KEYS
local call = redis.call
local firstSet = 7

if (call('HGET', entries, taskId) or '') ~= before then return 0 end

for i = firstSet, #keys do
  if i < firstSet + leftCount then
    call('ZREM', keys[i], taskId)
  else
    call('ZADD', keys[i], changedAt, taskId)
  end
end
if hasEnded == '1' then call('ZADD', ended, changedAt, taskId) else call('ZREM', ended, taskId) end
if dueAt == '0' then call('ZREM', due, taskId) else call('ZADD', due, dueAt, taskId) end
if after == '' then
  call('HDEL', entries, taskId)
  call('HDEL', sets, taskId)
else
  call('HSET', entries, taskId, after)
  call('HSET', sets, taskId, setsText)
  call('ZADD', names, changedAt, displayName)
  call('ZREMRANGEBYRANK', names, 0, -1 - namesMax)
end
call('RPUSH', changed, taskId)
call('PEXPIRE', changed, lifeMs)
return 1
