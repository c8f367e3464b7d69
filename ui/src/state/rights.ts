// The rights of this caller, so that a control which the server would refuse says so beforehand.
import { useQuery } from '@tanstack/react-query';
import { ask, type Method } from '../api/client';
import { useFeatures } from './features';

export type Right = 'CREATE' | 'READ' | 'EXECUTE' | 'UPDATE' | 'DELETE';

const words: Readonly<Record<Right, string>> = {
  CREATE: 'create',
  READ: 'read',
  EXECUTE: 'run',
  UPDATE: 'change',
  DELETE: 'delete',
};

/** Why the caller lacks a right on a resource, or on all of its type; undefined when it has it. */
export type Refusal = (right: Right) => string | undefined;

export function useRefusal(type: string | undefined, id = ''): Refusal {
  const user = useFeatures()?.user;
  const isAsked = type !== undefined && user?.administrator === false;
  const parameters = new URLSearchParams({ type: type ?? '', ...(id === '' ? {} : { id }) });
  const { data } = useQuery({
    queryKey: ['rights', type, id],
    queryFn: ({ signal }) => ask<Right[]>(`/api/rights?${parameters.toString()}`, { signal }),
    enabled: isAsked,
    staleTime: 30_000,
  });
  return (right) => {
    if (!isAsked || data?.includes(right)) return undefined;
    if (data === undefined) return 'Your rights are not known yet';
    return `You have no right to ${words[right]} ${id === '' ? 'one' : id}`;
  };
}

export interface AskedCall {
  readonly method: Method;
  readonly path: string;
}

/** Why no role of the caller opens a route; undefined when one does. */
export function useClosed(): (call: AskedCall | undefined) => string | undefined {
  const closed = useFeatures()?.user.closed ?? [];
  return (call) => {
    const isClosed = closed.some((route) => call !== undefined && fits(route, call));
    return isClosed ? 'No role of yours allows this' : undefined;
  };
}

/** `route`: such as `GET /api/users/:id`. */
function fits(route: string, { method, path }: AskedCall): boolean {
  const [verb, pattern = ''] = route.split(' ');
  const wanted = pattern.split('/');
  const parts = (path.split('?')[0] ?? '').split('/');
  return (
    verb === method &&
    wanted.length === parts.length &&
    wanted.every((part, index) => part.startsWith(':') || part === parts[index])
  );
}
