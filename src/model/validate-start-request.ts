// Rules of a request that starts an execution (contract-core 8.1); an inline definition is held to
// the rules of registration.
import { inSlices } from '../std/slices.js';
import { AppError, type Violation } from './errors.js';
import { priorityMax, type StartWorkflowRequest } from './parse-start-request.js';
import { validationFailed, Violations } from './validation.js';
import {
  validateWorkflowDef,
  validatingWorkflowDef,
  type WorkflowRules,
} from './validate-workflow-def.js';

/** All violated rules; `path` such as `startWorkflow.arg0`. */
export function validateStartRequest(
  request: StartWorkflowRequest,
  path: string,
  rules: WorkflowRules,
): Violation[] {
  const violations = new Violations();
  violations.checkText(request, 'name', path, 'Workflow name cannot be null or empty');
  const { priority, workflowDef } = request;
  const trouble = priorityTrouble(priority);
  if (trouble !== undefined) violations.addValue(`${path}.priority`, trouble, priority);
  if (workflowDef === undefined) return violations.list;
  return [...violations.list, ...validateWorkflowDef(workflowDef, `${path}.workflowDef`, rules)];
}

/**
 * For requests that are stored to be started later: one that no start would take is refused at
 * once. Throws AppError 'bad-request'.
 */
export function checkStoredStart({ name, priority }: StartWorkflowRequest, path: string): void {
  if (name.trim() === '') throw new AppError('bad-request', `${path}.name is required`);
  const trouble = priorityTrouble(priority);
  if (trouble !== undefined) throw new AppError('bad-request', `${path}.${trouble}`);
}

/**
 * The inline definition of a request that is stored to be started later. Rejects with AppError
 * 'validation'.
 */
export async function checkInlineDef(
  { workflowDef }: StartWorkflowRequest,
  path: string,
  rules: WorkflowRules,
): Promise<void> {
  if (workflowDef === undefined) return;
  const found = await inSlices(validatingWorkflowDef(workflowDef, `${path}.workflowDef`, rules));
  if (found.length > 0) throw validationFailed(found);
}

/** The rule that a priority breaks; undefined for a legal one. */
export function priorityTrouble(priority: number): string | undefined {
  if (priority < 0) return `priority: ${priority} should be minimum 0`;
  if (priority > priorityMax) return `priority: ${priority} should be maximum ${priorityMax}`;
  return undefined;
}
