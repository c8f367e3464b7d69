// Settings of webhooks.
import { integer } from '../../settings/setting.js';

export const webhookSettings = {
  webhooksMax: integer('Webhooks that there may be', 10_000, 1),
  webhookCallsPerSecondMax: integer(
    'Calls of one webhook that a node takes per second; beyond it answers 429',
    500,
    1,
  ),
  webhookBodyBytesMax: integer('Largest body of a call of a webhook, bytes', 2 * 1024 ** 2, 1024),
  webhookEventsWaitingMax: integer(
    'Events of webhooks that may wait at a node to be dealt with; beyond it answers 429',
    20_000,
    1,
  ),
  webhookHistoryMax: integer('Newest calls that a webhook shows', 10, 0, 1000),
} as const;
