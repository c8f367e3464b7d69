// A message that a client hands to the handlers of an event (contract-admin 17.2): queued durably,
// dealt with soon afterwards.
import { requireRight } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { toJsonText } from '../../model/json-text.js';
import type { EventQueueStore } from './store/event-queue-store.js';
import type { EventRecordStore } from './store/event-record-store.js';
import type { OperationContext } from '../../operation/context.js';
import type { EventHandlers } from './event-handlers.js';
import { requireRaiseRight } from './listen-right.js';

export interface ReceiveEventParts {
  readonly operations: OperationContext;
  readonly handlers: EventHandlers;
  readonly queues: EventQueueStore;
  readonly records: EventRecordStore;
}

const eventCharsMax = 1000;
/** Messages that may wait in one queue before clients are asked to slow down. */
const waitingMax = 5000;

/**
 * Resolves once the message is durable. An event without active handlers is recorded as rejected.
 * Throws AppError 'bad-request' without an event, 'forbidden' unless the caller may execute all of
 * its active handlers and the definition that it stands under, 'too-many' when too much waits.
 */
export async function receiveEvent(
  parts: ReceiveEventParts,
  caller: Caller,
  message: JsonMap,
): Promise<void> {
  const { operations, handlers, queues, records } = parts;
  const { event } = message;
  if (typeof event !== 'string' || event.trim() === '' || event.length > eventCharsMax) {
    throw new AppError('bad-request', `event must be a text of 1 to ${eventCharsMax} characters`);
  }
  requireRaiseRight(operations, caller, event);
  const active = handlers.activeOf(event);
  for (const { name } of active) {
    requireRight(operations.access, caller, 'EXECUTE', { type: 'EVENT_HANDLER', id: name });
  }
  const id = operations.randomId();
  const payload = toJsonText(message);
  const now = operations.clock.now();
  if (active.length === 0) {
    await records.keepMessage(id, {
      ...{ id, eventTarget: event, eventType: 'MESSAGE', status: 'REJECTED', payload },
      statusDescription: 'No active event handler',
      createdAt: now,
      eventExecutions: [],
    });
    return;
  }
  if ((await queues.size(event)) >= waitingMax) {
    throw new AppError('too-many', `${waitingMax} messages of this event wait already`);
  }
  await queues.publish(event, { id, attemptKey: id, payload, publishedAt: now });
}
