// A message that a handler could not deal with: an action or its condition failed, or the same
// trouble came back too often. It is kept for people, who may have it dealt with again. Beside it
// stands the connection to a broker from which messages are taken.
import { list, object, oneOf, text, time, type ValueOf } from '../../model/schema.js';

export const deadLetterSchema = object(
  'DeadLetter',
  {
    id: text(),
    handler: text(),
    event: text(),
    messageId: text(),
    payload: text('The message'),
    publishedAt: time(),
    failedAt: time(),
    reason: text(),
    traceparent: text(
      'Trace of what published the message, which goes on when it is delivered again',
    ),
    tracestate: text('Of the same trace'),
  },
  ['id', 'handler', 'event', 'messageId', 'payload', 'publishedAt', 'failedAt', 'reason'],
);
export type DeadLetter = ValueOf<typeof deadLetterSchema>;

export const eventSourceSchema = object(
  'EventSource',
  {
    id: text('The handler, or the event where the broker shares its messages among readers'),
    event: text(),
    handlers: list(text(), 'Event handlers that get the messages'),
    node: text('Node that takes the messages'),
    status: oneOf(['CONNECTING', 'CONNECTED', 'UNREACHABLE']),
    since: time(),
    reason: text('Why the broker is not reached'),
    unusedSettings: list(text(), 'Settings of the queue configuration that have no effect'),
  },
  ['id', 'event', 'handlers', 'node', 'status', 'since', 'unusedSettings'],
);

/** How the connection to a broker stands from which messages are taken. */
export type EventSourceState = Omit<ValueOf<typeof eventSourceSchema>, 'unusedSettings'>;
export type EventSourceStatus = EventSourceState['status'];
