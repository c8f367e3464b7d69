// Settings of status listeners and outgoing webhooks.
import { integer, text } from '../../settings/setting.js';

export const outgoingSettings = {
  workflowStatusListenerSink: text(
    'Sink of workflow status events of definitions that switch their listener on and name no sink; empty for none',
    '',
  ),
  taskStatusListenerSink: text('Sink of task status events of all definitions; empty for none', ''),
  stateEventSecondsMax: integer(
    'Seconds after which a state or status event is given up that its broker has not taken',
    86_400,
    10,
    2_592_000,
  ),
  outgoingWebhooksMax: integer('Outgoing webhooks that there may be', 1000, 0),
  outgoingWaitingMax: integer(
    'Deliveries of one outgoing webhook that may wait; further ones become dead letters',
    10_000,
    1,
  ),
  outgoingAttemptsKept: integer(
    'Newest attempts of an outgoing webhook that are kept',
    200,
    1,
    10_000,
  ),
  outgoingDeadLettersMax: integer(
    'Newest dead letters of an outgoing webhook that are kept',
    1000,
    1,
    100_000,
  ),
} as const;
