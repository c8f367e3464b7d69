// Task queues: what waits, what workers hold, and which queue needs help.
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { FilterField, useFilter } from '../../design/filter-field';
import { Icon } from '../../design/icon';
import { PageLink } from '../../design/page-link';
import { ListTable } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { plainReason } from '../../state/causes';
import { ago, count } from '../../state/format';
import { LongestWait } from './longest-wait';
import { queueStatsPath, useQueueStats, type QueueStats } from './queue-stats';

const addressOf = ({ taskType }: QueueStats): string => `/queues/${encodeURIComponent(taskType)}`;
const viewOf = ({ domain }: QueueStats): Record<string, string> =>
  domain === '' ? {} : { domain };

const columns: readonly SortableColumn<QueueStats>[] = [
  {
    title: 'Task type',
    width: 'minmax(110px, 2fr)',
    value: ({ taskType }) => taskType,
    cell: (queue) => (
      <PageLink to={addressOf(queue)} view={viewOf(queue)}>
        {queue.taskType}
      </PageLink>
    ),
  },
  {
    title: 'Domain',
    isOptional: true,
    value: ({ domain }) => domain,
    cell: ({ domain }) => domain,
  },
  {
    title: 'State',
    width: 'minmax(220px, 4fr)',
    // Queues that are held up come first.
    value: ({ kind, reason }) => (kind === undefined ? `1 ${reason}` : `0 ${kind}`),
    cell: ({ kind, reason }) =>
      kind === undefined ? (
        plainReason(reason)
      ) : (
        <span className="status cut" data-kind="failed" title={plainReason(reason)}>
          <Icon name="warn" />
          <span>{plainReason(reason)}</span>
        </span>
      ),
  },
  {
    ...{ title: 'Waiting', width: '76px', isNumber: true },
    value: ({ waiting }) => waiting,
    cell: ({ waiting }) => count(waiting),
  },
  {
    ...{ title: 'Longest wait', width: '108px', isNumber: true },
    value: ({ oldestReadyTime }) => oldestReadyTime && Date.now() - oldestReadyTime,
    cell: ({ oldestReadyTime }) =>
      oldestReadyTime !== undefined && <LongestWait since={oldestReadyTime} />,
  },
  {
    ...{ title: 'In, out/min', width: '92px', isNumber: true, isOptional: true },
    value: ({ perMinute: { scheduled } }) => scheduled,
    cell: ({ perMinute: { scheduled, handedOut } }) => `${count(scheduled)}, ${count(handedOut)}`,
  },
  {
    ...{ title: 'Held', width: '62px', isNumber: true },
    value: ({ leased }) => leased,
    cell: ({ leased }) => count(leased),
  },
  {
    ...{ title: 'Limit', width: '76px', isNumber: true, isOptional: true },
    value: ({ limit }) => limit && limit.used / limit.max,
    cell: ({ limit }) => limit && `${count(limit.used)} of ${count(limit.max)}`,
  },
  {
    ...{ title: 'Workers', width: '76px', isNumber: true },
    value: ({ workers }) => workers.length,
    cell: ({ workers }) => count(workers.length),
  },
  {
    ...{ title: 'Polled', width: '96px', isNumber: true },
    value: ({ workers }) => workers[0]?.lastPollTime,
    cell: ({ workers }) => (workers[0] === undefined ? '' : ago(workers[0].lastPollTime)),
  },
];

export function Queues(): ReactElement {
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
              <Table queues={queues} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Table({ queues }: { readonly queues: readonly QueueStats[] }): ReactElement {
  const navigate = useNavigate();
  const { fits } = useFilter();
  const sorted = useSorted(
    queues.filter(({ taskType }) => fits(taskType)),
    columns,
  );
  return (
    <ListTable
      label="Queues"
      {...sorted}
      keyOf={({ taskType, domain }) => `${domain}:${taskType}`}
      open={(queue) => void navigate({ to: addressOf(queue), search: viewOf(queue) as never })}
    />
  );
}
