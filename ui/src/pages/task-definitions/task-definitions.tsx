// All task definitions.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { TaskDef } from '../../api/types';
import { FilterField, useFilter } from '../../design/filter-field';
import { PageLink } from '../../design/page-link';
import { ListTable, type Column } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { duration } from '../../state/format';

const path = '/api/metadata/taskdefs';
const addressOf = (name: string): string => `/task-definitions/${encodeURIComponent(name)}`;

const columns: readonly Column<TaskDef>[] = [
  {
    title: 'Name',
    width: 'minmax(160px, 2fr)',
    cell: ({ name }) => <PageLink to={addressOf(name)}>{name}</PageLink>,
  },
  { title: 'Retries', width: '80px', cell: ({ retryCount }) => retryCount },
  { title: 'Retry logic', cell: ({ retryLogic }) => retryLogic },
  {
    title: 'Response timeout',
    width: '150px',
    cell: ({ responseTimeoutSeconds }) => duration(responseTimeoutSeconds * 1000),
  },
  { title: 'At once', width: '80px', cell: ({ concurrentExecLimit }) => concurrentExecLimit || '' },
  { title: 'Owner', cell: ({ ownerEmail }) => ownerEmail },
  { title: 'Description', width: 'minmax(120px, 2fr)', cell: ({ description }) => description },
];

export function TaskDefinitions(): ReactElement {
  const navigate = useNavigate();
  const { fits } = useFilter();
  const definitions = useQuery({
    queryKey: ['task-definitions'],
    queryFn: ({ signal }) => ask<TaskDef[]>(path, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHead
        title="Task definitions"
        call={{ method: 'GET', path }}
        actions={
          <PageLink to={addressOf('new_task')} className="button main">
            New task definition
          </PageLink>
        }
      />
      <Loaded query={definitions}>
        {(all) =>
          all.length === 0 ? (
            <Empty
              action={
                <PageLink to={addressOf('new_task')} className="button main">
                  Write the first one
                </PageLink>
              }
              command={`curl -X POST ${location.origin}${path} -H 'content-type: application/json' -d '[{"name": "my_task", "ownerEmail": "me@example.com"}]'`}
            >
              No task is defined yet. A task definition sets retries, timeouts and limits of what
              workers do.
            </Empty>
          ) : (
            <>
              <FilterField label="Name" />
              <ListTable
                label="Task definitions"
                rows={all.filter(({ name }) => fits(name))}
                columns={columns}
                keyOf={({ name }) => name}
                open={({ name }) => void navigate({ to: addressOf(name) })}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}
