// The route that tests a workflow with mocked tasks (contract-core 14.2).
import { AppError } from '../model/errors.js';
import { parseWorkflowTestRequest } from '../model/parse-start-request.js';
import { validateStartRequest } from '../model/validate-start-request.js';
import type { WorkflowRules } from '../model/validate-workflow-def.js';
import { validationFailed } from '../model/validation.js';
import type { OperationContext } from '../operation/context.js';
import { testWorkflow, type TestParts } from '../operation/test-workflow.js';
import { jsonText, type Route } from './route.js';

export function testWorkflowRoutes(
  context: OperationContext,
  parts: TestParts,
  rules: WorkflowRules,
): Route[] {
  return [
    {
      method: 'POST',
      pattern: '/api/workflow/test',
      handle: async (request) => {
        const body = request.json();
        if (body === null) throw new AppError('bad-request', 'Required request body is missing');
        const test = parseWorkflowTestRequest(body, '');
        const violations = validateStartRequest(test, 'testWorkflow.arg0', rules);
        if (violations.length > 0) throw validationFailed(violations);
        return jsonText(await testWorkflow(context, parts, test));
      },
    },
  ];
}
