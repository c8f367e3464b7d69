// Schemas of the records of event handlers on the wire (contract-core 18, contract-admin 17).
import { actionKinds, eventHandler } from '../event-handler.js';
import {
  anyObject,
  anything,
  flag,
  integer,
  list,
  object,
  oneOf,
  text,
  time,
} from '../../../model/schema.js';

export const eventExecutionSchema = object(
  'EventExecution',
  {
    id: text(),
    messageId: text(),
    name: text('Of the handler'),
    event: text(),
    created: time(),
    status: oneOf(['IN_PROGRESS', 'COMPLETED', 'FAILED', 'SKIPPED']),
    statusDescription: text(),
    action: oneOf(actionKinds),
    output: anyObject,
    payload: anyObject,
    fullMessagePayload: anyObject,
    eventHandler: eventHandler.shown.schema,
  },
  ['id', 'messageId', 'name', 'event', 'created', 'status', 'output'],
);

export const eventMessageSchema = object(
  'EventMessage',
  {
    id: text(),
    eventTarget: text(),
    eventType: oneOf(['WEBHOOK', 'MESSAGE']),
    status: oneOf(['RECEIVED', 'HANDLED', 'REJECTED']),
    statusDescription: text(),
    createdAt: time(),
    payload: text('JSON text; cut when it is long'),
    fullPayload: anyObject,
    eventExecutions: list(eventExecutionSchema),
  },
  ['id', 'eventTarget', 'eventType', 'status', 'createdAt', 'payload', 'eventExecutions'],
);

export const handledEventsSchema = object(
  'HandledEvents',
  {
    totalHits: integer(),
    results: list(
      object(
        'HandledEvent',
        {
          name: text('Of the handler'),
          event: text(),
          active: flag(),
          numberOfActions: integer(),
          numberOfMessages: integer('Messages of the event that are kept'),
        },
        ['name', 'event', 'active', 'numberOfActions', 'numberOfMessages'],
      ),
    ),
  },
  ['totalHits', 'results'],
);

/** The actions that an example message would bring about. */
export const trialSchema = object(
  'EventHandlerTrial',
  {
    conditionHolds: flag(),
    conditionValue: { ...anything, description: 'What the condition answered' },
    conditionError: text('Why it failed'),
    actions: list(
      object(
        'TriedAction',
        {
          action: oneOf(actionKinds),
          payload: { ...anyObject, description: 'The object of the action, resolved' },
          error: text('With what it would be refused'),
        },
        ['action', 'payload'],
      ),
      'Also when the condition does not hold, and none would be carried out',
    ),
  },
  ['conditionHolds', 'actions'],
);
