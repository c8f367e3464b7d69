// Names of those who did something. An application acts under an id that nobody knows by heart.
import { useCallback } from 'react';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/client';
import { shortId } from './format';

/** Applications are users whose id begins so. */
export const applicationPrefix = 'app:';

interface Application {
  readonly id: string;
  readonly name: string;
}

/** Names change seldom, and many places ask for them. */
const staleMs = 60_000;

/** Puts names of applications in place of their ids, as far as the caller may read them. */
export function useNamed(): (text: string) => string {
  const names = useQuery({
    queryKey: ['application-names'],
    queryFn: async ({ signal }) => {
      const all = await ask<readonly Application[]>('/api/applications', { signal });
      return new Map(all.map(({ id, name }) => [id, name]));
    },
    staleTime: staleMs,
  });
  const { data } = names;
  return useCallback((text: string) => named(text, data), [data]);
}

/** Records that an application touches may name it without the prefix. */
const applicationIds = /\b(app:)?([0-9a-f]{8}-[0-9a-f-]{27})\b/g;

export function named(text: string, names: ReadonlyMap<string, string> | undefined): string {
  return text.replace(applicationIds, (whole, prefix: string | undefined, id: string) => {
    const name = names?.get(id);
    if (name === undefined && prefix === undefined) return whole;
    return `application ${name ?? shortId(id)}`;
  });
}
