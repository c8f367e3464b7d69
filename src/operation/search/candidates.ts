// The executions that a plan leaves to be checked, newest first, each once.
import type { ExecutionId } from '../../std/ids.js';
import type { IndexEntry } from '../../store/search-store.js';
import type { Plan } from './plan.js';
import type { SearchContext } from './request.js';

/**
 * Not bounded: ids are small, and the refusal of a search that is too broad names the exact number.
 */
export async function candidatesOf({ store }: SearchContext, plan: Plan): Promise<ExecutionId[]> {
  if (plan.ids !== undefined) return [...plan.ids];
  if (plan.correlationIds !== undefined) {
    const lists = await Promise.all(plan.correlationIds.map((id) => store.correlated(id)));
    const { fromAt, untilAt } = plan.range;
    const entries = lists
      .flat()
      .filter(
        ({ startedAt }) =>
          (fromAt === undefined || startedAt >= fromAt) &&
          (untilAt === undefined || startedAt <= untilAt),
      );
    return newestFirst(entries);
  }
  return newestFirst(await store.list(plan.range));
}

function newestFirst(entries: IndexEntry[]): ExecutionId[] {
  entries.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));
  return entries.map(({ id }) => id);
}
