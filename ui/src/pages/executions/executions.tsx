// Executions: a filter, counts by status, and the rows that fit.
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type ReactElement } from 'react';
import {
  workflowStatuses,
  type WorkflowFacets,
  type WorkflowStatus,
  type WorkflowSummary,
} from '../../api/types';
import { Button } from '../../design/controls';
import { PageLink } from '../../design/page-link';
import { Pager } from '../../design/pager';
import { ListTable, type ColumnSort } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { Status, statusWord } from '../../design/status';
import { listMs } from '../../live/polling';
import { useLiveChanges } from '../../live/queries';
import { count } from '../../state/format';
import { startOf, useView, type View } from '../../state/view';
import { BulkBar } from './bulk-bar';
import { columnsOf } from './columns';
import { FilterBar } from './filter-bar';
import { SavedViews } from './saved-views';
import { SearchBox } from './search-box';
import './executions.css';
import { StartsStrip } from './starts-strip';
import {
  countExecutions,
  orders,
  pageSize,
  searchExecutions,
  searchPath,
} from '../../state/search';

export function Executions(): ReactElement {
  const [view, change] = useView();
  const navigate = useNavigate();
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const found = useQuery({
    queryKey: ['executions', view],
    queryFn: ({ signal }) => searchExecutions(view, signal),
    refetchInterval: useLiveChanges('executions', ['executions'], listMs),
    placeholderData: keepPreviousData,
  });
  const facets = useFacets(view);
  const { rows, fresh, showFresh } = useStillRows(found.data?.results, searchPath(view));
  const start = startOf(view);
  const sorted = (field: string): ColumnSort => {
    const [by, direction] = (view['sort'] ?? orders[0][0]).split(':');
    const isIt = by === field;
    const order = direction === 'ASC' ? 'ascending' : 'descending';
    return {
      order: isIt ? order : undefined,
      choose: () =>
        change({ sort: `${field}:${isIt && direction === 'DESC' ? 'ASC' : 'DESC'}`, start: '' }),
    };
  };
  return (
    <>
      <PageHead
        title="Executions"
        call={{ method: 'GET', path: searchPath(view) }}
        actions={
          <PageLink to="/run" className="button main">
            Run a workflow
          </PageLink>
        }
      />
      <SearchBox />
      <StatusFacets facets={facets} />
      <StartsStrip isAsked={found.data !== undefined} />
      <div className="list-panel">
        <div className="l-bar" data-chosen={selected.size > 0}>
          <BulkBar
            selected={selected}
            view={view}
            total={found.data?.totalHits ?? 0}
            statuses={statusesOf(rows, selected, facets.data, view)}
            chooseNone={() => select(new Set())}
          />
          {fresh > 0 && <Button onClick={showFresh}>{count(fresh)} new</Button>}
          <FilterBar />
          <SavedViews />
        </div>
        <Loaded query={found}>
          {() =>
            rows.length === 0 ? (
              <NoExecutions isFiltered={Object.keys(view).length > 0} />
            ) : (
              <ListTable
                label="Executions"
                rows={rows}
                columns={columnsOf(view, sorted)}
                hasTwoLines
                keyOf={(row) => row.workflowId}
                open={(row) => void navigate({ to: `/executions/${row.workflowId}` })}
                selected={selected}
                onSelect={select}
              />
            )
          }
        </Loaded>
      </div>
      {found.data !== undefined && rows.length > 0 && (
        <Pager
          {...{ start, pageSize, shown: rows.length, total: found.data.totalHits }}
          before="Newer"
          behind="Older"
          onStart={(to) => change({ start: String(to) })}
        />
      )}
    </>
  );
}

