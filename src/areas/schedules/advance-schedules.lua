-- advance-schedules: stores how far schedules have come together with the records of their runs, and
-- removes those of the same schedule that are older than their life, or too many. Atomic because a cursor without its run would lose a
-- due time, a run without its cursor would repeat it, and a former leader must change neither. An
-- advance behind the cursor that is stored for the same times changes nothing: it is a call of a
-- broken connection that arrived late.
--
-- KEYS[1]  fence of the newest leadership (string; any other one is refused, since a failover may
--          have undone a newer one)
-- KEYS[2]  cursors (hash: schedule name to cursor)
-- KEYS[3]  runs (hash: execution id to run)
-- KEYS[4]  order (zset: execution ids by due time)
-- KEYS     from 5 on one per advance: runs of the schedule (zset: execution ids by due time)
-- ARGV[1]  fence of the caller
-- ARGV[2]  runs that a schedule keeps at most
-- ARGV[3]  life of the runs of one schedule in ms
-- ARGV[4]  MessagePack list of advances: {name, cursor, list of {execution id, due time, run}}
-- Reply    1, or 0 when the fence is another one and nothing was stored
-- Cost     O(advances log runs); the caller sends at most 500, each removes at most 100 runs beside
--          as many as it brings
local fence = KEYS[1]
local cursors = KEYS[2]
local runs = KEYS[3]
local order = KEYS[4]
local ofCaller = ARGV[1]
local kept = tonumber(ARGV[2])
local lifeMs = tonumber(ARGV[3])
local packed = ARGV[4]

local keys = KEYS
local call = redis.call

if call('GET', fence) ~= ofCaller then return 0 end

-- Since when a cursor counts, and how far its entries have come, all together.
local function placeOf(cursor)
  local from, list = string.match(cursor or '', '"activeFrom":(%d+),"handledUntil":%[([%d,]*)%]')
  local sum = 0
  for moment in string.gmatch(list or '', '%d+') do sum = sum + tonumber(moment) end
  return from, sum
end

local function isBehind(name, cursor)
  local from, sum = placeOf(cursor)
  local storedFrom, storedSum = placeOf(call('HGET', cursors, name))
  return from ~= nil and from == storedFrom and sum < storedSum
end

local removedMax = 100

local function remove(own, ids)
  for _, id in ipairs(ids) do
    call('ZREM', own, id)
    call('ZREM', order, id)
    call('HDEL', runs, id)
  end
end

-- Its newest run tells the time.
local function trim(own, brought)
  local most = removedMax + brought
  local newest = call('ZRANGE', own, -1, -1, 'WITHSCORES')[2]
  if not newest then return end
  local ended = string.format('(%.0f', tonumber(newest) - lifeMs)
  remove(own, call('ZRANGEBYSCORE', own, '-inf', ended, 'LIMIT', 0, most))
  local surplus = math.min(call('ZCARD', own) - kept, most)
  if surplus > 0 then remove(own, call('ZRANGE', own, 0, surplus - 1)) end
end

for position, advance in ipairs(cmsgpack.unpack(packed)) do
  local own = keys[4 + position]
  if not isBehind(advance[1], advance[2]) then
    call('HSET', cursors, advance[1], advance[2])
    for _, run in ipairs(advance[3]) do
      call('HSET', runs, run[1], run[3])
      call('ZADD', order, run[2], run[1])
      call('ZADD', own, run[2], run[1])
    end
    trim(own, #advance[3])
    call('PEXPIRE', own, lifeMs)
  end
end
return 1
