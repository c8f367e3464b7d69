// How the last runs of schedules ended, and what became of single runs.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ask } from '../../api/client';
import type {
  Found,
  JsonObject,
  ScheduleOutcome,
  ScheduleOutcomes,
  WorkflowSummary,
} from '../../api/types';
import { causeOf } from '../../state/causes';

/** Schedules of one answer of the server, the most that it gives. */
const schedulesAtOnce = 1000;
/** Ids that fit into one request. */
const idsMax = 100;
const refetchMs = 15_000;

/** By name; undefined until it is known. A schedule that has not run is absent. */
export function useRunOutcomes(isAsked: boolean): ReadonlyMap<string, ScheduleOutcome> | undefined {
  const { data } = useQuery({
    queryKey: ['run-outcomes'],
    queryFn: ({ signal }) => outcomes(signal),
    enabled: isAsked,
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

async function outcomes(signal: AbortSignal): Promise<ReadonlyMap<string, ScheduleOutcome>> {
  const known = new Map<string, ScheduleOutcome>();
  for (let start = 0, left = true; left; start += schedulesAtOnce) {
    const path = `/api/scheduler/outcomes?start=${start}&size=${schedulesAtOnce}`;
    const { totalHits, results } = await ask<ScheduleOutcomes>(path, { signal });
    for (const outcome of results) known.set(outcome.scheduleName, outcome);
    left = totalHits > start + schedulesAtOnce;
  }
  return known;
}

async function summaries(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, WorkflowSummary>> {
  const found = await Promise.all(
    partsOf(ids).map((part) => {
      const query = `workflowId IN (${part.join(',')})`;
      const asked = new URLSearchParams({ query, size: String(idsMax) });
      return ask<Found<WorkflowSummary>>(`/api/workflow/search?${asked.toString()}`, { signal });
    }),
  );
  return new Map(found.flatMap(({ results }) => results.map((row) => [row.workflowId, row])));
}

function partsOf(all: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(all.length / idsMax) }, (_, index) =>
    all.slice(index * idsMax, (index + 1) * idsMax),
  );
}
