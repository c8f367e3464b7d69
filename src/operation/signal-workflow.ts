// Answers the first task that blocks an execution (contract-core 16.2, semantics 1.7): its own
// tasks first, then those of the children of its open SUB_WORKFLOW tasks, depth first. Every
// execution on the way is asked by one command.
import type { Control } from '../model/caller.js';
import type { JsonMap } from '../model/json.js';
import { Payload } from '../model/payload.js';
import { isTerminalWorkflow, type TaskResultStatus } from '../model/status.js';
import { requireExecutionRight } from './access.js';
import type { OperationContext } from './context.js';
import { isNotFound } from '../model/errors.js';

/** Whether the execution has ended, so that no signal can find a task. */
export async function isEnded(context: OperationContext, id: string): Promise<boolean> {
  const read = context.executions.read(id, ({ execution }) => execution.state.status);
  return isTerminalWorkflow((await read) ?? 'RUNNING');
}

/**
 * Resolves with whether a blocked task was found. Throws AppError 'not-found' for an unknown
 * execution.
 */
export async function signalWorkflow(
  context: OperationContext,
  control: Control,
  signal: { id: string; status: TaskResultStatus; output: JsonMap },
): Promise<boolean> {
  const { id, status } = signal;
  const { caller, reason } = control;
  await requireExecutionRight(context, caller, 'EXECUTE', id);
  const output = Payload.of(signal.output);
  const search = async (target: string, depth: number): Promise<boolean> => {
    const command = { kind: 'signal', status, output } as const;
    const reply = await context.executions.command(target, command, { caller, reason });
    if (reply.kind !== 'no-blocked-task') return true;
    if (depth >= context.limits.childDepthMax) return false;
    for (const child of reply.children) {
      if (await searchChild(child, depth + 1)) return true;
    }
    return false;
  };
  /** A child that is gone or not there yet blocks nothing. */
  const searchChild = async (child: string, depth: number): Promise<boolean> => {
    try {
      return await search(child, depth);
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };
  return search(id, 0);
}
