// Search over the runs of schedules (contract-core 19.3).
import { AppError } from '../../model/errors.js';
import { parseRunQuery, type RunQuery } from './run-query.js';
import type { ScheduleRun } from './schedule-run.js';
import type { ScheduleRunStore } from './run-store.js';

export interface RunSearch {
  readonly query: string;
  /** Words that all have to stand in names, ids or reason; `*` and empty: all. */
  readonly freeText: string;
  readonly start: number;
  readonly size: number;
  readonly sort: readonly string[];
}

/** Runs that one filtered search looks at, the newest ones. */
const lookedAtMax = 10_000;
export const runSearchSizeMax = 5000;

/**
 * The page that was asked for, newest due time first unless sorted otherwise, and how many fit.
 * `mayRead` leaves out what the caller may not see. Throws AppError 'bad-request'.
 */
export async function searchRuns(
  store: ScheduleRunStore,
  search: RunSearch,
  mayRead: ((run: ScheduleRun) => boolean) | undefined,
): Promise<{ page: ScheduleRun[]; total: number }> {
  const { start, size } = search;
  if (start < 0) throw new AppError('bad-request', "Parameter 'start' must not be negative");
  if (size < 0 || size > runSearchSizeMax) {
    throw new AppError('bad-request', `Parameter 'size' must be 0 to ${runSearchSizeMax}`);
  }
  const query = parseRunQuery(search.query);
  const words = search.freeText.split(/\s+/).flatMap((word) => word.replaceAll('*', '') || []);
  const order = orderOf(search.sort);
  if (words.length === 0 && order === undefined && isEmpty(query) && mayRead === undefined) {
    const { runs, total } = await store.newest(start, size);
    return { page: runs, total };
  }
  const runs = await store.find(query, lookedAtMax);
  const found = runs.filter(
    (run) => fits(run, query) && hasWords(run, words) && mayRead?.(run) !== false,
  );
  if (order !== undefined) found.sort(order);
  return { page: found.slice(start, start + size), total: found.length };
}

function isEmpty(query: RunQuery): boolean {
  return Object.values(query).every((value) => Array.isArray(value) && value.length === 0);
}

function fits(run: ScheduleRun, query: RunQuery): boolean {
  const { scheduleNames, executionIds, states, workflowNames } = query;
  const { scheduledAfter = -Infinity, scheduledBefore = Infinity } = query;
  return (
    (scheduleNames.length === 0 || scheduleNames.includes(run.scheduleName)) &&
    (executionIds.length === 0 || executionIds.includes(run.executionId)) &&
    (states.length === 0 || states.includes(run.state)) &&
    (workflowNames.length === 0 || workflowNames.some((name) => run.workflowName.includes(name))) &&
    run.scheduledTime > scheduledAfter &&
    run.scheduledTime < scheduledBefore
  );
}

function hasWords(run: ScheduleRun, words: readonly string[]): boolean {
  const { scheduleName, workflowName, workflowId = '', executionId, reason = '', state } = run;
  const text = `${scheduleName} ${workflowName} ${workflowId} ${executionId} ${reason} ${state}`;
  return words.every((word) => text.toLowerCase().includes(word.toLowerCase()));
}

const sortFields = [
  'scheduledTime',
  'executionTime',
  'scheduleName',
  'workflowName',
  'state',
] as const;

/** Unknown fields fall back to the default order; undefined stands for it. */
function orderOf(
  sort: readonly string[],
): ((a: ScheduleRun, b: ScheduleRun) => number) | undefined {
  const criteria = sort.flatMap((criterion) => {
    const [name, direction] = criterion.split(':');
    const field = sortFields.find((each) => each === name);
    return field === undefined ? [] : [{ field, sign: direction === 'DESC' ? -1 : 1 }];
  });
  if (criteria.length === 0) return undefined;
  return (a, b) => {
    for (const { field, sign } of criteria) {
      if (a[field] !== b[field]) return a[field] < b[field] ? -sign : sign;
    }
    return 0;
  };
}
