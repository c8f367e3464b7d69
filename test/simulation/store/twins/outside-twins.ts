// The twins of the scripts of webhooks: add-webhook-event.lua and claim-deliveries.lua.
import { texts, type Twin } from './twin.js';

export const addWebhookEvent: Twin = (
  redis,
  [events = '', due = '', mark = ''],
  [id = '', dueAt = '', event = '', lifeMs = ''],
) => {
  if (lifeMs !== '0' && redis.call('SET', mark, id, 'NX', 'PX', lifeMs) === null) return 0;
  redis.call('HSET', events, id, event);
  redis.call('ZADD', due, dueAt, id);
  return 1;
};

export const claimDeliveries: Twin = (
  redis,
  [due = '', webhooks = ''],
  [webhook = '', now = '', again = '', limit = ''],
) => {
  const range = ['-inf', now, 'LIMIT', 0, limit] as const;
  const taken = texts(redis.call('ZRANGEBYSCORE', due, ...range));
  for (const id of taken) redis.call('ZADD', due, again, id);
  const [, firstAt] = texts(redis.call('ZRANGE', due, 0, 0, 'WITHSCORES'));
  if (firstAt !== undefined) redis.call('ZADD', webhooks, firstAt, webhook);
  else redis.call('ZREM', webhooks, webhook);
  return taken;
};
