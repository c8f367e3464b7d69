// Executions of a workflow by name and correlation id (contract-core 9, semantics 8.2). The ids
// come from indexes that change in the commits of the executions, so what was answered once is
// found.
import type { ExecutionId } from '../std/ids.js';
import { Limiter } from '../std/limiter.js';
import { isTerminalWorkflow } from '../model/status.js';
import type { OpenExecution } from '../engine/open-execution.js';
import type { OperationContext } from './context.js';
import { workflowText } from './execution-view.js';

export interface RunningFilter {
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
  name: string,
  filter: RunningFilter,
): Promise<ExecutionId[]> {
  const { startTime, endTime, version } = filter;
  if (startTime === 0 || endTime === 0) return context.executionIndex.running(name);
  const ids = await context.executionIndex.startedBetween(name, startTime, endTime);
  const versions = await readAll(context, ids, (open) => open.execution.snapshot.def.version);
  return ids.filter((_id, i) => versions[i] === version);
}

export interface CorrelatedFilter {
  /** False: only those that have not ended. */
  readonly includeClosed: boolean;
  readonly includeTasks: boolean;
}

/** JSON texts of the Workflows with that name and correlation id, oldest first. */
export async function listCorrelatedWorkflows(
  context: OperationContext,
  name: string,
  correlationId: string,
  filter: CorrelatedFilter,
): Promise<string[]> {
  const found = await context.executionIndex.correlated(name, correlationId);
  const now = context.clock.now();
  const texts = await readAll(
    context,
    found.slice(0, context.limits.listedExecutionsMax),
    (open) =>
      filter.includeClosed || !isTerminalWorkflow(open.execution.progress.status)
        ? workflowText(open, filter.includeTasks, now)
        : undefined,
  );
  return texts.filter((text) => text !== undefined);
}

/** Views in the order of the ids; undefined for those that are gone. */
async function readAll<T>(
  context: OperationContext,
  ids: readonly ExecutionId[],
  view: (open: OpenExecution) => T,
): Promise<(T | undefined)[]> {
  const limiter = new Limiter(context.limits.readsAtOnceMax);
  return Promise.all(ids.map((id) => limiter.run(() => context.executions.read(id, view))));
}
