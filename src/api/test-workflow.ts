// The endpoint that tests a workflow with mocked tasks (contract-core 14.2).
import { AppError } from '../model/errors.js';
import {
  parseWorkflowTestRequest,
  workflowTestRequestSchema,
} from '../model/parse-start-request.js';
import { validateStartRequest } from '../model/validate-start-request.js';
import type { WorkflowRules } from '../model/validate-workflow-def.js';
import { validationFailed } from '../model/validation.js';
import type { OperationContext } from '../operation/context.js';
import { testWorkflow, type TestParts } from '../operation/test-workflow.js';
import { body, endpoint, writtenJson, type Endpoint } from './endpoint.js';
import { changesExecutions } from './execution-access.js';
import { workflowSchema } from './schemas/workflow.js';

export function testWorkflowRoutes(
  context: OperationContext,
  parts: TestParts,
  rules: WorkflowRules,
): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: '/api/workflow/test',
      name: 'testWorkflow',
      summary: 'Simulates an execution with mocked tasks; nothing is kept.',
      access: changesExecutions,
      audit: 'reads',
      body: body(workflowTestRequestSchema),
      reply: writtenJson(workflowSchema),
      errors: ['validation', 'not-found'],
      handle: async (request) => {
        const input = request.json();
        if (input === null) throw new AppError('bad-request', 'Required request body is missing');
        const test = parseWorkflowTestRequest(input, '');
        const violations = validateStartRequest(test, 'testWorkflow.arg0', rules);
        if (violations.length > 0) throw validationFailed(violations);
        return await testWorkflow(context, request.caller, parts, test);
      },
    }),
  ];
}
