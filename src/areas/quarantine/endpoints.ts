// Executions in quarantine (invariants M13): lists them, and lets one be loaded again.
import { listQuarantined, releaseQuarantined, type QuarantineContext } from './quarantine.js';
import { replies, type Endpoint } from '../../api/endpoint.js';
import { administrators } from '../../api/execution-access.js';
import * as form from '../../api/form.js';
import { empty, json } from '../../api/route.js';

const quarantineForm = form.object(
  'Quarantine',
  {
    executions: form.list(
      form.object(
        'QuarantinedExecution',
        {
          workflowId: form.text(),
          deaths: form.integer('Nodes that died when they loaded it'),
        },
        ['workflowId', 'deaths'],
      ),
    ),
  },
  ['executions'],
);

export function quarantineRoutes(context: QuarantineContext): Endpoint[] {
  const entry = { access: administrators, parameters: {}, body: null, errors: [] } as const;
  return [
    {
      ...entry,
      method: 'GET',
      pattern: '/api/admin/quarantine',
      name: 'listQuarantined',
      summary: 'Lists executions that are not loaded, because nodes died when they loaded them.',
      replies: replies(quarantineForm),
      handle: async () => json({ executions: await listQuarantined(context) }),
    },
    {
      ...entry,
      method: 'POST',
      pattern: '/api/admin/quarantine/:workflowId/release',
      name: 'releaseQuarantined',
      summary: 'Lets an execution in quarantine be loaded again.',
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        await releaseQuarantined(context, request.param('workflowId'));
        return empty();
      },
    },
  ];
}
