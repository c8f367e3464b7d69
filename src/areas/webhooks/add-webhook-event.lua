-- add-webhook-event: stores a verified call of a webhook unless its signature was used before. Atomic
-- because a mark without its event would refuse the platform's repetition of a call that was lost.
--
-- KEYS[1]  events (hash: event id to event)
-- KEYS[2]  due (zset: event ids by the moment they are due)
-- KEYS[3]  mark of the signature (string), or the events again when there is none
-- ARGV[1]  event id
-- ARGV[2]  moment the event is due, epoch ms
-- ARGV[3]  event
-- ARGV[4]  life of the mark in ms; 0: no mark
-- Reply    1, also when the same event is stored already; 0 when another event has used the signature
-- Cost     O(log events)
local events = KEYS[1]
local due = KEYS[2]
local mark = KEYS[3]
local id = ARGV[1]
local dueAt = ARGV[2]
local event = ARGV[3]
local lifeMs = ARGV[4]

local call = redis.call
if lifeMs ~= '0' and not call('SET', mark, id, 'NX', 'PX', lifeMs) then
  return call('GET', mark) == id and 1 or 0
end
call('HSET', events, id, event)
call('ZADD', due, dueAt, id)
return 1
