// Bulk jobs, newest first.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { BulkJob } from '../../api/types';
import { ListTable } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { PageLink } from '../../design/page-link';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { Who } from '../../design/who';
import { listMs } from '../../live/polling';
import { count, moment } from '../../state/format';
import { actionWord, JobState } from './job-state';

const path = '/api/bulk-jobs';

const columns: readonly SortableColumn<BulkJob>[] = [
  {
    title: 'Action',
    value: ({ action }) => action,
    cell: (job) => <PageLink to={`/bulk-jobs/${job.jobId}`}>{actionWord(job.action)}</PageLink>,
  },
  { title: 'State', value: ({ state }) => state, cell: (job) => <JobState state={job.state} /> },
  numbers('Executions', (job) => job.count),
  numbers('Done', (job) => job.done),
  numbers('Refused', (job) => job.refused),
  {
    title: 'Created',
    width: '130px',
    isNumber: true,
    value: (job) => job.createdAt,
    cell: (job) => moment(job.createdAt),
  },
  { title: 'By', value: (job) => job.createdBy, cell: (job) => <Who id={job.createdBy ?? ''} /> },
  {
    title: 'Reason',
    width: 'minmax(120px, 2fr)',
    value: (job) => job.reason,
    cell: (job) => job.reason,
  },
];

function numbers(title: string, value: (job: BulkJob) => number): SortableColumn<BulkJob> {
  return { title, isNumber: true, value, cell: (job) => count(value(job)) };
}

export function BulkJobs(): ReactElement {
  const query = useQuery({
    queryKey: ['bulk-jobs'],
    queryFn: ({ signal }) => ask<readonly BulkJob[]>(path, { signal }),
    refetchInterval: listMs,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHead title="Bulk jobs" call={{ method: 'GET', path }} />
      <Loaded query={query}>
        {(jobs) =>
          jobs.length === 0 ? (
            <Empty
              action={
                <PageLink to="/executions" className="button main">
                  Choose executions
                </PageLink>
              }
              command={`curl -X POST ${location.origin}${path} -H 'content-type: application/json' -d '{"action": "retry", "query": "status = FAILED"}'`}
            >
              No action on many executions has been prepared yet. Filter executions, choose an
              action, look at its preview, then start it.
            </Empty>
          ) : (
            <Jobs jobs={jobs} />
          )
        }
      </Loaded>
    </>
  );
}

function Jobs({ jobs }: { readonly jobs: readonly BulkJob[] }): ReactElement {
  const navigate = useNavigate();
  const { rows, columns: heads } = useSorted(jobs, columns);
  return (
    <ListTable
      label="Bulk jobs"
      rows={rows}
      columns={heads}
      keyOf={(job) => job.jobId}
      open={(job) => void navigate({ to: `/bulk-jobs/${job.jobId}` })}
    />
  );
}
