// Offers of completion beyond the text itself: names of task definitions, and the members that
// tasks had in their output in the last completed execution.
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api/client';
import type { Found, Task, TaskDef, WorkflowSummary } from '../../api/types';

/** Names that are offered. */
const namesMax = 500;
/** Tasks of the execution that are looked at. */
const tasksMax = 50;

export function useMoreOffers(name: string, isStored: boolean): readonly string[] {
  const names = useQuery({
    queryKey: ['task-definition-names'],
    queryFn: async ({ signal }) => {
      const all = await ask<readonly TaskDef[]>('/api/metadata/taskdefs', { signal });
      return all.slice(0, namesMax).map((each) => each.name);
    },
    refetchOnWindowFocus: false,
  });
  const outputs = useQuery({
    queryKey: ['known-outputs', name],
    queryFn: ({ signal }) => knownOutputs(name, signal),
    enabled: isStored,
    refetchOnWindowFocus: false,
  });
  return [...(names.data ?? []), ...(outputs.data ?? [])];
}

/** Such as `${charge.output.receipt}`; none where no execution has completed. */
async function knownOutputs(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const asked = new URLSearchParams({
    query: `workflowType = "${name}" AND status = COMPLETED`,
    ...{ size: '1', sort: 'startTime:DESC', freeText: '*' },
  });
  const { results } = await ask<Found<WorkflowSummary>>(
    `/api/workflow/search?${asked.toString()}`,
    { signal },
  );
  const [last] = results;
  if (last === undefined) return [];
  const path = `/api/workflow/${last.workflowId}/tasks?count=${tasksMax}`;
  const tasks = await ask<Found<Task>>(path, { signal });
  return tasks.results.flatMap(({ referenceTaskName, outputData }) =>
    Object.keys(outputData ?? {}).map((member) => `\${${referenceTaskName}.output.${member}}`),
  );
}
