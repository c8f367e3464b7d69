// The overview for the first page: how much runs, and which executions need attention.
import type { ValueOf } from '../../model/schema.js';
import type { Caller } from '../../model/caller.js';
import type { HumanTaskStore } from '../../store/human-task-store.js';
import type { StatisticsStore } from '../../store/statistics-store.js';
import type { OperationContext } from '../../operation/context.js';
import type { SearchContext } from '../../operation/search/request.js';
import type { Attention } from './attention.js';
import { countWorkflows } from '../../operation/search/facets.js';
import {
  causeOf,
  groupFailures,
  type FailureGroup,
} from '../../operation/search/failure-groups.js';
import { overdueLine, overdueTimers } from './overdue.js';
import type { overviewSchema } from './overview-schemas.js';
import { queueStats, type QueueStats } from './queue-stats.js';
import { perMinute } from './rates.js';
import { longestHumanWait, longestQueueWait, overdueHumanTasks } from './waits.js';

export type Overview = ValueOf<typeof overviewSchema>;

const failureGroupsMax = 5;
const idsInQueryMax = 100;

export interface OverviewParts {
  readonly context: OperationContext;
  readonly search: SearchContext;
  readonly humanTasks: Pick<HumanTaskStore, 'search' | 'dueBefore'>;
  readonly statistics: Pick<StatisticsStore, 'overdue'>;
}

export async function overview(
  { context, search, humanTasks, statistics }: OverviewParts,
  { caller, windowMs }: { readonly caller: Caller; readonly windowMs: number },
): Promise<Overview> {
  const now = context.clock.now();
  const since = `startTime >= ${now - windowMs}`;
  const [all, recent, nowPerMinute, overdue, humansDue, humanWait, failed] = await Promise.all([
    countWorkflows(search, { caller, query: undefined, freeText: undefined }),
    countWorkflows(search, { caller, query: since, freeText: undefined }),
    perMinute(context, caller),
    overdueTimers({ search, statistics }, caller),
    overdueHumanTasks(humanTasks, caller, now),
    longestHumanWait(humanTasks, caller, now),
    failures(search, caller, windowMs),
  ]);
  const queues = await queueStats(context, caller, nowPerMinute);
  const paused = all.status.PAUSED ?? 0;
  return {
    counts: all.status,
    started: recent.status,
    perMinute: nowPerMinute.executions,
    attention: [
      ...overdueLine(overdue),
      ...queuesInTrouble(queues),
      ...longestQueueWait(queues, now),
      ...humansDue,
      ...humanWait,
      ...failed,
      ...(paused === 0 ? [] : [pausedOnes(paused)]),
    ],
  };
}

function queuesInTrouble(queues: readonly QueueStats[]): Attention[] {
  return queues
    .filter(({ kind }) => kind !== undefined)
    .map(({ taskType, domain, waiting, reason, oldestReadyTime: since }) => ({
      ...{ kind: 'queue' as const, count: waiting, sentence: `Queue ${taskType}: ${reason}` },
      ...{ taskType, domain, ...(since !== undefined && { since }) },
    }));
}

async function failures(
  search: SearchContext,
  caller: Caller,
  windowMs: number,
): Promise<Attention[]> {
  const { groups } = await groupFailures(search, caller, windowMs);
  return groups.slice(0, failureGroupsMax).map((group) => ({
    kind: 'failures',
    count: group.count,
    sentence: `${group.workflowType} failed${group.ref === '' ? '' : ` at ${group.ref}`}: ${causeOf(group.sample)}`,
    query: queryOf(group),
    since: group.firstTime,
  }));
}

/** The ids where they fit into an address, else what the group has in common. */
function queryOf({ count, workflowIds, workflowType }: FailureGroup): string {
  return count <= idsInQueryMax
    ? `workflowId IN (${workflowIds.join(',')})`
    : `workflowType = ${JSON.stringify(workflowType)} AND status IN (FAILED, TIMED_OUT)`;
}

function pausedOnes(count: number): Attention {
  return {
    kind: 'paused',
    count,
    sentence:
      count === 1
        ? '1 execution is paused until somebody resumes it.'
        : `${count} executions are paused until somebody resumes them.`,
    query: 'status = "PAUSED"',
  };
}
