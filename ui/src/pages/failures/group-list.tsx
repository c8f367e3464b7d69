// The executions of a large group of failures: the newest hundred, and the next hundreds on demand.
import { useQueries } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { FailureGroup, Found, WorkflowSummary } from '../../api/types';
import { Button } from '../../design/controls';
import { ListTable } from '../../design/list-table';
import { Failure, Skeleton } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { Status } from '../../design/status';
import { causeOf } from '../../state/causes';
import { count, moment } from '../../state/format';
import '../executions/executions.css';

/** Ids that fit into one request. */
const idsMax = 100;

const columns: readonly SortableColumn<WorkflowSummary>[] = [
  {
    title: 'Execution',
    width: 'minmax(140px, 1.2fr)',
    value: (row) => nameOf(row),
    cell: (row) => <PageLink to={`/executions/${row.workflowId}`}>{nameOf(row)}</PageLink>,
  },
  {
    title: 'Status',
    width: '130px',
    value: ({ status }) => status,
    cell: ({ status }) => <Status status={status} />,
  },
  {
    title: 'Reason',
    card: 'cause',
    width: 'minmax(120px, 2fr)',
    value: ({ reasonForIncompletion }) => reasonForIncompletion,
    cell: ({ reasonForIncompletion }) => causeOf(reasonForIncompletion),
  },
  {
    title: 'Id',
    width: '76px',
    value: ({ workflowId }) => workflowId,
    cell: ({ workflowId }) => (
      <code className="short-id" title={workflowId}>
        {workflowId}
      </code>
    ),
  },
  time('Started', ({ startTime }) => startTime),
  time('Ended', ({ endTime }) => endTime),
];

function time(
  title: string,
  value: (row: WorkflowSummary) => string | undefined,
): SortableColumn<WorkflowSummary> {
  return { title, width: '130px', isNumber: true, value, cell: (row) => moment(value(row)) };
}

/** The business key, else the definition. */
function nameOf({ correlationId = '', workflowType }: WorkflowSummary): string {
  return correlationId === '' ? workflowType : correlationId;
}

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
  const here = found.flatMap(({ data }) => data?.results ?? []);
  const sorted = useSorted(here, columns);
  const failed = found.find(({ error }) => error !== null);
  const left = ids.length - parts * idsMax;
  // Heads sort only where all rows are here: a part that is sorted says nothing of the whole.
  const { rows, columns: heads } = left > 0 ? { rows: here, columns } : sorted;
  return (
    <div className="stack">
      <ListTable
        label={`Executions of ${group.workflowType}`}
        rows={rows}
        columns={heads}
        keyOf={({ workflowId }) => workflowId}
      />
      {failed !== undefined && <Failure query={failed} />}
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
