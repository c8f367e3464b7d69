// The queues that active event handlers name (contract-core 18.5). A queue of the server itself has
// a size; how much waits at a broker only the broker knows.
import { parseEventName } from '../../model/event-name.js';
import type { EventQueueStore } from './store/event-queue-store.js';
import type { EventHandlers } from './event-handlers.js';

export interface EventQueuesParts {
  readonly handlers: Pick<EventHandlers, 'activeByEvent'>;
  readonly store: Pick<EventQueueStore, 'size'>;
}

/** Stands for the size of a queue that a broker keeps. */
const unknownSize = -1;

/**
 * Event to the name of its queue, in order. An event without a colon comes in calls only and has no
 * queue.
 */
export function eventQueues({ handlers }: EventQueuesParts): Map<string, string> {
  const found = new Map<string, string>();
  for (const event of [...handlers.activeByEvent.keys()].sort()) {
    const name = parseEventName(event);
    if (name !== undefined) found.set(event, name.rest);
  }
  return found;
}

/** Event to the name of its queue and the number of messages that wait in it. */
export async function eventQueueSizes(
  parts: EventQueuesParts,
): Promise<{ [event: string]: { [queue: string]: number } }> {
  const sizes = [...eventQueues(parts)].map(async ([event, queue]) => {
    const isOwn = event.startsWith('conductor:');
    return [event, { [queue]: isOwn ? await parts.store.size(event) : unknownSize }] as const;
  });
  return Object.fromEntries(await Promise.all(sizes));
}
