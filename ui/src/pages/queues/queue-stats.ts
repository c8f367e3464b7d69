// What the queues hold, as the server tells it while the page is in sight.
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ask } from '../../api/client';
import { overviewMs } from '../../live/polling';
import { useLiveState } from '../../live/queries';

export interface QueueStats {
  readonly taskType: string;
  readonly domain: string;
  readonly waiting: number;
  readonly leased: number;
  /** Since when the longest waiting task could be handed out, epoch ms. */
  readonly oldestReadyTime?: number;
  readonly workers: readonly { readonly workerId: string; readonly lastPollTime: number }[];
  readonly hasDefinition: boolean;
  /** Tasks of the type that run, over all domains, and how many may. */
  readonly limit?: { readonly used: number; readonly max: number };
  readonly kind?: string;
  readonly reason: string;
  readonly moves: string;
}

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
