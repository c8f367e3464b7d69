// Schemas of calls for many executions at once (contract-core 4.2, 11).
import { list, mapOf, object, text, type Schema } from '../../model/schema.js';
import { workflowSchema } from './workflow.js';

/** Body of every bulk call. */
export const workflowIdsSchema = list(text(), 'Ids of executions, 1 to 1000');

export const bulkResponseSchema = bulkResponse('BulkResponse', text());
export const workflowBulkResponseSchema = bulkResponse('BulkResponseWorkflow', workflowSchema);

interface BulkResult<T> {
  readonly bulkErrorResults: { readonly [id: string]: string };
  readonly bulkSuccessfulResults: readonly T[];
}

function bulkResponse<T>(title: string, result: Schema<T>): Schema<BulkResult<T>> {
  return object(
    title,
    {
      bulkErrorResults: mapOf(text(), 'Messages by what failed'),
      bulkSuccessfulResults: list(result, 'What succeeded'),
    },
    ['bulkErrorResults', 'bulkSuccessfulResults'],
  );
}
