// Settings of event handlers and of brokers.
import { integer } from '../../settings/setting.js';

export const eventSettings = {
  eventHandlersMax: integer('Event handlers that there may be', 10_000, 1),
  eventRecordsMax: integer(
    'Newest records of a handler, and messages of an event, that are kept',
    200,
    1,
    10_000,
  ),
  deadLettersMax: integer('Newest dead letters of a handler that are kept', 1000, 1, 100_000),
  eventAttemptsMax: integer(
    'Attempts to deal with a message of a broker before it becomes a dead letter',
    10,
    1,
    1000,
  ),
  eventPrefetchMax: integer(
    'Messages that a handler takes from a broker and has not dealt with',
    32,
    1,
    1000,
  ),
} as const;
