// Task queues: what waits, what workers hold, and which queue needs help; the chosen one stands
// beside them.
import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { FilterField, useFilter } from '../../design/filter-field';
import { Icon } from '../../design/icon';
import { BesideLink, useBeside } from '../../design/beside-link';
import { PageLink } from '../../design/page-link';
import { ListTable } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { Beside } from '../../design/pane';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { plainReason } from '../../state/causes';
import { ago, count } from '../../state/format';
import { useView } from '../../state/view';
import { LongestWait } from './longest-wait';
import { QueuePane } from './queue';
import { queueStatsPath, useQueueStats, type QueueStats } from './queue-stats';

const addressOf = ({ taskType }: QueueStats): string => `/queues/${encodeURIComponent(taskType)}`;
const viewOf = ({ domain }: QueueStats): Record<string, string> => ({ domain });

const columns: readonly SortableColumn<QueueStats>[] = [
  {
    title: 'Task type',
    width: 'minmax(110px, 2fr)',
    value: ({ taskType }) => taskType,
    cell: (queue) => (
      <span className="what plain">
        <BesideLink to={addressOf(queue)} view={viewOf(queue)}>
          {queue.taskType}
        </BesideLink>
      </span>
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
    card: 'cause',
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
    ...{ title: 'Longest wait', card: 'time', width: '108px', isNumber: true },
    value: ({ oldestReadyTime }) => oldestReadyTime && Date.now() - oldestReadyTime,
    cell: ({ oldestReadyTime }) =>
      oldestReadyTime !== undefined && <LongestWait since={oldestReadyTime} />,
  },
  {
    ...{ title: 'In, out/min', card: 'left-out', width: '92px', isNumber: true, isOptional: true },
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
    ...{ title: 'Polled', card: 'left-out', width: '96px', isNumber: true },
    value: ({ workers }) => workers[0]?.lastPollTime,
    cell: ({ workers }) => (workers[0] === undefined ? '' : ago(workers[0].lastPollTime)),
  },
];

/** As many as there is room for beside a pane. */
const briefColumns = 4;

const keyOf = ({ taskType, domain }: Pick<QueueStats, 'taskType' | 'domain'>): string =>
  `${domain}:${taskType}`;

export function Queues(): ReactElement {
  const { taskType } = useParams({ strict: false }) as { taskType?: string };
  const [{ domain = '' }] = useView();
  const pane =
    taskType === undefined ? undefined : (
      <QueuePane key={`${domain}:${taskType}`} {...{ taskType, domain }} />
    );
  return (
    <>
      <PageHead title="Queues" call={{ method: 'GET', path: queueStatsPath }} />
      <Loaded query={useQueueStats()}>
        {(queues) =>
          queues.length === 0 && pane === undefined ? (
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
              <Beside pane={pane}>
                <Table queues={queues} shown={taskType && keyOf({ taskType, domain })} />
              </Beside>
            </>
          )
        }
      </Loaded>
    </>
  );
}

interface TableProps {
  readonly queues: readonly QueueStats[];
  /** Key of the one that stands beside them. */
  readonly shown: string | undefined;
}

function Table({ queues, shown }: TableProps): ReactElement {
  const beside = useBeside();
  const { fits } = useFilter();
  const sorted = useSorted(
    queues.filter(({ taskType }) => fits(taskType)),
    columns,
  );
  return (
    <ListTable
      label="Queues"
      {...sorted}
      shown={shown}
      briefColumns={shown === undefined ? undefined : briefColumns}
      keyOf={keyOf}
      open={(queue) => beside(addressOf(queue), viewOf(queue))}
    />
  );
}
