// Executions in quarantine (invariants M13): lists them, and lets one be loaded again.
import { listQuarantined, releaseQuarantined, type QuarantineContext } from './quarantine.js';
import { endpoint, nothing, type Endpoint } from '../../api/endpoint.js';
import { administrators } from '../../api/execution-access.js';
import * as schema from '../../model/schema.js';

const quarantineSchema = schema.object(
  'Quarantine',
  {
    executions: schema.list(
      schema.object(
        'QuarantinedExecution',
        {
          workflowId: schema.text(),
          deaths: schema.integer('Nodes that died when they loaded it'),
        },
        ['workflowId', 'deaths'],
      ),
    ),
  },
  ['executions'],
);

export function quarantineRoutes(context: QuarantineContext): Endpoint[] {
  const entry = { access: administrators } as const;
  return [
    endpoint({
      ...entry,
      method: 'GET',
      pattern: '/api/admin/quarantine',
      name: 'listQuarantined',
      summary: 'Lists executions that are not loaded, because nodes died when they loaded them.',
      reply: quarantineSchema,
      handle: async () => ({ executions: await listQuarantined(context) }),
    }),
    endpoint({
      ...entry,
      method: 'POST',
      pattern: '/api/admin/quarantine/:workflowId/release',
      name: 'releaseQuarantined',
      summary: 'Lets an execution in quarantine be loaded again.',
      reply: nothing,
      errors: ['not-found'],
      handle: (request) => releaseQuarantined(context, request.param('workflowId')),
    }),
  ];
}
