// The resources that the server describes, so that a page draws the table and the form of each.
import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ask } from '../api/client';
import type { DescribedResource } from '../api/types';
import { useFeatures } from './features';

/** A server of another version is another page. */
export const describedQuery = queryOptions({
  queryKey: ['described-resources'],
  queryFn: ({ signal }) => ask<readonly DescribedResource[]>('/api/resources', { signal }),
  staleTime: 600_000,
});

/** Asked for once it is known who asks. */
export function useDescribedQuery(): UseQueryResult<readonly DescribedResource[]> {
  return useQuery({ ...describedQuery, enabled: useFeatures() !== undefined });
}
