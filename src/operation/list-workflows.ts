// Executions of a workflow by name and correlation id (contract-core 9, semantics 8.2). The ids
// come from indexes that change in the commits of the executions, so an execution is found as soon
// as its start was answered.
import type { ExecutionId } from '../std/ids.js';
import { requireRight, type AccessRules } from '../access/access-rules.js';
import { mayOnAllExecutions } from '../access/execution-rights.js';
import type { Caller } from '../model/caller.js';
import { isTerminalWorkflow } from '../model/status.js';
import { readableExecutions, readableNames } from './access.js';
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
  const readable = readableExecutions(context.access, caller);
  if (startTime === 0 || endTime === 0) {
    const running = await context.executionIndex.running(name);
    if (mayReadAllOf(context.access, caller, name)) return running;
    // A caller who may not read the name has a few at most: its own.
    const some = readableNames(context.access, caller)(name)
      ? running
      : running.slice(-context.limits.listedExecutionsMax);
    const areShown = await readExecutions(context, some, (open) => readable(open.execution));
    return requireAny(
      context,
      caller,
      name,
      some.filter((_id, i) => areShown[i] === true),
    );
  }
  const ids = await context.executionIndex.startedBetween(name, startTime, endTime);
  const versions = await readExecutions(context, ids, ({ execution }) =>
    readable(execution) ? execution.snapshot.def.version : undefined,
  );
  const found = ids.filter((_id, i) => versions[i] === version);
  return requireAny(context, caller, name, found);
}

/** Whether every execution of the name may be shown, so that none has to be read to know. */
function mayReadAllOf(access: AccessRules, caller: Caller, name: string): boolean {
  if (mayOnAllExecutions(access, caller, 'READ')) return true;
  return access.heldSince(name) === 0 && readableNames(access, caller)(name);
}

/**
 * Returns the found executions to callers with READ on the name; others are shown their own, and
 * refused when there are none. Throws AppError 'forbidden'.
 */
function requireAny<T>(
  { access }: OperationContext,
  caller: Caller,
  name: string,
  found: T[],
): T[] {
  if (found.length === 0) requireRight(access, caller, 'READ', { type: 'WORKFLOW_DEF', id: name });
  return found;
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
  const isReadable = readableExecutions(context.access, caller);
  const found = await context.executionIndex.correlated(name, correlationId);
  const now = context.clock.now();
  const texts = await readExecutions(
    context,
    found.slice(0, context.limits.listedExecutionsMax),
    (open) => {
      const { execution } = open;
      if (!isReadable(execution)) return undefined;
      return filter.includeClosed || !isTerminalWorkflow(execution.state.status)
        ? size.add(workflowText(open, filter.includeTasks, now))
        : undefined;
    },
  );
  const shown = texts.filter((text) => text !== undefined);
  return requireAny(context, caller, name, shown);
}
