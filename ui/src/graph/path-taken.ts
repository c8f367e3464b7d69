// The path that an execution has taken through its graph.
import type { GraphEdge } from './drawing';

/** Statuses of tasks by reference name; a task that was not reached has none. */
type States = ReadonlyMap<string, { readonly status?: string | undefined } | undefined>;

/** Whether the execution has gone along an edge. */
export function isTaken(edge: GraphEdge, states: States): boolean {
  const { from, to, joins = false, besides = [] } = edge;
  const reached = (ref: string): boolean => states.get(ref)?.status !== undefined;
  if (joins && !isDone(states.get(from ?? '')?.status)) return false;
  if (to !== undefined) return reached(to) && (from === undefined || reached(from));
  if (from === undefined || !isDone(states.get(from)?.status)) return false;
  return !besides.some(reached);
}

/** Whether the flow goes on behind a task with this status. */
export function isDone(status = ''): boolean {
  return /^(?:COMPLETED|SKIPPED)/.test(status);
}
