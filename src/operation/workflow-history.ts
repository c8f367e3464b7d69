// The controls and edits of an execution, and their callers: the entries that the execution keeps.
import type { Caller } from '../model/caller.js';
import type { HistoryEntry } from '../model/history.js';
import { requireExecutionRight } from './access.js';
import type { ReadContext } from './get-workflow.js';
import { noSuchWorkflow } from '../model/errors.js';

/** Oldest first; those beyond `historyEntriesMax` are gone. Throws AppError 'not-found'. */
export async function workflowHistory(
  context: ReadContext,
  caller: Caller,
  id: string,
): Promise<readonly HistoryEntry[]> {
  await requireExecutionRight(context, caller, 'READ', id);
  const seen = await context.executions.read(id, ({ execution }) => [...(execution.history ?? [])]);
  if (seen === undefined) throw noSuchWorkflow(id);
  return seen;
}
