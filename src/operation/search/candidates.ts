// The executions that a plan leaves to be checked, newest first, each once.
import type { ExecutionId } from '../../std/ids.js';
import { mayOnAllExecutions } from '../../access/execution-rights.js';
import type { Caller } from '../../model/caller.js';
import { readableExecutions } from '../access.js';
import type { IndexEntry, SearchStore } from '../../store/search-store.js';
import type { Plan } from './plan.js';
import { checkCandidates, type AccessContext, type SearchContext } from './request.js';

const headersPerBatch = 2000;

interface HeaderStore {
  readonly store: Pick<SearchStore, 'list' | 'correlated' | 'headers'>;
}

/**
 * Not bounded: ids are small, and the refusal of a search that is too broad names the exact number.
 */
export async function candidatesOf(
  { store }: { readonly store: Pick<SearchStore, 'list' | 'correlated'> },
  plan: Plan,
): Promise<ExecutionId[]> {
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

/**
 * Those that the caller may read, by their headers: executions of others are neither read in full
 * nor counted. One without a header, as in the archive, is left in.
 */
export async function readableCandidates(
  search: Pick<SearchContext, 'limits'> & AccessContext & HeaderStore,
  caller: Caller,
  plan: Plan,
): Promise<ExecutionId[]> {
  const { store, context } = search;
  const candidates = await candidatesOf(search, plan);
  if (mayOnAllExecutions(context.access, caller, 'READ')) return candidates;
  checkCandidates(search, caller, candidates.length);
  const isReadable = readableExecutions(context.access, caller);
  const readable: ExecutionId[] = [];
  for (let first = 0; first < candidates.length; first += headersPerBatch) {
    const some = candidates.slice(first, first + headersPerBatch);
    const headers = await store.headers(some);
    readable.push(
      ...some.filter((_, at) => {
        const header = headers[at];
        return header === undefined || isReadable(header);
      }),
    );
  }
  return readable;
}

function newestFirst(entries: IndexEntry[]): ExecutionId[] {
  entries.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));
  return entries.map(({ id }) => id);
}
