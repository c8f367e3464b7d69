// Task queues: what waits, what workers hold, and which queue needs help.
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { FilterField, useFilter } from '../../design/filter-field';
import { PageLink } from '../../design/page-link';
import { ListTable, type Column } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { count, duration } from '../../state/format';
import { LongestWait } from './longest-wait';
import { queueStatsPath, useQueueStats, type QueueStats } from './queue-stats';

const addressOf = ({ taskType }: QueueStats): string => `/queues/${encodeURIComponent(taskType)}`;
const viewOf = ({ domain }: QueueStats): Record<string, string> =>
  domain === '' ? {} : { domain };

const columns: readonly Column<QueueStats>[] = [
  {
    title: 'Task type',
    width: 'minmax(110px, 2fr)',
    cell: (queue) => (
      <PageLink to={addressOf(queue)} view={viewOf(queue)}>
        {queue.taskType}
      </PageLink>
    ),
  },
  { title: 'Domain', isOptional: true, cell: ({ domain }) => domain },
  { title: 'Waiting', width: '75px', cell: ({ waiting }) => count(waiting) },
  {
    title: 'Longest wait',
    width: '95px',
    cell: ({ oldestReadyTime }) =>
      oldestReadyTime !== undefined && <LongestWait since={oldestReadyTime} />,
  },
  {
    title: 'In, out/min',
    width: '95px',
    isOptional: true,
    cell: ({ perMinute: { scheduled, handedOut } }) => `${count(scheduled)}, ${count(handedOut)}`,
  },
  { title: 'Held', width: '65px', cell: ({ leased }) => count(leased) },
  {
    title: 'Limit',
    width: '75px',
    isOptional: true,
    cell: ({ limit }) => limit && `${count(limit.used)} of ${count(limit.max)}`,
  },
  { title: 'Workers', width: '75px', cell: ({ workers }) => workers.length },
  {
    title: 'Polled',
    width: '85px',
    cell: ({ workers }) =>
      workers[0] === undefined ? '' : `${duration(Date.now() - workers[0].lastPollTime)} ago`,
  },
  {
    title: 'State',
    width: 'minmax(250px, 4fr)',
    cell: ({ kind, reason }) =>
      kind === undefined ? reason : <b className="error-text">{reason}</b>,
  },
];

export function Queues(): ReactElement {
  const navigate = useNavigate();
  const { fits } = useFilter();
  return (
    <>
      <PageHead title="Queues" call={{ method: 'GET', path: queueStatsPath }} />
      <Loaded query={useQueueStats()}>
        {(queues) =>
          queues.length === 0 ? (
            <Empty
              command={`curl '${location.origin}/api/tasks/poll/my_task?workerid=me'`}
              action={
                <PageLink to="/run" className="button main">
                  Run a workflow
                </PageLink>
              }
            >
              No task has been queued and no worker has polled yet. A queue appears with the first
              task or the first poll for its type.
            </Empty>
          ) : (
            <>
              <FilterField label="Task type" />
              <ListTable
                label="Queues"
                rows={queues.filter(({ taskType }) => fits(taskType))}
                columns={columns}
                keyOf={({ taskType, domain }) => `${domain}:${taskType}`}
                open={(queue) =>
                  void navigate({ to: addressOf(queue), search: viewOf(queue) as never })
                }
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}
