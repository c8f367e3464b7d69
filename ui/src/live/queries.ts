// Queries that follow the stream: the state that it sends takes the place of the answer, or a
// change has the query asked again. Without the stream they are asked again and again.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLive } from './stream';

/** The interval of a query whose whole state the topic sends; false while it does. */
export function useLiveState(
  topic: string,
  queryKey: readonly unknown[],
  everyMs: number,
): number | false {
  const client = useQueryClient();
  const isLive = useLive(topic, (message) => {
    if (message.kind !== 'told') return;
    client.setQueryData(queryKey, (message.data as { readonly state: unknown }).state);
  });
  return isLive ? false : everyMs;
}

/**
 * The interval of queries that are to be asked again when the topic tells of a change, at most once
 * in `everyMs`; false while it does. Absent: they are asked again and again.
 */
export function useLiveChanges(
  topic: string | undefined,
  queryKey: readonly unknown[],
  everyMs: number,
): number | false {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const askedAt = useRef(0);
  const isLive = useLive(topic, () => {
    if (timer.current !== undefined) return;
    const waitMs = Math.max(0, askedAt.current + everyMs - Date.now());
    timer.current = setTimeout(() => {
      timer.current = undefined;
      askedAt.current = Date.now();
      void client.invalidateQueries({ queryKey });
    }, waitMs);
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return isLive ? false : everyMs;
}
