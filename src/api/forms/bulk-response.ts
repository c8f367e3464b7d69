// Forms of calls for many executions at once (contract-core 4.2, 11).
import { list, mapOf, object, text, type Form } from '../form.js';
import { workflowForm } from './workflow.js';

/** Body of every bulk call. */
export const workflowIdsForm = list(text(), 'Ids of executions, 1 to 1000');

export const bulkResponseForm = bulkResponse('BulkResponse', text());
export const workflowBulkResponseForm = bulkResponse('BulkResponseWorkflow', workflowForm);

interface BulkResult<T> {
  readonly bulkErrorResults: { readonly [id: string]: string };
  readonly bulkSuccessfulResults: readonly T[];
}

function bulkResponse<T>(title: string, result: Form<T>): Form<BulkResult<T>> {
  return object(
    title,
    {
      bulkErrorResults: mapOf(text(), 'Messages by what failed'),
      bulkSuccessfulResults: list(result, 'What succeeded'),
    },
    ['bulkErrorResults', 'bulkSuccessfulResults'],
  );
}
