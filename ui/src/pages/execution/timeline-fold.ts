// Below the graph the timeline is short: the branches of a dynamic fork are one row there, from
// when the first one was scheduled until the last one ended. What failed keeps a row of its own,
// as does the task that is shown beside.
import { statusKind } from '../../design/status';
import { branchesOf } from './dynamic-branches';
import type { Outline, TaskRow } from './outline';
import type { TimelineRow } from './timeline-rows';

/** So many branches have rows of their own. */
const branchesMax = 5;
const failedMax = 5;

export function foldedRows(
  rows: readonly TimelineRow[],
  { definition, tasks }: Outline,
  shownTask: string | undefined,
): readonly TimelineRow[] {
  const forkOf = new Map<string, string>();
  for (const [fork, below] of branchesOf(definition.tasks, tasks)) {
    if (below.size > branchesMax) for (const ref of below.keys()) forkOf.set(ref, fork);
  }
  if (forkOf.size === 0) return rows;
  const folded = new Map<string, TaskRow[]>();
  const kept: TimelineRow[] = [];
  let failures = 0;
  for (const row of rows) {
    const fork = forkOf.get(row.name);
    const isFailed = fork !== undefined && statusKind(row.last.status) === 'failed';
    if (isFailed) failures += 1;
    const isShown = row.attempts.some(({ taskId }) => taskId === shownTask);
    if (fork === undefined || isShown || (isFailed && failures <= failedMax)) kept.push(row);
    else {
      const known = folded.get(fork);
      if (known === undefined) folded.set(fork, [...row.attempts]);
      else known.push(...row.attempts);
    }
  }
  return kept.flatMap((row) => {
    const below = folded.get(row.name);
    return below === undefined ? [row] : [row, rowOf(row.name, below)];
  });
}

function rowOf(fork: string, tasks: readonly TaskRow[]): TimelineRow {
  const open = tasks.find(({ endTime }) => endTime === 0);
  const starts = tasks.map(({ startTime }) => startTime).filter((at) => at > 0);
  const one: TaskRow = {
    ...(open ?? (tasks[0] as TaskRow)),
    ...(open !== undefined && starts.length > 0 && { status: 'IN_PROGRESS' as const }),
    startDelaySeconds: 0,
    scheduledTime: Math.min(...tasks.map(({ scheduledTime }) => scheduledTime)),
    startTime: starts.length === 0 ? 0 : Math.min(...starts),
    endTime: open === undefined ? Math.max(...tasks.map(({ endTime }) => endTime)) : 0,
  };
  return { name: `${tasks.length} branches of ${fork}`, attempts: [one], last: one };
}
