// Forms of calls for many executions at once (contract-core 4.2, 11).
import { list, mapOf, object, text, type Form } from '../form.js';
import { workflowForm } from './workflow.js';

/** Body of every bulk call. */
export const workflowIdsForm: Form = list(text(), 'Ids of executions, 1 to 1000');

export const bulkResponseForm: Form = bulkResponse('BulkResponse', text());
export const workflowBulkResponseForm: Form = bulkResponse('BulkResponseWorkflow', workflowForm);

function bulkResponse(title: string, result: Form): Form {
  return object(
    title,
    {
      bulkErrorResults: mapOf(text(), 'Messages by what failed'),
      bulkSuccessfulResults: list(result, 'What succeeded'),
    },
    ['bulkErrorResults', 'bulkSuccessfulResults'],
  );
}
