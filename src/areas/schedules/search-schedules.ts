// Search over schedules (contract-core 19.3). They are all in memory, so each question looks at all
// of them: 100,000 take a few milliseconds.
import { AppError } from '../../model/errors.js';
import { workflowNameOf, type WorkflowSchedule } from './schedule.js';

export interface ScheduleSearch {
  /** Exact. */
  readonly workflowName?: string;
  /** Contained, in any case of letters. */
  readonly scheduleName?: string;
  readonly paused?: boolean;
  /** Words that all have to stand in names or description; `*` and empty: all. */
  readonly freeText: string;
  readonly start: number;
  readonly size: number;
  /** `field` or `field:ASC` or `field:DESC`. */
  readonly sort: readonly string[];
}

export const scheduleSearchSizeMax = 5000;

/** The page that was asked for, and how many fit in all. Throws AppError 'bad-request'. */
export function searchSchedules(
  schedules: readonly WorkflowSchedule[],
  search: ScheduleSearch,
): { page: WorkflowSchedule[]; total: number } {
  if (search.start < 0) throw new AppError('bad-request', "Parameter 'start' must not be negative");
  if (search.size < 0 || search.size > scheduleSearchSizeMax) {
    throw new AppError('bad-request', `Parameter 'size' must be 0 to ${scheduleSearchSizeMax}`);
  }
  const found = schedules.filter((schedule) => fits(schedule, search));
  for (const criterion of search.sort.toReversed()) sortBy(found, criterion);
  return { page: found.slice(search.start, search.start + search.size), total: found.length };
}

function fits(schedule: WorkflowSchedule, search: ScheduleSearch): boolean {
  const { workflowName, scheduleName, paused } = search;
  if (workflowName && workflowNameOf(schedule) !== workflowName) return false;
  if (scheduleName && !contains(schedule.name, scheduleName)) return false;
  if (paused !== undefined && schedule.paused !== paused) return false;
  const text = `${schedule.name} ${workflowNameOf(schedule)} ${schedule.description ?? ''}`;
  return wordsOf(search.freeText).every((word) => contains(text, word));
}

function wordsOf(freeText: string): string[] {
  return freeText.split(/\s+/).flatMap((word) => word.replaceAll('*', '') || []);
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

const sortFields: ReadonlyMap<string, (schedule: WorkflowSchedule) => string | number> = new Map<
  string,
  (schedule: WorkflowSchedule) => string | number
>([
  ['name', ({ name }) => name],
  ['workflowName', workflowNameOf],
  ['paused', ({ paused }) => Number(paused)],
  ['createTime', ({ createTime }) => createTime],
  ['updatedTime', ({ updatedTime }) => updatedTime],
]);

/** Stable; unknown fields change nothing (contract-core 21.4). */
function sortBy(schedules: WorkflowSchedule[], criterion: string): void {
  const [field = '', direction] = criterion.split(':');
  const valueOf = sortFields.get(field);
  if (valueOf === undefined) return;
  const sign = direction === 'DESC' ? -1 : 1;
  schedules.sort((a, b) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    return x === y ? 0 : x < y ? -sign : sign;
  });
}
