// The contents of the queues, as the server tells them while the page is in sight.
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ask } from '../../api/client';
import type { QueueStats } from '../../api/types';
import { overviewMs } from '../../live/polling';
import { useLiveState } from '../../live/queries';

export type { QueueStats };

export const queueStatsPath = '/api/stats/queues';

const queryKey = ['queue-stats'];

export function useQueueStats(): UseQueryResult<readonly QueueStats[]> {
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => ask<readonly QueueStats[]>(queueStatsPath, { signal }),
    refetchInterval: useLiveState('queues', queryKey, overviewMs),
    placeholderData: keepPreviousData,
  });
}