/** Of the chosen executions, or else of all that the view finds; undefined: not known yet. */
function statusesOf(
  rows: readonly WorkflowSummary[],
  selected: ReadonlySet<string>,
  facets: WorkflowFacets | undefined,
  view: View,
): ReadonlySet<WorkflowStatus> | undefined {
  if (selected.size > 0) {
    const known = rows.filter(({ workflowId }) => selected.has(workflowId));
    return known.length < selected.size ? undefined : new Set(known.map(({ status }) => status));
  }
  if (facets === undefined) return undefined;
  const wanted = (view['status'] ?? '').split(',').filter((each) => each !== '');
  return new Set(
    workflowStatuses.filter(
      (status) =>
        (facets.status[status] ?? 0) > 0 && (wanted.length === 0 || wanted.includes(status)),
    ),
  );
}

interface StillRows {
  readonly rows: readonly WorkflowSummary[];
  readonly fresh: number;
  readonly showFresh: () => void;
}

/** Rows change in place; new ones wait until they are asked for, so that nothing jumps. */
function useStillRows(latest: readonly WorkflowSummary[] | undefined, search: string): StillRows {
  const [shown, show] = useState<{ readonly search: string; readonly ids: readonly string[] }>();
  const ids = shown?.search === search ? shown.ids : undefined;
  useEffect(() => {
    const isFirst = ids === undefined || (ids.length === 0 && latest?.length !== 0);
    if (latest !== undefined && isFirst) {
      show({ search, ids: latest.map(({ workflowId }) => workflowId) });
    }
  }, [latest, ids, search]);
  if (latest === undefined || ids === undefined) {
    return { rows: latest ?? [], fresh: 0, showFresh: () => undefined };
  }
  const known = new Set(ids);
  const rows = latest.filter(({ workflowId }) => known.has(workflowId));
  return {
    rows,
    fresh: latest.length - rows.length,
    showFresh: () => show({ search, ids: latest.map(({ workflowId }) => workflowId) }),
  };
}

/** How many there are of each status, whichever of them is chosen. */
function useFacets(view: View): UseQueryResult<WorkflowFacets> {
  return useQuery({
    queryKey: ['execution-facets', { ...view, status: '' }],
    queryFn: ({ signal }) => countExecutions(view, signal),
    refetchInterval: useLiveChanges('executions', ['execution-facets'], listMs),
    placeholderData: keepPreviousData,
  });
}

interface StatusFacetsProps {
  readonly facets: UseQueryResult<WorkflowFacets>;
}

function StatusFacets({ facets }: StatusFacetsProps): ReactElement {
  const [view, change] = useView();
  const chosen = new Set((view['status'] ?? '').split(',').filter((each) => each !== ''));
  const toggle = (status: string): void => {
    const next = new Set(chosen);
    if (!next.delete(status)) next.add(status);
    change({ status: [...next].join(','), start: '' });
  };
  return (
    <div className="row facets" role="group" aria-label="Status">
      <button
        type="button"
        aria-pressed={chosen.size === 0}
        onClick={() => change({ status: '', start: '' })}
      >
        <span>All</span>
        <span>{facets.data === undefined ? '' : count(facets.data.total)}</span>
        <span className="hidden-text">executions</span>
      </button>
      {workflowStatuses.map((status) => (
        <button
          key={status}
          type="button"
          aria-pressed={chosen.has(status)}
          onClick={() => toggle(status)}
        >
          <Status status={status} />
          <span>{facets.error === null ? shownCount(facets.data, status) : '?'}</span>
          <span className="hidden-text">{statusWord(status)} executions</span>
        </button>
      ))}
    </div>
  );
}

/** Nothing before the server has counted. */
function shownCount(facets: WorkflowFacets | undefined, status: WorkflowStatus): string {
  return facets === undefined ? '' : count(facets.status[status] ?? 0);
}

function NoExecutions({ isFiltered }: { readonly isFiltered: boolean }): ReactElement {
  if (isFiltered) {
    return (
      <Empty
        action={
          <PageLink to="/executions" className="button plain">
            Remove all filters
          </PageLink>
        }
      >
        Nothing matches.
      </Empty>
    );
  }
  return (
    <Empty
      action={
        <PageLink to="/run" className="button main">
          Run a workflow
        </PageLink>
      }
      command={`curl -X POST ${location.origin}/api/workflow/my_workflow -d '{}'`}
    >
      Nothing has run yet.
    </Empty>
  );
}
