// Endpoints of our own about what is kept: how long executions stay, where they go then, and how
// much of the store each workflow takes.
import type { JsonMap } from '../../model/json.js';
import type { WorkflowSizes } from '../../operation/storage/workflow-bytes.js';
import { replies, type Endpoint } from '../endpoint.js';
import { administrators } from '../execution-access.js';
import * as form from '../form.js';
import { json } from '../route.js';

const seconds = form.integer('Seconds');

const retentionForm = form.object('Retention', {
  retentionSeconds: seconds,
  byStatus: form.mapOf(seconds),
  byDefinition: form.mapOf(
    { anyOf: [seconds, form.mapOf(seconds)] },
    'By name or name/STATUS: seconds, or seconds by status',
  ),
  archive: form.flag('Whether executions are archived before they go'),
  objectStore: form.oneOf(['none', 'folder', 's3']),
});
const sizeForm = form.object(
  'WorkflowSize',
  {
    name: form.text(),
    executions: form.integer('Running and finished ones'),
    bytes: form.integer('Estimate of their memory in the store'),
    sampled: form.integer('Executions that the estimate looked at'),
  },
  ['name', 'executions', 'bytes', 'sampled'],
);
const sizesForm = form.object(
  'WorkflowSizes',
  { workflows: form.list(sizeForm, 'Most bytes first') },
  ['workflows'],
);

export interface StorageFacts {
  retention(): JsonMap;
  readonly sizes: WorkflowSizes;
}

export function storageAdminRoutes({ retention, sizes }: StorageFacts): Endpoint[] {
  return [
    {
      ...{ method: 'GET', pattern: '/api/admin/retention', name: 'getRetention' },
      summary: 'Shows how long finished executions are kept, and where they go then.',
      access: administrators,
      parameters: {},
      body: null,
      replies: replies(retentionForm),
      errors: [],
      handle: () => json(retention()),
    },
    {
      ...{ method: 'GET', pattern: '/api/admin/storage', name: 'getWorkflowSizes' },
      summary: 'Shows how many executions each workflow has and about how much memory they take.',
      access: administrators,
      parameters: {},
      body: null,
      replies: replies(sizesForm),
      errors: [],
      handle: async () =>
        json({ workflows: (await sizes.all()).map((size): JsonMap => ({ ...size })) }),
    },
  ];
}
