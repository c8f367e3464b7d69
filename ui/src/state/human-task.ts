// One task of a person, for its pane and for the line that says where one is.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ask } from '../api/client';
import type { HumanTaskEntry } from '../api/types';

/** `taskId`: '' for none. */
export function useHumanTask(taskId: string): UseQueryResult<HumanTaskEntry> {
  return useQuery({
    queryKey: ['human-task', taskId],
    queryFn: ({ signal }) => ask<HumanTaskEntry>(`/api/human/tasks/${taskId}`, { signal }),
    enabled: taskId !== '',
    refetchOnWindowFocus: false,
  });
}

export function humanTaskName({ displayName, definitionName }: HumanTaskEntry): string {
  return displayName || definitionName;
}
