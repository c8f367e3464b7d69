// Runs a finished execution again from the start or from one of its tasks, also one of a descendant
// (semantics 1.5.7). A task id names its execution, so a descendant is found by walking up from the
// task to the execution of the path; the command goes to the descendant, and the engine reopens the
// parents on the way up (semantics 1.6).
import { parseTaskId, type ExecutionId } from '../std/ids.js';
import type { Control } from '../model/caller.js';
import { AppError, isNotFound, noSuchWorkflow } from '../model/errors.js';
import type { RerunWorkflowRequest } from '../model/control-requests.js';
import { present } from '../model/record-reader.js';
import { isTerminalWorkflow } from '../model/status.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { taskShown } from '../access/execution-rights.js';
import { requireExecutionRight } from './access.js';
import type { OperationContext } from './context.js';
import { controlWorkflow } from './control-workflow.js';
import { missingWorkflow } from './archived-refusal.js';

/**
 * Throws AppError 'forbidden', which tells nothing of the execution, 'conflict' while it runs,
 * 'bad-request' for a task that is not its own.
 */
export async function rerunWorkflow(
  context: OperationContext,
  control: Control,
  request: RerunWorkflowRequest & { readonly id: string },
): Promise<void> {
  const { id, reRunFromTaskId: taskId, taskInput, ...changes } = request;
  try {
    await requireExecutionRight(context, control.caller, 'EXECUTE', id);
    await checkEnded(context, id);
  } catch (error) {
    throw isNotFound(error) ? await missingWorkflow(context, control.caller, id) : error;
  }
  if (taskId === undefined) {
    const command = { kind: 'rerun', ...changes } as const;
    await controlWorkflow(context, control, id, command, { awaitDelivery: true });
    return;
  }
  const target = parseTaskId(taskId);
  if (target === undefined || !(await holdsTask(context, target))) throw taskNotFound(taskId);
  const { executionId, taskNumber } = target;
  if (executionId !== id) {
    const shown = taskShown(taskId);
    await requireExecutionRight(context, control.caller, 'EXECUTE', executionId, shown);
    await checkDescends(context, executionId, id, taskId);
    await controlWorkflow(context, control, id, { kind: 'rerun-below', ...changes });
  }
  const replaced = executionId === id ? changes : {};
  // The child of a SUB_WORKFLOW that is rerun must be running when the caller reads the execution
  // next (the reference starts it within the call).
  const command = {
    kind: 'rerun',
    taskNumber,
    ...present({ taskInput }),
    ...replaced,
  } as const;
  const options = { awaitDelivery: true, awaitStarts: true };
  await controlWorkflow(context, control, executionId, command, options);
}

async function holdsTask(
  context: OperationContext,
  target: { executionId: ExecutionId; taskNumber: number },
): Promise<boolean> {
  const found = await context.executions.read(target.executionId, (open) =>
    open.byNumber.has(target.taskNumber),
  );
  return found === true;
}

/**
 * Throws 'conflict' when any execution from `from` up to `top` runs, 'bad-request' when `top` is
 * not above `from`.
 */
async function checkDescends(
  context: OperationContext,
  from: ExecutionId,
  top: string,
  taskId: string,
): Promise<void> {
  let current = from;
  for (let depth = 0; depth <= context.limits.childDepthMax; depth++) {
    const parent = await checkEnded(context, current);
    if (parent === undefined) break;
    if (parent === top) return;
    current = parent;
  }
  throw taskNotFound(taskId);
}

/** Gives the parent of an execution that has ended. */
async function checkEnded(context: OperationContext, id: string): Promise<ExecutionId | undefined> {
  const seen = await context.executions.read(id, (open: OpenExecution) => {
    const { snapshot, state, attributes } = open.execution;
    const { name, version } = snapshot.def;
    return { name, version, status: state.status, parent: attributes.parentWorkflowId };
  });
  if (seen === undefined) throw noSuchWorkflow(id);
  if (!isTerminalWorkflow(seen.status)) {
    throw new AppError(
      'conflict',
      `Workflow: ${seen.name}.${seen.version}/${id}.${seen.status} is not in terminal state, unable to rerun.`,
    );
  }
  return seen.parent;
}

function taskNotFound(taskId: string): AppError {
  return new AppError('bad-request', `Task ${taskId} not found`);
}
