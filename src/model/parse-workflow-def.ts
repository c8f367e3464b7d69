// Parsing of workflow definitions and task configurations from outside input (contract-core 6.1 to
// 6.3). Rules about values are in validate-workflow-def.ts.
import { mapInSteps, type Steps } from '../std/slices.js';
import { refused } from './record-reader.js';
import { checkShape } from './shape-limits.js';
import { validationFailed } from './validation.js';
import {
  readingWorkflowDef,
  readWorkflowTask,
  type WorkflowDef,
  type WorkflowTask,
} from './workflow-def.js';

/**
 * A workflow definition with all defaults filled in. Missing required texts are empty ones, so that
 * validation can report all of them. Throws AppError 'bad-request' that names `path` and the field
 * that cannot be read.
 * In steps: a definition may have thousands of tasks.
 */
export function* parsingWorkflowDef(input: unknown, path: string): Steps<WorkflowDef> {
  checkShape(input, path);
  return yield* readingWorkflowDef(input, path);
}

/**
 * Body of PUT /workflow. Throws AppError 'bad-request', for null in place of a definition
 * 'validation'.
 */
export function* parsingWorkflowDefs(input: unknown, path: string): Steps<WorkflowDef[]> {
  checkShape(input, path);
  if (!Array.isArray(input)) throw refused(path, 'must be a list');
  return yield* mapInSteps(input as unknown[], (item, index) => {
    const at = `${path}[${index}]`;
    if (item !== null) return readingWorkflowDef(item, at);
    const rule = { path: `updateWorkflowDef.arg0${at}`, message: 'WorkflowDef cannot be null' };
    throw validationFailed([rule]);
  });
}

/** One task configuration, such as a member of a dynamic fork. Throws AppError 'bad-request'. */
export function parseWorkflowTask(input: unknown, path: string): WorkflowTask {
  checkShape(input, path);
  return readWorkflowTask(input, path);
}

/**
 * As `parseWorkflowTask`, of an input that differs from that of `model` in `own` alone. What they
 * have alike is shared.
 */
export function parseAlikeTask(
  input: unknown,
  path: string,
  { model, own }: { readonly model: WorkflowTask; readonly own: OwnOfTask },
): WorkflowTask {
  checkShape(input, path);
  return { ...model, ...own };
}

export type OwnOfTask = Pick<WorkflowTask, 'taskReferenceName' | 'inputParameters'>;
