// Rules of a request that starts an execution (contract-core 8.1); an inline definition is held to
// the rules of registration.
import type { Violation } from './errors.js';
import type { StartWorkflowRequest } from './parse-start-request.js';
import { Violations } from './validation.js';
import { validateWorkflowDef, type WorkflowRules } from './validate-workflow-def.js';

export const priorityMax = 99;

/** All violated rules; `path` such as `startWorkflow.arg0`. */
export function validateStartRequest(
  request: StartWorkflowRequest,
  path: string,
  rules: WorkflowRules,
): Violation[] {
  const violations = new Violations();
  violations.checkText(request, 'name', path, 'Workflow name cannot be null or empty');
  const { priority, workflowDef } = request;
  if (priority < 0) {
    const message = `priority: ${priority} should be minimum 0`;
    violations.addValue(`${path}.priority`, message, priority);
  } else if (priority > priorityMax) {
    const message = `priority: ${priority} should be maximum ${priorityMax}`;
    violations.addValue(`${path}.priority`, message, priority);
  }
  if (workflowDef === undefined) return violations.list;
  return [...violations.list, ...validateWorkflowDef(workflowDef, `${path}.workflowDef`, rules)];
}
