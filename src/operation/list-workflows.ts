// Executions of a workflow by name and correlation id (contract-core 9, semantics 8.2). The ids
// come from indexes that change in the commits of the executions, so an execution is found as soon
// as its start was answered.
import type { ExecutionId } from '../std/ids.js';
import { requireRight } from '../access/access-rules.js';
import type { Caller } from '../model/caller.js';
import { isTerminalWorkflow } from '../model/status.js';
import { AnswerSize } from './answer-size.js';
import type { OperationContext } from './context.js';
import { workflowText } from './execution-view.js';
import { readExecutions } from './read-executions.js';

export interface RunningFilter {
  /** Of the definition. */
  readonly name: string;
  /** Counts only together with the window. */
  readonly version: number;
  /** Epoch ms; 0 = no window. */
  readonly startTime: number;
  readonly endTime: number;
}

/**
 * Ids of executions that have not ended; with a window all that were created in it, whatever their
 * status, of that version.
 */
export async function listRunningWorkflows(
  context: OperationContext,
  caller: Caller,
  { name, startTime, endTime, version }: RunningFilter,
): Promise<ExecutionId[]> {
  requireRight(context.access, caller, 'READ', { type: 'WORKFLOW_DEF', id: name });
  if (startTime === 0 || endTime === 0) return context.executionIndex.running(name);
  const ids = await context.executionIndex.startedBetween(name, startTime, endTime);
  const versions = await readExecutions(
    context,
    ids,
    (open) => open.execution.snapshot.def.version,
  );
  return ids.filter((_id, i) => versions[i] === version);
}

export interface CorrelatedFilter {
  /** Of the definition. */
  readonly name: string;
  readonly correlationId: string;
  /** False: only those that have not ended. */
  readonly includeClosed: boolean;
  readonly includeTasks: boolean;
}

/**
 * JSON texts of the Workflows with that name and correlation id, oldest first. Throws AppError
 * 'bad-request' when `size` is passed.
 */
export async function listCorrelatedWorkflows(
  context: OperationContext,
  caller: Caller,
  filter: CorrelatedFilter,
  size = new AnswerSize(),
): Promise<string[]> {
  const { name, correlationId } = filter;
  requireRight(context.access, caller, 'READ', { type: 'WORKFLOW_DEF', id: name });
  const found = await context.executionIndex.correlated(name, correlationId);
  const now = context.clock.now();
  const texts = await readExecutions(
    context,
    found.slice(0, context.limits.listedExecutionsMax),
    (open) =>
      filter.includeClosed || !isTerminalWorkflow(open.execution.state.status)
        ? size.add(workflowText(open, filter.includeTasks, now))
        : undefined,
  );
  return texts.filter((text) => text !== undefined);
}
