// Series for plots: how many executions started in each step of a window, and how they ended. They
// come from the indexes of executions, so they are exact, right after a restart and over all nodes,
// and starting and finishing tasks pays nothing for it. Beside it stand the queues as they were
// sampled (queue-depths.ts).
import type { ValueOf } from '../../model/schema.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
import { workflowStatuses, type WorkflowStatus } from '../../model/status.js';
import type { OperationContext } from '../../operation/context.js';
import { readableExecutions } from '../../operation/access.js';
import { omittedOf } from '../../operation/search/failure-groups.js';
import type { RecordTable } from '../../operation/records/record-table.js';
import type { SearchContext } from '../../operation/search/request.js';
import type { seriesSchema } from './overview-schemas.js';
import { queueDepths, type QueueDepthHour } from './queue-depths.js';
import { stepsOf } from './steps.js';

export type Series = ValueOf<typeof seriesSchema>;

export interface SeriesParts {
  readonly context: Pick<OperationContext, 'access' | 'clock'>;
  readonly store: SearchContext['store'];
  readonly depths: RecordTable<QueueDepthHour>;
}

/** Up to so many entries are read; of more, each step is counted by itself. */
const entriesReadMax = 5000;
/** Headers that one answer reads for a caller who may not read everything. */
const headersReadMax = 5000;
const headersPerBatch = 500;

export async function series(
  parts: SeriesParts,
  asked: { readonly caller: Caller; readonly windowMs: number },
): Promise<Series> {
  const untilAt = parts.context.clock.now();
  const { stepMs, times } = stepsOf(untilAt - asked.windowMs, untilAt);
  const { caller } = asked;
  const counted = isAdministrator(caller)
    ? { started: await countAll(parts.store, times, untilAt), omitted: 0 }
    : await countReadable(parts, caller, times, untilAt);
  const queues = queueDepths(parts.depths, parts.context, { caller, times, untilAt });
  return { stepMs, times, ...counted, queues };
}

type Counts = Partial<Record<WorkflowStatus, number[]>>;

async function countAll(
  store: SeriesParts['store'],
  times: readonly number[],
  untilAt: number,
): Promise<Counts> {
  const started: Counts = {};
  for (const status of workflowStatuses) {
    const range = { names: undefined, statuses: [status], fromAt: times[0], untilAt };
    const { entries, total } = await store.page(range, {
      newestFirst: true,
      start: 0,
      size: entriesReadMax,
    });
    const counts = times.map(() => 0);
    if (total <= entries.length) for (const { startedAt } of entries) add(counts, times, startedAt);
    else {
      for (const [step, fromAt] of times.entries()) {
        const next = times[step + 1];
        const until = next === undefined ? untilAt : next - 1;
        counts[step] = await store.count({ ...range, fromAt, untilAt: until });
      }
    }
    started[status] = counts;
  }
  return started;
}

/** For a caller who may read some of them: the newest ones, by their headers. */
async function countReadable(
  { store, context }: SeriesParts,
  caller: Caller,
  times: readonly number[],
  untilAt: number,
): Promise<Pick<Series, 'started' | 'omitted'>> {
  const isReadable = readableExecutions(context.access, caller);
  const started = Object.fromEntries(
    workflowStatuses.map((status) => [status, times.map(() => 0)]),
  ) as Record<WorkflowStatus, number[]>;
  const range = { names: undefined, statuses: undefined, fromAt: times[0], untilAt };
  const { entries, total } = await store.page(range, {
    newestFirst: true,
    start: 0,
    size: headersReadMax,
  });
  for (let first = 0; first < entries.length; first += headersPerBatch) {
    const ids = entries.slice(first, first + headersPerBatch).map(({ id }) => id);
    for (const header of await store.headers(ids)) {
      if (header === undefined || !isReadable(header)) continue;
      add(started[header.state.status], times, header.state.createTime);
    }
  }
  return { started, omitted: omittedOf({ context }, caller, total - entries.length) };
}

function add(counts: number[], times: readonly number[], at: number): void {
  const step = times.findLastIndex((begin) => begin <= at);
  if (step >= 0) counts[step] = (counts[step] ?? 0) + 1;
}
