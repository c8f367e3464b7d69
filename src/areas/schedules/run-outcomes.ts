// The endpoint that shows how the last runs of schedules ended. Most schedules are judged by their
// newest runs alone; only of those that failed are more read.
import { endpoint, query, type Endpoint } from '../../api/endpoint.js';
import { AppError } from '../../model/errors.js';
import type { Caller } from '../../model/caller.js';
import { flag, integer, list, object, oneOf, text, type ValueOf } from '../../model/schema.js';
import { workflowStatuses } from '../../model/status.js';
import { readableExecutions } from '../../operation/access.js';
import { inTurn, type SearchContext } from '../../operation/search/request.js';
import type { ExecutionHeader } from '../../store/search-store.js';
import { parseExecutionId } from '../../std/ids.js';
import type { ScheduleRunStore } from './run-store.js';
import { runOutcome, runsCountedMax } from './run-outcome.js';
import type { ScheduleRun } from './schedule-run.js';
import type { Schedules } from './schedules.js';

const outcomeSchema = object(
  'ScheduleOutcome',
  {
    scheduleName: text(),
    status: oneOf(
      workflowStatuses,
      'Of what the last run started; FAILED: nothing was started; absent: not known',
    ),
    failuresInRow: integer('The newest runs that failed, without a success between them'),
    isMore: flag('As many failed as are looked at'),
    workflowId: text('The execution that failed last, else that of the last run'),
    reason: text('Why the last failure happened'),
  },
  ['scheduleName', 'failuresInRow', 'isMore'],
);

const outcomesSchema = object(
  'ScheduleOutcomes',
  {
    totalHits: integer('Schedules that the caller may read'),
    results: list(outcomeSchema, 'A schedule that has not run is absent'),
  },
  ['totalHits', 'results'],
);

type Outcome = ValueOf<typeof outcomeSchema>;
type Outcomes = ValueOf<typeof outcomesSchema>;

interface OutcomeParts {
  readonly schedules: Schedules;
  readonly runs: ScheduleRunStore;
  readonly search: SearchContext;
}

interface Asked {
  readonly caller: Caller;
  readonly start: number;
  readonly size: number;
  /** Aborted when the caller waits no more. */
  readonly gone: AbortSignal;
}

/** Schedules of one answer. */
const sizeMax = 1000;
/** Runs that are read of every schedule; one may still run, one may record passed due times. */
const runsFirst = 3;
/** Schedules whose runs are read together. */
const schedulesAtOnce = 100;

export function outcomeEndpoint(parts: OutcomeParts): Endpoint {
  return endpoint({
    method: 'GET',
    pattern: '/api/scheduler/outcomes',
    name: 'listScheduleOutcomes',
    summary: 'Shows how the last runs of schedules ended, by the name of the schedule.',
    access: { rule: 'each', type: 'WORKFLOW_SCHEDULE', right: 'READ' },
    parameters: {
      start: query(integer('Schedules to leave out before', { default: 0 })),
      size: query(integer(`Most schedules to look at, up to ${sizeMax}`, { default: sizeMax })),
    },
    reply: outcomesSchema,
    handle: async (request) => {
      const start = request.queryNumber('start');
      const size = request.queryNumber('size');
      return await runOutcomes(parts, {
        ...{ caller: request.caller, start, size, gone: request.whenGone() },
      });
    },
  });
}

/** Throws AppError 'bad-request' that names the parameter. */
async function runOutcomes(parts: OutcomeParts, asked: Asked): Promise<Outcomes> {
  const { caller, start, size, gone } = asked;
  if (start < 0) throw new AppError('bad-request', "Parameter 'start' must not be negative");
  if (size < 1 || size > sizeMax) {
    throw new AppError('bad-request', `Parameter 'size' must be 1 to ${sizeMax}`);
  }
  const all = parts.schedules.list(caller).map(({ name }) => name);
  const names = all.slice(start, start + size);
  const results: Outcome[] = [];
  await inTurn({ ...parts.search, gone }, caller, async () => {
    for (let first = 0; first < names.length; first += schedulesAtOnce) {
      const some = names.slice(first, first + schedulesAtOnce);
      results.push(...(await outcomesOf(parts, caller, some)));
    }
  });
  return { totalHits: all.length, results };
}

async function outcomesOf(
  parts: OutcomeParts,
  caller: Caller,
  names: readonly string[],
): Promise<Outcome[]> {
  const judged = new Map<string, Outcome>();
  let left = names;
  // One run more than is counted tells that the first of them was not the oldest.
  for (const limit of [runsFirst, runsCountedMax + 1]) {
    const runs = await runsOf(parts, caller, left, limit);
    const executions = await executionsOf(parts.search, caller, [...runs.values()].flat());
    for (const [name, newest] of runs) {
      const outcome = runOutcome(newest, { executions, limit });
      if (outcome !== undefined) judged.set(name, { scheduleName: name, ...outcome });
    }
    left = left.filter(
      (name) => judged.get(name)?.isMore ?? (runs.get(name)?.length ?? 0) === limit,
    );
    if (left.length === 0) break;
  }
  return names.flatMap((name) => judged.get(name) ?? []);
}

/** By name the newest runs that the caller may see; a schedule without one is absent. */
async function runsOf(
  { runs, schedules }: OutcomeParts,
  caller: Caller,
  names: readonly string[],
  limit: number,
): Promise<Map<string, ScheduleRun[]>> {
  const newest = await runs.newestOfEach(names, limit);
  const seen = [...newest].map(([name, found]) => {
    return [name, found.filter((run) => schedules.mayReadRun(caller, run))] as const;
  });
  return new Map(seen.filter(([, found]) => found.length > 0));
}

/** Those of the runs that the caller may read. */
async function executionsOf(
  { store, context }: SearchContext,
  caller: Caller,
  runs: readonly ScheduleRun[],
): Promise<ReadonlyMap<string, ExecutionHeader>> {
  const ids = runs.flatMap(({ workflowId = '' }) => parseExecutionId(workflowId) ?? []);
  const isReadable = readableExecutions(context.access, caller);
  const headers = await store.headers(ids);
  return new Map(
    headers.flatMap((header) =>
      header !== undefined && isReadable(header) ? [[header.id, header]] : [],
    ),
  );
}
