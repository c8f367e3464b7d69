// The search behind the list of executions: its address, and the query of the filter bar.
import { ask } from '../api/client';
import type { Found, WorkflowFacets, WorkflowSummary } from '../api/types';
import { startOf, type View } from './view';

export const pageSize = 200;

/** The search grammar for what a view asks. `without` leaves the status out, for the facets. */
export function queryOf(view: View, without: 'status' | undefined = undefined): string {
  const { q = '', status = '', type = '', from = '', to = '' } = view;
  const terms = [
    q === '' ? '' : `(${q})`,
    status === '' || without === 'status' ? '' : `status IN (${status})`,
    type === '' ? '' : `workflowType = "${type.replaceAll('"', '\\"')}"`,
    from === '' ? '' : `startTime >= ${new Date(from).getTime()}`,
    to === '' ? '' : `startTime <= ${new Date(to).getTime()}`,
  ];
  return terms.filter((term) => term !== '').join(' AND ');
}

/** Orders that one can choose; the first one is that of a view that names none. */
export const orders = [
  ['startTime:DESC', 'Newest first'],
  ['startTime:ASC', 'Oldest first'],
  ['updateTime:DESC', 'Changed last'],
  ['endTime:DESC', 'Ended last'],
] as const;

export function searchPath(view: View, size = pageSize): string {
  const parameters = new URLSearchParams({
    query: queryOf(view),
    sort: view['sort'] ?? orders[0][0],
    size: String(size),
    start: String(startOf(view)),
    freeText: view['text'] ?? '*',
    strictFields: 'true',
  });
  return `/api/workflow/search?${parameters.toString()}`;
}

export function searchExecutions(
  view: View,
  signal: AbortSignal,
  size = pageSize,
): Promise<Found<WorkflowSummary>> {
  return ask(searchPath(view, size), { signal });
}

export function countExecutions(view: View, signal: AbortSignal): Promise<WorkflowFacets> {
  const parameters = new URLSearchParams({
    query: queryOf(view, 'status'),
    freeText: view['text'] ?? '*',
  });
  return ask(`/api/workflow/facets?${parameters.toString()}`, { signal });
}
