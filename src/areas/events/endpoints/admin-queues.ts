// The route that shows the queues of event handlers to administrators (contract-core 18.5).
import { eventQueues, eventQueueSizes, type EventQueuesParts } from '../event-queues.js';
import { endpoint, query, type Endpoint } from '../../../api/endpoint.js';
import { administrators } from '../../../api/execution-access.js';
import { flag, integer, mapOf, text } from '../../../model/schema.js';

export function adminQueueRoutes(parts: EventQueuesParts): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/admin/queues',
      name: 'listHandledQueues',
      summary: 'Shows the queues that active event handlers name, by event.',
      access: administrators,
      parameters: {
        verbose: query(
          flag('Messages that wait in each instead of its name; -1: a broker keeps it', {
            default: false,
          }),
        ),
      },
      reply: mapOf({ anyOf: [text('Name of the queue'), mapOf(integer('Messages that wait'))] }),
      handle: async (request) =>
        request.queryBoolean('verbose')
          ? await eventQueueSizes(parts)
          : Object.fromEntries(eventQueues(parts)),
    }),
  ];
}
