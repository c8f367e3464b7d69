// Endpoints of our own about what is kept: how long executions stay, where they go then, and how
// much of the store each workflow takes.
import { endpoint, shownOf, type Endpoint } from '../../api/endpoint.js';
import { administrators } from '../../api/execution-access.js';
import { list } from '../../model/field.js';
import { record } from '../../model/record.js';
import { retentionReply, type Retention } from './retention.js';
import { workflowSize, type WorkflowSizes } from './workflow-bytes.js';

const workflowSizes = record('WorkflowSizes', {
  workflows: list(workflowSize, { about: 'Most bytes first' }),
});

export function storageAdminRoutes(retention: () => Retention, sizes: WorkflowSizes): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/admin/retention',
      name: 'getRetention',
      summary: 'Shows how long finished executions are kept, and where they go then.',
      access: administrators,
      reply: retentionReply,
      handle: retention,
    }),
    endpoint({
      method: 'GET',
      pattern: '/api/admin/storage',
      name: 'getWorkflowSizes',
      summary: 'Shows how many executions each workflow has and about how much memory they take.',
      access: administrators,
      reply: shownOf(workflowSizes),
      handle: async () => ({ workflows: await sizes.all() }),
    }),
  ];
}
