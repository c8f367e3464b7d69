// All task definitions; the chosen one stands beside them.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { TaskDef } from '../../api/types';
import { FilterField, useFilter } from '../../design/filter-field';
import { BesideLink, useBeside } from '../../design/beside-link';
import { PageLink } from '../../design/page-link';
import { ListTable } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { Beside } from '../../design/pane';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { wireWords } from '../../forms/wire-words';
import { count, duration } from '../../state/format';
import { pathOf, TaskDefinitionPane } from './task-definition';

const path = '/api/metadata/taskdefs';
const addressOf = (name: string): string => `/task-definitions/${encodeURIComponent(name)}`;

const columns: readonly SortableColumn<TaskDef>[] = [
  {
    title: 'Name',
    width: 'minmax(160px, 3fr)',
    value: ({ name }) => name,
    cell: ({ name, description = '' }) => (
      <span className="what plain" title={description}>
        <BesideLink to={addressOf(name)}>{name}</BesideLink>
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
    card: 'left-out',
    width: 'minmax(120px, 1fr)',
    value: ({ retryLogic }) => retryLogic,
    cell: ({ retryLogic = '' }) => wireWords[retryLogic] ?? retryLogic,
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
    card: 'left-out',
    width: 'minmax(110px, 1fr)',
    isOptional: true,
    value: ({ ownerEmail }) => ownerEmail,
    cell: ({ ownerEmail }) => ownerEmail,
  },
];

/** As many as there is room for beside a pane. */
const briefColumns = 3;

export function TaskDefinitions(): ReactElement {
  const { name } = useParams({ strict: false }) as { name?: string };
  const definitions = useQuery({
    queryKey: ['task-definitions'],
    queryFn: ({ signal }) => ask<TaskDef[]>(path, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHead
        title="Task definitions"
        call={{ method: 'GET', path: name === undefined ? path : pathOf(name) }}
        actions={
          <PageLink to={addressOf('new_task')} className="button main">
            New task definition
          </PageLink>
        }
      />
      <Loaded query={definitions}>
        {(all) =>
          all.length === 0 && name === undefined ? (
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
              <Beside pane={name !== undefined && <TaskDefinitionPane key={name} name={name} />}>
                <Table rows={all} shown={name} />
              </Beside>
            </>
          )
        }
      </Loaded>
    </>
  );
}

interface TableProps {
  readonly rows: readonly TaskDef[];
  /** Name of the one that stands beside them. */
  readonly shown: string | undefined;
}

function Table({ rows, shown }: TableProps): ReactElement {
  const beside = useBeside();
  const { fits } = useFilter();
  const sorted = useSorted(
    rows.filter(({ name }) => fits(name)),
    columns,
  );
  return (
    <ListTable
      label="Task definitions"
      {...sorted}
      shown={shown}
      briefColumns={shown === undefined ? undefined : briefColumns}
      hasTwoLines
      keyOf={({ name }) => name}
      open={({ name }) => beside(addressOf(name))}
    />
  );
}
