// The live stream of changes: server-sent events of many topics on one connection.
import type { LiveHub } from './live-hub.js';
import { parseTopics } from '../../operation/live/topics.js';
import { header, query, rawEndpoint, type Endpoint } from '../../api/endpoint.js';
import { readsExecutions } from '../../api/execution-access.js';
import { text } from '../../model/schema.js';

export function liveStreamRoutes(hub: LiveHub): Endpoint[] {
  return [
    rawEndpoint({
      method: 'GET',
      pattern: '/api/stream',
      name: 'streamChanges',
      summary: 'Streams what changes, as server-sent events.',
      access: readsExecutions,
      parameters: {
        topics: query(
          text(
            'executions, execution:{workflowId}, job:{jobId}, queues, inbox, overview or ' +
              'overview:{window}; several with commas',
          ),
          { required: true, repeated: true },
        ),
        'last-event-id': header(text('Id of the newest event that was seen; resumes after it')),
      },
      replies: {
        200: {
          schema: text(
            'Events ready, reset, executions, execution, job, queues, inbox and overview',
          ),
          contentType: 'text/event-stream',
        },
      },
      errors: ['not-found'],
      handle: async (request) => {
        const { caller } = request;
        const topics = parseTopics(request.queryAll('topics'));
        const lastEventId = request.header('last-event-id');
        await hub.prepare(caller, topics);
        return {
          status: 200,
          contentType: 'text/event-stream',
          headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
          stream: (sink) => hub.open({ caller, topics, lastEventId }, sink),
        };
      },
    }),
  ];
}
