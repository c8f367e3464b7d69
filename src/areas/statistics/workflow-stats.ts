// How the executions of each workflow have fared in a window: numbers by status out of the indexes,
// exactly, and how long those took that completed, from the newest of them. Starting and finishing
// tasks pays nothing for it.
import type { ValueOf } from '../../model/schema.js';
import { AppError } from '../../model/errors.js';
import type { Caller } from '../../model/caller.js';
import { workflowStatuses } from '../../model/status.js';
import type { OperationContext } from '../../operation/context.js';
import { mayOnAllExecutions } from '../../access/execution-rights.js';
import { readableNames } from '../../operation/access.js';
import type { SearchContext } from '../../operation/search/request.js';
import type { StatusCounts } from '../../operation/search/facets.js';
import type { workflowStatsSchema } from './overview-schemas.js';

export type WorkflowStats = ValueOf<typeof workflowStatsSchema>;

export interface WorkflowStatsParts {
  readonly context: Pick<OperationContext, 'access' | 'clock'>;
  readonly store: Pick<SearchContext['store'], 'count' | 'page' | 'headers'>;
}

/** Names of one question. */
const namesMax = 100;
const sampledMax = 100;

/** In the order of the names; without those that the caller may not read. */
export async function workflowStats(
  { context, store }: WorkflowStatsParts,
  asked: { readonly caller: Caller; readonly names: readonly string[]; readonly windowMs: number },
): Promise<WorkflowStats[]> {
  const names = [...new Set(asked.names)];
  if (names.length === 0 || names.length > namesMax) {
    throw new AppError('bad-request', `Parameter 'name' must be given 1 to ${namesMax} times`);
  }
  const now = context.clock.now();
  const fromAt = now - asked.windowMs;
  const readable = names.filter(readableNames(context.access, asked.caller));
  const stats: WorkflowStats[] = [];
  const readsAll = mayOnAllExecutions(context.access, asked.caller, 'READ');
  for (const name of readable) {
    // Executions that began before the name was registered anew belong to others.
    const since = readsAll ? 0 : (context.access.heldSince(name) ?? now);
    stats.push(await statsOf(store, name, Math.max(fromAt, since)));
  }
  return stats;
}

async function statsOf(
  store: WorkflowStatsParts['store'],
  name: string,
  fromAt: number,
): Promise<WorkflowStats> {
  const range = { names: [name], fromAt, untilAt: undefined };
  const counts: StatusCounts = {};
  for (const status of workflowStatuses) {
    counts[status] = await store.count({ ...range, statuses: [status] });
  }
  if (counts.COMPLETED === 0) return { name, counts, sampled: 0 };
  const completed = { ...range, statuses: ['COMPLETED'] as const };
  const asked = { newestFirst: true, start: 0, size: sampledMax };
  const { entries } = await store.page(completed, asked);
  const headers = await store.headers(entries.map(({ id }) => id));
  const tookMs = headers
    .flatMap((header) => (header === undefined ? [] : [header.state]))
    .map(({ createTime, endTime }) => endTime - createTime)
    .sort((a, b) => a - b);
  if (tookMs.length === 0) return { name, counts, sampled: 0 };
  const below = (share: number): number =>
    tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * share))] ?? 0;
  return { name, counts, p50Ms: below(0.5), p95Ms: below(0.95), sampled: tookMs.length };
}
