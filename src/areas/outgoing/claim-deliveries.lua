-- claim-deliveries: takes deliveries of one outgoing webhook that are due, and makes them due again later,
-- for the case that who takes them does not finish. Atomic, so that two nodes never take the same one, and
-- so that the webhook's own entry stays no later than its first delivery.
--
-- KEYS[1]  due (zset: delivery ids of the webhook by the moment they are due)
-- KEYS[2]  webhooks (zset: webhook ids by the moment of their first delivery, or before)
-- ARGV[1]  webhook id
-- ARGV[2]  now, epoch ms
-- ARGV[3]  moment at which they are due again, epoch ms
-- ARGV[4]  how many are taken at most
-- Reply    the ids that were taken, oldest first
-- Cost     O(taken * log due)
local due = KEYS[1]
local webhooks = KEYS[2]
local webhook = ARGV[1]
local now = ARGV[2]
local again = ARGV[3]
local limit = ARGV[4]

local taken = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, limit)
for _, id in ipairs(taken) do redis.call('ZADD', due, again, id) end
local first = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')
if first[2] then
  redis.call('ZADD', webhooks, first[2], webhook)
else
  redis.call('ZREM', webhooks, webhook)
end
return taken
