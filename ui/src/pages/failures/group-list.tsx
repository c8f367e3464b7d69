// The executions of a large group of failures: the newest hundred, and the next hundreds on demand.
import { useQueries } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { FailureGroup, Found, WorkflowSummary } from '../../api/types';
import { Button } from '../../design/controls';
import { ListTable, type Column } from '../../design/list-table';
import { ErrorNote, Skeleton } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { Status } from '../../design/status';
import { causeOf, count, moment } from '../../state/format';

/** Ids that fit into one request. */
const idsMax = 100;

const columns: readonly Column<WorkflowSummary>[] = [
  {
    title: 'Execution',
    width: 'minmax(140px, 1.2fr)',
    cell: ({ workflowId, workflowType, correlationId = '' }) => (
      <PageLink to={`/executions/${workflowId}`}>
        {correlationId === '' ? workflowType : correlationId}
      </PageLink>
    ),
  },
  {
    title: 'Id',
    width: '84px',
    cell: ({ workflowId }) => (
      <code className="short-id" title={workflowId}>
        {workflowId}
      </code>
    ),
  },
  { title: 'Status', width: '130px', cell: ({ status }) => <Status status={status} /> },
  { title: 'Started', width: '130px', cell: ({ startTime }) => moment(startTime) },
  { title: 'Ended', width: '130px', cell: ({ endTime }) => moment(endTime) },
  {
    title: 'Reason',
    width: 'minmax(120px, 2fr)',
    cell: ({ reasonForIncompletion }) => causeOf(reasonForIncompletion),
  },
];

const queryOfIds = (ids: readonly string[]): string => `workflowId IN (${ids.join(',')})`;

export function GroupList({ group }: { readonly group: FailureGroup }): ReactElement {
  const [ids] = useState(group.workflowIds);
  const [parts, setParts] = useState(1);
  const chunks = Array.from({ length: parts }, (_, index) =>
    ids.slice(index * idsMax, (index + 1) * idsMax),
  );
  const found = useQueries({
    queries: chunks.map((chunk) => ({
      queryKey: ['failures-listed', ...chunk],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => searchOf(chunk, signal),
    })),
  });
  const rows = found.flatMap(({ data }) => data?.results ?? []);
  const failed = found.find(({ error }) => error !== null);
  const left = ids.length - parts * idsMax;
  return (
    <div className="stack">
      <ListTable
        label={`Executions of ${group.workflowType}`}
        rows={rows}
        columns={columns}
        keyOf={({ workflowId }) => workflowId}
      />
      {failed !== undefined && (
        <ErrorNote error={failed.error} retry={() => void failed.refetch()} />
      )}
      {found.some(({ isPending }) => isPending) && <Skeleton />}
      <div className="row">
        <span className="quiet">
          {count(rows.length)} of {count(group.count)}
          {left <= 0 &&
            group.count > ids.length &&
            `. The server names the newest ${count(ids.length)}; a retry takes all.`}
        </span>
        {left > 0 && (
          <Button onClick={() => setParts(parts + 1)}>
            Show {count(Math.min(left, idsMax))} more
          </Button>
        )}
      </div>
    </div>
  );
}

function searchOf(ids: readonly string[], signal: AbortSignal): Promise<Found<WorkflowSummary>> {
  const parameters = new URLSearchParams({
    query: queryOfIds(ids),
    sort: 'endTime:DESC',
    size: String(idsMax),
  });
  return ask(`/api/workflow/search?${parameters.toString()}`, { signal });
}
