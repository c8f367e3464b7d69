// The features of this server, so that no control is shown that it does not have.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ask } from '../api/client';
import type { Features } from '../api/types';

export function useFeaturesQuery(): UseQueryResult<Features> {
  return useQuery({
    queryKey: ['features'],
    queryFn: () => ask<Features>('/api/features'),
    staleTime: 60_000,
  });
}

export function useFeatures(): Features | undefined {
  return useFeaturesQuery().data;
}

/** Asks whether an area is served, and to this caller; false until the server has answered. */
export function useServed(): (area: string) => boolean {
  const features = useFeatures();
  return (area) =>
    features !== undefined &&
    features.areas.includes(area) &&
    !features.user.closed.includes(`GET /api/${area}`);
}

/** The losses that an answer survives at a durability level, such as `D0`. */
export function survivedLoss(level: string): string {
  if (level.startsWith('D1')) return 'a crash, a loss of power and the loss of a machine of Redis';
  if (level.startsWith('D0')) return 'a crash of Downbeat or Redis, and a loss of power';
  return 'a crash of Downbeat; a crash of Redis may lose the last second';
}

export function durabilityWords(level: string): string {
  return `What it has acknowledged survives ${survivedLoss(level)}.`;
}
