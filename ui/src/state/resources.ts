// The resources that the server describes, so that a page draws the table and the form of each.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ask } from '../api/client';
import type { DescribedResource } from '../api/types';
import { useFeatures } from './features';

/** Asked for once it is known who asks; a server of another version is another page. */
export function useDescribedQuery(): UseQueryResult<readonly DescribedResource[]> {
  return useQuery({
    queryKey: ['described-resources'],
    queryFn: ({ signal }) => ask<readonly DescribedResource[]>('/api/resources', { signal }),
    enabled: useFeatures() !== undefined,
    staleTime: 600_000,
  });
}
