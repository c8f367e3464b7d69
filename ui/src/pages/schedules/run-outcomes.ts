// How the last run of each schedule ended, and how many failed in a row up to it. A run fails when
// nothing could be started, and when what it started failed or timed out; one that still runs says
// nothing yet. Executions that are gone, or that the caller may not read, say nothing either.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ask } from '../../api/client';
import type { Found, JsonObject, ScheduledRun, WorkflowSummary } from '../../api/types';
import { causeOf } from '../../state/causes';

export interface RunOutcome {
  /** Status of the execution; FAILED where nothing was started, undefined where it is not known. */
  readonly status: string | undefined;
  /** The newest failures without a success between them. */
  readonly failuresInRow: number;
  /** All runs that were looked at failed, and there are as many as are looked at. */
  readonly isMore: boolean;
  /** The execution to look at: the one that failed last, else that of the last run. */
  readonly workflowId: string | undefined;
  /** Why the last failure happened. */
  readonly reason: string | undefined;
}

/** Runs of one schedule that are looked at. */
const runsOfOneMax = 10;
/** Runs of one answer. A schedule with many runs hides others; those are asked for once more. */
const runsAtOnce = 300;
const roundsMax = 4;
/** Ids or names that fit into one request. */
const namesMax = 100;
const refetchMs = 15_000;

/** By name; undefined until it is known. A schedule that has not run is absent. */
export function useRunOutcomes(
  names: readonly string[],
): ReadonlyMap<string, RunOutcome> | undefined {
  const { data } = useQuery({
    queryKey: ['run-outcomes', ...names],
    queryFn: ({ signal }) => outcomes(names, signal),
    enabled: names.length > 0,
    refetchInterval: refetchMs,
    placeholderData: keepPreviousData,
  });
  return data;
}

/** Runs as what they started ended: with its status, and why it failed. */
export async function withOutcomes(
  runs: readonly JsonObject[],
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const ids = runs.flatMap(({ workflowId }) => (typeof workflowId === 'string' ? workflowId : []));
  const executions = await summaries(ids, signal);
  return runs.map((run) => {
    const execution = executions.get(String(run['workflowId']));
    if (execution === undefined) return run;
    const { status, reasonForIncompletion } = execution;
    return { ...run, state: status, reason: causeOf(reasonForIncompletion) };
  });
}

async function outcomes(
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, RunOutcome>> {
  const runs = await newestRuns(names, signal);
  const ids = [...runs.values()].flat().flatMap(({ workflowId }) => workflowId ?? []);
  const executions = await summaries(ids, signal);
  return new Map([...runs].map(([name, own]) => [name, outcomeOf(own, executions)]));
}

/** Newest first; a schedule that has not run is absent. */
async function newestRuns(
  names: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, ScheduledRun[]>> {
  const runs = new Map<string, ScheduledRun[]>();
  for (const part of partsOf(names.filter(isAskable))) {
    for (let round = 0; round < roundsMax; round += 1) {
      const left = part.filter((name) => !runs.has(name));
      if (left.length === 0) break;
      const asked = new URLSearchParams({
        query: `scheduleName IN (${left.join(',')})`,
        size: String(runsAtOnce),
      });
      const path = `/api/scheduler/search/executions?${asked.toString()}`;
      const { results } = await ask<Found<ScheduledRun>>(path, { signal });
      for (const run of results.filter((each) => !isSkip(each))) {
        const own = runs.get(run.scheduleName) ?? [];
        if (own.length < runsOfOneMax) runs.set(run.scheduleName, [...own, run]);
      }
      if (results.length < runsAtOnce) break;
    }
  }
  return runs;
}

/** The record of due times that passed while no server ran: nothing failed. */
const isSkip = ({ workflowId, reason = '' }: ScheduledRun): boolean =>
  workflowId === undefined && reason.startsWith('Skipped ');

/** A list of names in a query is parted at commas, and the query at AND. */
const isAskable = (name: string): boolean => !/[,()'"]|\sAND\s/i.test(name);

async function summaries(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, WorkflowSummary>> {
  const found = await Promise.all(
    partsOf(ids).map((part) => {
      const query = `workflowId IN (${part.join(',')})`;
      const asked = new URLSearchParams({ query, size: String(namesMax) });
      return ask<Found<WorkflowSummary>>(`/api/workflow/search?${asked.toString()}`, { signal });
    }),
  );
  return new Map(found.flatMap(({ results }) => results.map((row) => [row.workflowId, row])));
}

function partsOf(all: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(all.length / namesMax) }, (_, index) =>
    all.slice(index * namesMax, (index + 1) * namesMax),
  );
}

const failures = new Set(['FAILED', 'TIMED_OUT']);
const open = new Set(['RUNNING', 'PAUSED']);

/** `runs`: newest first, at least one. */
function outcomeOf(
  runs: readonly ScheduledRun[],
  executions: ReadonlyMap<string, WorkflowSummary>,
): RunOutcome {
  const ended = runs
    .map((run) => ({ run, status: statusOf(run, executions) }))
    .filter(({ status }) => status === undefined || !open.has(status));
  const success = ended.findIndex(({ status = '' }) => !failures.has(status));
  const failuresInRow = success === -1 ? ended.length : success;
  const failed = ended.slice(0, failuresInRow).map(({ run }) => run);
  // One that started something is there to be looked at.
  const shown = failed.find(({ workflowId }) => workflowId !== undefined) ?? failed[0] ?? runs[0];
  const { workflowId } = shown ?? {};
  const execution = workflowId === undefined ? undefined : executions.get(workflowId);
  return {
    status: runs[0] === undefined ? undefined : statusOf(runs[0], executions),
    failuresInRow,
    isMore: success === -1 && runs.length === runsOfOneMax,
    workflowId,
    reason: shown?.reason ?? execution?.reasonForIncompletion,
  };
}

function statusOf(
  { state, workflowId }: ScheduledRun,
  executions: ReadonlyMap<string, WorkflowSummary>,
): string | undefined {
  if (workflowId === undefined) return state === 'FAILED' ? state : undefined;
  return executions.get(workflowId)?.status;
}
