// All task definitions.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { TaskDef } from '../../api/types';
import { FilterField, useFilter } from '../../design/filter-field';
import { PageLink } from '../../design/page-link';
import { ListTable } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { count, duration } from '../../state/format';

const path = '/api/metadata/taskdefs';
const addressOf = (name: string): string => `/task-definitions/${encodeURIComponent(name)}`;

const columns: readonly SortableColumn<TaskDef>[] = [
  {
    title: 'Name',
    width: 'minmax(160px, 3fr)',
    value: ({ name }) => name,
    cell: ({ name, description = '' }) => (
      <span className="what plain" title={description}>
        <PageLink to={addressOf(name)}>{name}</PageLink>
        <small>{description}</small>
      </span>
    ),
  },
  {
    ...{ title: 'Retries', width: '76px', isNumber: true },
    value: ({ retryCount }) => retryCount,
    cell: ({ retryCount }) => retryCount,
  },
  {
    title: 'Retry logic',
    width: 'minmax(120px, 1fr)',
    value: ({ retryLogic }) => retryLogic,
    cell: ({ retryLogic }) => (retryLogic ?? '').toLowerCase().replaceAll('_', ' '),
  },
  {
    ...{ title: 'Response timeout', width: '140px', isNumber: true },
    value: ({ responseTimeoutSeconds }) => responseTimeoutSeconds,
    cell: ({ responseTimeoutSeconds }) => duration(responseTimeoutSeconds * 1000),
  },
  {
    ...{ title: 'At once', width: '80px', isNumber: true },
    value: ({ concurrentExecLimit }) => concurrentExecLimit || undefined,
    cell: ({ concurrentExecLimit = 0 }) =>
      concurrentExecLimit > 0 ? count(concurrentExecLimit) : '',
  },
  {
    title: 'Owner',
    width: 'minmax(110px, 1fr)',
    isOptional: true,
    value: ({ ownerEmail }) => ownerEmail,
    cell: ({ ownerEmail }) => ownerEmail,
  },
];

export function TaskDefinitions(): ReactElement {
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
              <Table rows={all} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Table({ rows }: { readonly rows: readonly TaskDef[] }): ReactElement {
  const navigate = useNavigate();
  const { fits } = useFilter();
  const sorted = useSorted(
    rows.filter(({ name }) => fits(name)),
    columns,
  );
  return (
    <ListTable
      label="Task definitions"
      {...sorted}
      hasTwoLines
      keyOf={({ name }) => name}
      open={({ name }) => void navigate({ to: addressOf(name) })}
    />
  );
}
