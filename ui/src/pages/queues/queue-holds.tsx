// Details of why a queue does not move: who holds the places of a full limit, and when a rate
// window opens.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { QueueWhy } from '../../api/types';
import { PageLink } from '../../design/page-link';
import { moment, shortId } from '../../state/format';
import type { QueueStats } from './queue-stats';

const whyMs = 5000;

interface Holder {
  readonly taskId: string;
  readonly workflowId: string;
}

export function QueueHolds({ queue }: { readonly queue: QueueStats }): ReactElement | null {
  const { taskType, domain, waiting } = queue;
  const inDomain = domain === '' ? '' : `&domain=${encodeURIComponent(domain)}`;
  const path = `/api/tasks/queue/why?taskType=${encodeURIComponent(taskType)}${inDomain}`;
  const why = useQuery({
    queryKey: ['queue-why', taskType, domain],
    queryFn: ({ signal }) => ask<QueueWhy>(path, { signal }),
    refetchInterval: whyMs,
    enabled: waiting > 0,
    placeholderData: keepPreviousData,
  });
  const waitsFor = waiting > 0 ? (why.data?.waitsFor ?? []) : [];
  const full = waitsFor.find(({ kind }) => kind === 'limit-full');
  const window = waitsFor.find(({ kind }) => kind === 'rate-window');
  const holders = (full?.data['holders'] ?? []) as readonly Holder[];
  if (holders.length === 0 && window === undefined) return null;
  return (
    <>
      {window !== undefined && (
        <p>
          {window.reason} The next one may go at {moment(window.untilTime)}.
        </p>
      )}
      {holders.length > 0 && (
        <ul className="plain" aria-label="Holders of the limit">
          {holders.map(({ taskId, workflowId }) => (
            <li key={taskId}>
              Held by{' '}
              <PageLink to={`/executions/${workflowId}`} view={{ task: taskId }} title={taskId}>
                a task of {shortId(workflowId)}
              </PageLink>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
