// The route by which executions that ended at another server come in. One call brings one, so that
// an import may break off anywhere and go on.
import { parseImportRequest } from '../../model/parse-imported-execution.js';
import { body, replies, type Endpoint } from '../../api/endpoint.js';
import { administrators } from '../../api/execution-access.js';
import { anyObject, flag, object, text } from '../../model/schema.js';
import { json } from '../../api/route.js';
import { importExecution, type ImportContext } from '../../operation/import-execution.js';

const requestSchema = object(
  'ImportExecutionRequest',
  {
    from: text('Address of the other server'),
    // The form of an answer says no more than this server would show of it.
    execution: anyObject,
  },
  ['from', 'execution'],
);

const importedSchema = object(
  'ImportedExecution',
  {
    workflowId: text('Its id here'),
    isNew: flag('False: it was imported before, and stays as it is'),
  },
  ['workflowId', 'isNew'],
);

export function importRoutes(context: ImportContext): Endpoint[] {
  return [
    {
      method: 'POST',
      pattern: '/api/admin/imported-executions',
      name: 'importExecution',
      summary: 'Stores an execution that ended at another server, to be read and never changed.',
      access: administrators,
      parameters: {},
      body: body(requestSchema),
      replies: replies(importedSchema),
      errors: ['conflict'],
      handle: async (request) => {
        const asked = parseImportRequest(request.json(), context.clock.now());
        const imported = await importExecution(context, request.caller, asked);
        request.noteObject(imported.workflowId);
        return json({ ...imported });
      },
    },
  ];
}
