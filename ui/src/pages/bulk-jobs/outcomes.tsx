// The outcomes of the executions of a bulk job: how many are fixed, failed again or still run, and
// which they are, by business key and definition.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { BulkJob, BulkJobOutcomes } from '../../api/types';
import { ListTable } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { Pager } from '../../design/pager';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { StatusMark } from '../../design/status';
import { listMs } from '../../live/polling';
import { causeOf } from '../../state/causes';
import { count, moment, shortId } from '../../state/format';
import { startOf, useView } from '../../state/view';
import '../executions/executions.css';

type Row = BulkJobOutcomes['results'][number];
type Outcome = Row['outcome'];

const words: Readonly<Record<Outcome, string>> = {
  FAILED_AGAIN: 'Failed again',
  REFUSED: 'Refused',
  RUNNING: 'Still running',
  WAITING: 'Not yet acted on',
  FIXED: 'Fixed',
  DONE: 'Done',
  GONE: 'Not there any more',
};
/** Outcomes that need a person come first. */
const inOrder = Object.keys(words) as Outcome[];

const pageSize = 500;

const columns: readonly SortableColumn<Row>[] = [
  {
    title: 'Execution',
    width: 'minmax(140px, 1.2fr)',
    value: (row) => nameOf(row),
    cell: (row) => (
      <span className="what">
        <StatusMark status={row.status ?? 'TERMINATED'} />
        <PageLink to={`/executions/${row.workflowId}`}>{nameOf(row)}</PageLink>
        <small>{row.correlationId === undefined ? '' : row.workflowType}</small>
      </span>
    ),
  },
  {
    title: 'Outcome',
    width: '140px',
    value: ({ outcome }) => inOrder.indexOf(outcome),
    cell: ({ outcome }) => words[outcome],
  },
  {
    title: 'Why',
    card: 'cause',
    width: 'minmax(140px, 2fr)',
    value: ({ reason }) => reason,
    cell: ({ reason }) => causeOf(reason),
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
  {
    title: 'Ended',
    width: '130px',
    isNumber: true,
    value: ({ endTime }) => endTime,
    cell: ({ endTime }) => moment(endTime),
  },
];

/** The business key, else the definition; an execution that is gone has its id only. */
function nameOf({ correlationId, workflowType, workflowId }: Row): string {
  return correlationId ?? workflowType ?? shortId(workflowId);
}

export function Outcomes({ job }: { readonly job: BulkJob }): ReactElement {
  const [view, change] = useView();
  const wanted = inOrder.find((each) => each === view['outcome']);
  const start = startOf(view);
  const parameters = new URLSearchParams({ start: String(start), size: String(pageSize) });
  if (wanted !== undefined) parameters.set('outcome', wanted);
  const path = `/api/bulk-jobs/${encodeURIComponent(job.jobId)}/outcomes?${parameters.toString()}`;
  const query = useQuery({
    // A job that starts or ends changes the outcomes, so they are asked for anew.
    queryKey: ['bulk-job-outcomes', path, job.state],
    queryFn: ({ signal }) => ask<BulkJobOutcomes>(path, { signal }),
    refetchInterval: ({ state: { data } }) => (isMoving(job, data) ? listMs : false),
    placeholderData: keepPreviousData,
  });
  return (
    <section className="stack" aria-label="Outcome">
      <h2>{job.state === 'PREVIEW' ? 'Executions of this job' : 'Outcome'}</h2>
      <Loaded query={query}>
        {(outcomes) => (
          <>
            <Counts
              counts={outcomes.counts}
              wanted={wanted}
              choose={(outcome) => change({ outcome, start: '' }, true)}
            />
            {outcomes.omitted > 0 && (
              <p className="quiet">{count(outcomes.omitted)} more are not looked at here.</p>
            )}
            {outcomes.results.length === 0 ? (
              <Empty>{emptyText(job, wanted)}</Empty>
            ) : (
              <Rows outcomes={outcomes} />
            )}
            {outcomes.totalHits > pageSize && (
              <Pager
                {...{ start, shown: outcomes.results.length, total: outcomes.totalHits, pageSize }}
                before="Before"
                behind="Next"
                onStart={(at) => change({ start: at === 0 ? '' : String(at) })}
              />
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function isMoving({ state }: BulkJob, outcomes: BulkJobOutcomes | undefined): boolean {
  return state === 'RUNNING' || (outcomes?.counts['RUNNING'] ?? 0) > 0;
}

function emptyText(job: BulkJob, wanted: Outcome | undefined): string {
  if (job.count === 0) return 'None of the executions that were found fits this action.';
  return wanted === undefined ? 'Nothing here.' : `None is under "${words[wanted]}" now.`;
}

interface CountsProps {
  readonly counts: BulkJobOutcomes['counts'];
  readonly wanted: Outcome | undefined;
  readonly choose: (outcome: string) => void;
}

function Counts({ counts, wanted, choose }: CountsProps): ReactElement {
  const shown = inOrder.filter((each) => (counts[each] ?? 0) > 0 || each === wanted);
  return (
    <div className="row" role="group" aria-label="Outcomes">
      {shown.map((each) => (
        <button
          key={each}
          type="button"
          className={`button ${each === 'FAILED_AGAIN' || each === 'REFUSED' ? 'danger' : 'plain'}`}
          aria-pressed={each === wanted}
          onClick={() => choose(each === wanted ? '' : each)}
        >
          {words[each]} {count(counts[each] ?? 0)}
        </button>
      ))}
    </div>
  );
}

function Rows({ outcomes }: { readonly outcomes: BulkJobOutcomes }): ReactElement {
  const navigate = useNavigate();
  const sorted = useSorted(outcomes.results, columns);
  // Heads sort only where all rows are here: a part that is sorted says nothing of the whole.
  const isWhole = outcomes.results.length === outcomes.totalHits;
  return (
    <ListTable
      label="Executions of this job"
      rows={isWhole ? sorted.rows : outcomes.results}
      columns={isWhole ? sorted.columns : columns}
      keyOf={({ workflowId }) => workflowId}
      open={({ workflowId }) => void navigate({ to: `/executions/${workflowId}` })}
      hasTwoLines
    />
  );
}
