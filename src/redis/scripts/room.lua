-- room: counts the executions of a workflow that may run at the same time (contract-admin 9.7). A place is
-- taken or asked for, and given back; freed places go to those that wait, in the order of their starts.
-- Atomic, so that a place is never given to two, nor to nobody. The number of the message that asks fences
-- out a message that comes late, from a node that does not own the execution any more.
--
-- KEYS[1]  taken (set: executions that have a place)
-- KEYS[2]  waiting (zset: executions that wait for one by the time of their start, epoch ms)
-- KEYS[3]  untold (set: executions that got a place while they waited and may not know)
-- KEYS[4]  asked (hash: execution that has a place or waits -> number of the message that asked)
-- KEYS[5]  limit (string: places, as the newest message that asks says)
-- KEYS[6]  left (string: number of the newest message that gave this execution's place back)
-- ARGV[1]  what is done: take (waits if there is no place), force (exceeds the limit), leave, told
-- ARGV[2]  execution
-- ARGV[3]  number of the message
-- ARGV[4]  time of its start, epoch ms
-- ARGV[5]  places
-- ARGV[6]  how long a late message is fenced out after the place was given back, ms
-- ARGV[7]  places given, and executions told of, at most
-- Reply    {1 when the execution has a place, else 0; untold executions}
-- Cost     O(places given * log waiting)
local taken = KEYS[1]
local waiting = KEYS[2]
local untold = KEYS[3]
local asked = KEYS[4]
local limit = KEYS[5]
local left = KEYS[6]
local operation = ARGV[1]
local id = ARGV[2]
local number = ARGV[3]
local startedAt = ARGV[4]
local places = ARGV[5]
local fenceMs = ARGV[6]
local atOnceMax = tonumber(ARGV[7])

local newest = tonumber(redis.call('HGET', asked, id) or redis.call('GET', left) or '0')
if operation == 'told' then
  redis.call('SREM', untold, id)
elseif tonumber(number) >= newest then
  if operation == 'leave' then
    redis.call('HDEL', asked, id)
    redis.call('SREM', taken, id)
    redis.call('SREM', untold, id)
    redis.call('ZREM', waiting, id)
    redis.call('SET', left, number, 'PX', fenceMs)
  else
    redis.call('HSET', asked, id, number)
    redis.call('SET', limit, places)
    if operation == 'force' then
      redis.call('SADD', taken, id)
      redis.call('ZREM', waiting, id)
    elseif redis.call('SISMEMBER', taken, id) == 0 then
      redis.call('ZADD', waiting, startedAt, id)
    end
  end
end

local free = tonumber(redis.call('GET', limit) or '0') - redis.call('SCARD', taken)
for _ = 1, math.min(free, atOnceMax) do
  local first = redis.call('ZPOPMIN', waiting)[1]
  if not first then break end
  redis.call('SADD', taken, first)
  redis.call('SADD', untold, first)
end
if redis.call('EXISTS', asked) == 0 then redis.call('DEL', limit) end

local has = redis.call('SISMEMBER', taken, id)
if has == 1 and operation ~= 'told' then redis.call('SREM', untold, id) end
return { has, redis.call('SRANDMEMBER', untold, atOnceMax) }
