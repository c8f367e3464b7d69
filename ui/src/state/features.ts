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

/** Where what is acknowledged stands at a level of durability (invariants section 2). */
export function durabilityWords(level: string): string {
  const survives = { D0: 'on the disk of Redis', D1: 'on a replica too', D2: 'on their disks too' };
  const words = survives[level as keyof typeof survives] as string | undefined;
  return words === undefined ? level : `${words} (${level})`;
}
