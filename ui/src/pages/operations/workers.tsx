// The fleet: every worker that polled within the last hour.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { FleetWorker } from '../../api/types';
import { FactList } from '../../design/fact-list';
import { FilterField, useFilter } from '../../design/filter-field';
import { ListTable } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { Beside, Pane } from '../../design/pane';
import { SmallTable, type SmallColumn } from '../../design/small-table';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { listMs } from '../../live/polling';
import { ago, count, moment, percent } from '../../state/format';
import { useView } from '../../state/view';

export const workersPath = '/api/stats/workers';

/** A worker that has not polled for so long counts as gone, as the queues say it. */
const silentMs = 60_000;

export function WorkersTab(): ReactElement {
  const query = useQuery({
    queryKey: ['operations', 'workers'],
    queryFn: ({ signal }) => ask<readonly FleetWorker[]>(workersPath, { signal }),
    refetchInterval: listMs,
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={query}>
      {(workers) =>
        workers.length === 0 ? (
          <Empty command={`curl '${location.origin}/api/tasks/poll/my_task?workerid=me'`}>
            No worker has polled within the last hour. A worker appears with its first poll.
          </Empty>
        ) : (
          <div className="stack">
            <FilterField label="Worker, host, client or task type" />
            <WorkerTable workers={workers} />
            <p className="quiet">
              Failed is the share of the results within the last hour that were failures. A worker
              that has not polled for a minute is silent.
            </p>
          </div>
        )
      }
    </Loaded>
  );
}

const isSilent = ({ lastPollTime }: FleetWorker): boolean => Date.now() - lastPollTime > silentMs;

const columns: readonly SortableColumn<FleetWorker>[] = [
  {
    title: 'Worker',
    width: 'minmax(150px, 1.4fr)',
    value: ({ workerId }) => workerId,
    cell: ({ workerId }) => (workerId === '' ? 'Without an id' : workerId),
  },
  {
    title: 'State',
    width: '76px',
    value: (worker) => (isSilent(worker) ? 'silent' : 'polls'),
    cell: (worker) => (isSilent(worker) ? <b className="error-text">silent</b> : 'polls'),
  },
  {
    title: 'Host',
    width: 'minmax(90px, 0.8fr)',
    isOptional: true,
    value: ({ addresses = [] }) => addresses.join(', '),
    cell: ({ addresses = [] }) => addresses.join(', '),
  },
  {
    title: 'Client',
    width: 'minmax(110px, 1.1fr)',
    isOptional: true,
    value: ({ clients }) => clients.join(', '),
    cell: ({ clients }) => clients.join(', '),
  },
  {
    title: 'Task types',
    width: 'minmax(160px, 3fr)',
    value: ({ queues }) => queues.length,
    cell: ({ queues }) => (
      <span title={queues.map(nameOf).join(', ')}>
        <span className="badge">{count(queues.length)}</span>{' '}
        {queues.slice(0, typesShown).map((queue, index) => (
          <span key={nameOf(queue)}>
            {index > 0 && ', '}
            <PageLink
              to={`/queues/${encodeURIComponent(queue.taskType)}`}
              view={queue.domain === '' ? {} : { domain: queue.domain }}
            >
              {nameOf(queue)}
            </PageLink>
          </span>
        ))}
        {queues.length > typesShown && ' …'}
      </span>
    ),
  },
  number('In flight', '82px', ({ inFlight }) => inFlight),
  number('Results', '80px', ({ reported }) => reported),
  {
    title: 'Failed',
    width: '72px',
    isNumber: true,
    value: ({ reported = 0, failed }) => (reported === 0 ? undefined : (failed ?? 0) / reported),
    cell: ({ reported = 0, failed = 0 }) =>
      reported === 0 ? (
        ''
      ) : failed === 0 ? (
        '0 %'
      ) : (
        <b className="error-text" title={`${count(failed)} of ${count(reported)}`}>
          {percent(failed / reported)}
        </b>
      ),
  },
  {
    title: 'Last poll',
    width: '108px',
    isNumber: true,
    value: ({ lastPollTime }) => lastPollTime,
    cell: ({ lastPollTime }) => <span title={moment(lastPollTime)}>{ago(lastPollTime)}</span>,
  },
];

/** More would not fit; their number stands in front. */
const typesShown = 20;
/** The columns that have room beside the pane of one. */
const isBrief = ({ title }: { readonly title: string }): boolean =>
  ['Worker', 'State', 'In flight', 'Last poll'].includes(title);

function number(
  title: string,
  width: string,
  value: (worker: FleetWorker) => number | undefined,
): SortableColumn<FleetWorker> {
  const cell = (worker: FleetWorker): string => {
    const known = value(worker);
    return known === undefined ? '' : count(known);
  };
  return { title, width, isNumber: true, value, cell };
}

function nameOf({ taskType, domain }: FleetWorker['queues'][number]): string {
  return domain === '' ? taskType : `${taskType} in ${domain}`;
}

function WorkerTable({ workers }: { readonly workers: readonly FleetWorker[] }): ReactElement {
  const { fits } = useFilter();
  const shown = workers.filter(({ workerId, addresses = [], clients, queues }) =>
    [workerId, ...addresses, ...clients, ...queues.map(nameOf)].some(fits),
  );
  const sorted = useSorted(shown, columns);
  const [view, change] = useView();
  const opened = workers.find(({ workerId }) => workerId === view['worker']);
  return (
    <Beside
      pane={
        opened !== undefined && (
          <WorkerPane worker={opened} onClose={() => change({ worker: '' })} />
        )
      }
    >
      <ListTable
        label="Workers"
        rows={sorted.rows}
        columns={opened === undefined ? sorted.columns : sorted.columns.filter(isBrief)}
        keyOf={({ workerId }) => workerId}
        shown={opened?.workerId}
        open={({ workerId }) => change({ worker: workerId })}
      />
    </Beside>
  );
}

interface WorkerPaneProps {
  readonly worker: FleetWorker;
  readonly onClose: () => void;
}

function WorkerPane({ worker, onClose }: WorkerPaneProps): ReactElement {
  const { workerId, addresses = [], clients, nodes, queues, lastPollTime } = worker;
  const { inFlight, reported, failed } = worker;
  const known = (value: number | undefined): string => (value === undefined ? '' : count(value));
  return (
    <Pane title={workerId} about="Worker" onClose={onClose}>
      <FactList
        facts={[
          ['State', isSilent(worker) ? 'silent' : 'polls'],
          ['Last poll', `${moment(lastPollTime)}, ${ago(lastPollTime)}`],
          ['Host', addresses.join(', ')],
          ['Client', clients.join(', ')],
          ['Nodes', nodes.join(', ')],
          ['In flight', known(inFlight)],
          ['Results of the last hour', known(reported)],
          ['Failures of them', known(failed)],
        ]}
      />
      <section className="stack" aria-label="Queues">
        <h3>Queues that it polls</h3>
        <SmallTable
          label="Queues that it polls"
          rows={queues}
          columns={queueColumns}
          keyOf={nameOf}
          empty="None."
        />
      </section>
    </Pane>
  );
}

const queueColumns: readonly SmallColumn<FleetWorker['queues'][number]>[] = [
  {
    title: 'Task type',
    value: ({ taskType }) => taskType,
    cell: ({ taskType, domain }) => (
      <PageLink
        to={`/queues/${encodeURIComponent(taskType)}`}
        view={domain === '' ? {} : { domain }}
      >
        {taskType}
      </PageLink>
    ),
  },
  { title: 'Domain', value: ({ domain }) => domain, cell: ({ domain }) => domain },
  {
    title: 'Last poll',
    isNumber: true,
    value: ({ lastPollTime }) => lastPollTime,
    cell: ({ lastPollTime }) => <span title={moment(lastPollTime)}>{ago(lastPollTime)}</span>,
  },
];
