// Bulk jobs, newest first.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { BulkJob } from '../../api/types';
import { ListTable, type Column } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { PageLink } from '../../design/page-link';
import { listMs } from '../../live/polling';
import { count, moment } from '../../state/format';
import { actionWord, JobState } from './job-state';

const path = '/api/bulk-jobs';

const columns: readonly Column<BulkJob>[] = [
  {
    title: 'Action',
    cell: (job) => <PageLink to={`/bulk-jobs/${job.jobId}`}>{actionWord(job.action)}</PageLink>,
  },
  { title: 'State', cell: (job) => <JobState state={job.state} /> },
  { title: 'Executions', cell: (job) => count(job.count) },
  { title: 'Done', cell: (job) => count(job.done) },
  { title: 'Refused', cell: (job) => count(job.refused) },
  { title: 'Created', width: '130px', cell: (job) => moment(job.createdAt) },
  { title: 'By', cell: (job) => job.createdBy ?? '' },
  { title: 'Reason', width: 'minmax(120px, 2fr)', cell: (job) => job.reason },
];

export function BulkJobs(): ReactElement {
  const navigate = useNavigate();
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
            <ListTable
              label="Bulk jobs"
              rows={jobs}
              columns={columns}
              keyOf={(job) => job.jobId}
              open={(job) => void navigate({ to: `/bulk-jobs/${job.jobId}` })}
            />
          )
        }
      </Loaded>
    </>
  );
}
