// Timers of executions that are overdue on any node, with the executions concerned. In order there
// are none: one that stays means that its execution cannot be loaded or carried on.
import type { ValueOf } from '../../model/schema.js';
import type { ExecutionId } from '../../std/ids.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
import { mayOnAllExecutions } from '../../access/execution-rights.js';
import type { ExecutionHeader } from '../../store/search-store.js';
import type { StatisticsStore } from '../../store/statistics-store.js';
import { readableExecutions } from '../../operation/access.js';
import type { SearchContext } from '../../operation/search/request.js';
import type { Attention } from './attention.js';
import type { overdueSchema } from './rate-schemas.js';

export type Overdue = ValueOf<typeof overdueSchema>;

export interface OverdueParts {
  readonly search: Pick<SearchContext, 'context' | 'store'>;
  readonly statistics: Pick<StatisticsStore, 'overdue'>;
}

/** A process that has not told for so long has ended; another node looks at its shards now, ms. */
const silentMs = 10_000;
/** Of one answer. */
const timersMax = 100;

export async function overdueTimers(
  { search: { context, store }, statistics }: OverdueParts,
  caller: Caller,
): Promise<Overdue> {
  const now = context.clock.now();
  const told = (await statistics.overdue()).filter(({ lookedAt }) => now - lookedAt < silentMs);
  if (told.length === 0) return { count: 0, timers: [] };
  const oldest = told
    .flatMap(({ timers }) => timers)
    .sort((a, b) => a.dueAt - b.dueAt)
    .slice(0, timersMax);
  const headers = await headersOf(
    store,
    oldest.map(({ workflowId }) => workflowId),
  );
  const isReadable = readableExecutions(context.access, caller);
  const readsAll = mayOnAllExecutions(context.access, caller, 'READ');
  const timers = oldest.flatMap(({ workflowId, dueAt }, i) => {
    const header = headers[i];
    const isShown = header === undefined ? readsAll : isReadable(header);
    const workflowName = header?.snapshot.def.name ?? '';
    return isShown ? [{ workflowId, workflowName, dueTime: dueAt }] : [];
  });
  const all = told.reduce((sum, { count }) => sum + count, 0);
  return { count: isAdministrator(caller) ? all : timers.length, timers };
}

/** By itself each: a record that cannot be read must not hide the others. */
async function headersOf(
  store: SearchContext['store'],
  ids: readonly ExecutionId[],
): Promise<(ExecutionHeader | undefined)[]> {
  const found = await Promise.allSettled(ids.map((id) => store.headers([id])));
  return found.map((result) => (result.status === 'fulfilled' ? result.value[0] : undefined));
}

/** The line of the overview about them. */
export function overdueLine({ count, timers }: Overdue): Attention[] {
  const [first] = timers;
  if (first === undefined) return [];
  if (count === 1) {
    const sentence = '1 timer is overdue: its execution should have moved on.';
    return [{ kind: 'timer', count, sentence, workflowId: first.workflowId }];
  }
  const ids = timers.map(({ workflowId }) => workflowId).join(',');
  const sentence = `${count} timers are overdue: their executions should have moved on.`;
  return [{ kind: 'timer', count, sentence, query: `workflowId IN (${ids})` }];
}
